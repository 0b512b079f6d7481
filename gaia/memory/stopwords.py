"""Words that say nothing by themselves, in the form of terms before stemming.

English in full; of other languages the most frequent, and only such as mean nothing
else in English, since nobody tells in which language a text is.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

ENGLISH = """
a about above after again against all am an and any are as at be because been before being
below between both but by can could d did didn do does doesn doing don down during each few
for from further had has have having he her here hers herself him himself his how i if in into
is isn it its itself just ll m me might more most my myself no nor not now of off on once only
or other our ours ourselves out over own re s same she should so some such t than that the
their theirs them themselves then there these they this those through to too under until up
ve very was we were what when where which while who whom why will with would you your yours
yourself yourselves
"""

OTHERS = """
der das den dem ein eine einen einem einer ich du sie wir ihr mein meine meinen dein deine und
oder aber nicht ist sind bin hat habe mit auf fur von zu im wie wo wann wer
le les un une des du je tu il elle nous vous mon ma mes ton ta tes et ou mais ne pas est sont
suis avec dans pour sur de que qui quoi quand comment
el los las uno una unos yo ella mi mis tu tus su sus y o pero es son soy esta con en para por
del que quien cuando donde como
lo gli io lui lei noi voi mio mia e ma non sono con per di che chi quando dove come
os ao eu ele ela meu minha nao sou com em por do da que quem quando onde
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот
от меня еще нет о из ему ли или быть был до вас уж вам ведь там потом себя ничего ей может они
тут где есть надо ней для мы тебя их чем была сам чтоб без чего раз тоже себе под кто этот мой
моя мое мои
في من على الى عن ان هو هي انا انت ما هل كان كانت هذا هذه ذلك مع لا لم لن و او
"""

STOP_WORDS = frozenset((ENGLISH + OTHERS).split()) - {"sur", "son", "del"}

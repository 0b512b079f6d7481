"""What a sentence is by its form: a question, a request, something told of oneself.

Nobody understands the sentence here. These are the closed classes of words by which one
asks, bids and says `I`, in some languages; what they miss, the model is to see, and a
sentence that is taken for another kind than it is stays what its user said.
"""

from __future__ import annotations

from functools import cached_property

import regex

from gaia.memory.pleasantries import QUESTION_MARKS
from gaia.memory.text import normalise

SAME_MARKS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d\u300e\u300f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)

ADDRESS = regex.compile(r"(?:https?://|www\.)\S+", regex.IGNORECASE)
QUESTION = regex.compile(
    r"\W*(?:(?:do|does|did|is|are|am|was|were|can|could|will|would|should|have|has|had)(?:n't)?"
    r" (?:i|you|we|he|she|it|they|my|your|his|her|our|their|the|this|that|there)\b"
    r"|(?:who|whose|where|why|how|what)(?:'s| is| are| was| were| do| does| did| should| can) )"
    r"|.*(?:[吗嗎呢]|ですか|ますか)\W*$"
)
"""Questions that many write without a mark."""

ASKED_NEXT = regex.compile(
    r"\s*[,;:–—-]+\s*(?:so |and |but |also )?(?:what|which|where|when|how|who|why|can|could|would"  # noqa: RUF001
    r"|should|is there|are there|any|was|wie|wo|wann|welche\w*|kannst|gibt es|qué|cuál|dónde|cómo"
    r"|puedes|quel\w*|où|comment|peux-tu|cosa|dove|come|puoi|что|где|как|можешь)\b",
    regex.IGNORECASE,
)
"""How a sentence goes on that first tells something, and then asks something else:
`I am vegetarian, what can I cook?`"""

POLITELY = regex.compile(
    r"\W*(?:(?:can|could|would|will) you|kannst du|könntest du|können sie|könnten sie|peux-tu"
    r"|pourrais-tu|pouvez-vous|tu peux|puedes|podrías|puede|puoi|potresti|você pode|pode|poderia"
    r"|можешь|не мог|kun je|kan je|kan du|możesz)\b",
    regex.IGNORECASE,
)
"""How one asks for something in the form of a question."""


class AnyOf:
    """Looks for any of some words, `unspaced` ones also within others. What is looked for is
    compiled at the first use: digests alone need it, and every start would wait for it."""

    def __init__(self, spaced: str, unspaced: str) -> None:
        self._alternatives = [rf"\b(?:{'|'.join(spaced.split())})\b", *unspaced.split()]

    def search(self, text: str) -> regex.Match[str] | None:
        """The first of them in a text."""
        return self._pattern.search(text)

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        return regex.compile("|".join(self._alternatives))


BIDDING = AnyOf(
    r"""
tell give show find write send remind help explain translate make let search list answer
proofread correct rewrite rephrase summari[sz]e draft compose check fix read look convert
calculate create generate describe compare suggest recommend imagine pretend
sag gib zeig erzähl\w* such schreib\w* schick erinner\w* hilf erklär\w* übersetz\w* mach lass
korrigier\w*
prüf\w* lies fass formulier\w* rechne\w* erstell\w* nenn\w* empfiehl stell
dis donne montre trouve écris envoie rappelle aide explique traduis traduisez fais corrige
relis résume reformule calcule imagine lis raconte racontez donnez dites faites écrivez invente
dime dame cuéntame muéstrame busca escribe escríbeme envía recuérda\w* ayúda\w* explica traduce haz
corrige revisa resume imagina lee
dimmi dammi raccontami racconta mostra\w* trova scrivi scrivimi ricorda\w* aiuta\w* spiega\w*
traduci fai correggi
controlla riassumi immagina leggi
diga dê conte mostre encontre escreva lembre ajude explique traduza corrija revise resuma
скажи дай покажи расскажи найди напиши напомни помоги объясни переведи сделай расскажи исправь
проверь
vertaal schrijf zeg geef laat help översätt skriv hjälp przetłumacz napisz popraw sprawdź powiedz
""",
    "请 請 帮 告诉 告訴 翻译 翻譯 写 教えて 手伝 訳して 書いて 直して 알려 도와 번역 써줘",
)
"""How one bids somebody do something of the moment, at the beginning of a sentence."""

BEFORE_BIDDING = regex.compile(
    r"(?:please|pls|hey|ok|okay|now|then|and|gaia|bitte|jetzt|dann|por favor"
    r"|s'il te plaît|per favore"
    r"|пожалуйста|alsjeblieft|proszę)[ ,]+"
)

SPEAKING = AnyOf(
    r"""
i i'm i've i'd my mine we we're we've our ich mein\w* wir unser\w* je j'\w+ mon ma mes nous
notre yo mi mis soy tengo vivo trabajo estoy nosotros nuestr\w* io mio mia miei ho lavoro abito
eu meu minha meus minhas sou tenho moro trabalho ik mijn wij jag jeg я мой моя мое моё мои мы
наш\w* меня мне أنا انا أعيش أعمل اسمي نحن אני שלי שמי ja mam mieszkam мене мій моя मैं मेरा
मेरी benim
""",
    "我 咱 俺 私 僕 나는 저는 제 내 우리 ฉัน ผม",
)
"""Words of somebody who tells of themselves."""

ORDERING = AnyOf(
    r"""
you your yours yourself gaia please always never answer reply respond speak talk write use call
remind keep avoid tell send ask address be don't dont do stop give show explain start du dich
dir dein\w* bitte immer nie antworte\w* sprich schreib\w* nenn\w* sag\w* benutze verwende sie
ihnen tu te toi ton ta vous votre toujours jamais réponds répondez parle parlez écris appelle\w*
utilise tú ti contigo siempre nunca responde\w* contesta\w* habla\w* escribe llámame usa sempre
mai rispondi parla scrivi chiamami usa responda fala chama\w* escreva ты вы тебя тебе всегда
никогда отвечай\w* говори\w* пиши\w* называй\w* зови\w* используй\w* пожалуйста دائما دائماً أجب
تكلم اكتب نادني من فضلك תמיד ענה דבר תקרא
""",
    """
你 您 请 請 总是 總是 一直 叫我 用 回答 あなた いつも ください 呼んで 答えて 항상 주세요 불러
대답 해줘
""",
)
"""Words of somebody who may be telling gaia how to behave."""


def plain(text: str) -> str:
    """The text as the words here are compared with it."""
    return normalise(text).translate(SAME_MARKS)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with a mark or by its form."""
    bare = ADDRESS.sub(" ", sentence)
    return bool(QUESTION_MARKS.search(bare) or QUESTION.match(plain(bare)))


def is_request(sentence: str) -> bool:
    """Whether a sentence bids somebody do something of the moment, politely or not."""
    said = plain(sentence).lstrip(" ,.!-")
    while (before := BEFORE_BIDDING.match(said)) is not None:
        said = said[before.end() :]
    found = BIDDING.search(said[:40])
    is_bidden = found is not None and found.start() == 0
    return is_bidden or POLITELY.match(said) is not None


def told_before_asking(sentence: str) -> str:
    """What a question tells before it asks: `I am vegetarian` of `I am vegetarian, what can
    I cook?`; empty where it only asks."""
    for found in ASKED_NEXT.finditer(sentence):
        told = sentence[: found.start()].strip()
        if told and SPEAKING.search(plain(told)) and not is_question(told):
            return told
    return ""


def tells_of_oneself(sentence: str) -> bool:
    """Whether a sentence is a statement of somebody about themselves, as far as its form
    shows it."""
    asks = is_question(sentence) or is_request(sentence)
    return not asks and SPEAKING.search(plain(sentence)) is not None


def may_be_order(text: str) -> bool:
    """Whether the text, kept by itself, may tell gaia what to do: only its user knows."""
    return ORDERING.search(plain(text)) is not None and not tells_of_oneself(text)

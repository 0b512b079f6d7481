"""What a sentence is by its form: a question, a request, something told of oneself.

Nobody understands the sentence here. These are the closed classes of words by which one
asks, bids and says `I`, in some languages; what they miss, the model is to see, and a
sentence that is taken for another kind than it is stays what its user said.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from functools import cached_property

import regex

from gaia.memory.search.pleasantries import QUESTION_MARKS
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
    r"\s*(?:[,;:–—-]+|\.{2,}|…)\s*¿?(?:so |and |but |also )?(?:"
    r"(?:what|how|why)\b|(?:(?:which|where|when|who) )?(?:is|are|was|can|could|would|should|will|do"
    r"|does|did) (?:i|we|you|he|she|it|they|there)\b"
    r"|any (?:ideas?|suggestions?|tips?|advice|recommendations?|chance)\b"
    r"|(?:was|wie|wo|wann|wie viele? \w+|welche\w*(?: (?!ich|du|er|sie|es|wir|ihr|man)\w+)?)"
    r" (?:kann|kannst|könnte\w*|können|soll\w*|darf|muss|gibt|würde\w*|empfiehlst)\b"
    r"|(?:kann(?:st)?|könntest|soll|weißt) (?:du|ich)\b|gibt es\b"
    r"|(?:qué|cuál\w*|dónde|cómo|puedes|podrías|hay alg\w+)\b"
    r"|(?:quel\w*|comment|peux-tu|pouvez-vous|pourrais-tu|tu peux)\b"
    r"|(?:où|qu'|que)\s?(?:est-ce|puis-je|pourrais-je|peut-on)\b"
    r"|(?:cosa|che cosa|puoi|potresti)\b|(?:dove|come) (?:posso|potrei|si può)\b"
    r"|(?:можешь|можете|посоветуешь|посоветуй)\b"
    r"|(?:что|где|как|куда) (?:мне )?\w+(?:ть|ти)(?:ся)?\b)",
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


ENDS_IN_COLON = regex.compile(r":\W*$")
HOLDS_TEXT = regex.compile(r":\s*\S|\"[^\"]+\"")
"""The end of what introduces a text, and a text behind it or within quotation marks."""


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
cancel delete remove snooze postpone reschedule move
sag gib zeig erzähl\w* such schreib\w* schick erinner\w* hilf erklär\w* übersetz\w* mach lass
korrigier\w* lösch\w* verschieb\w* stornier\w* streich\w*
prüf\w* lies fass formulier\w* rechne\w* erstell\w* nenn\w* empfiehl stell
dis donne montre trouve écris envoie rappelle aide explique traduis traduisez fais corrige
annule annulez supprime supprimez reporte décale
relis résume reformule calcule imagine lis raconte racontez donnez dites faites écrivez invente
dime dame cuéntame muéstrame busca escribe escríbeme envía recuérda\w* ayúda\w* explica traduce haz
corrige revisa resume imagina lee borra cancela pospón elimina
dimmi dammi raccontami racconta mostra\w* trova scrivi scrivimi ricorda\w* aiuta\w* spiega\w*
traduci fai correggi
controlla riassumi immagina leggi cancella annulla sposta elimina
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


REWORDING = AnyOf(
    r"""
translat\w+ proofread\w* correct\w* rewrit\w+ rephras\w+ reword\w* paraphras\w+ summari[sz]\w+
shorten\w* übersetz\w* korrigier\w* verbesser\w* umformulier\w* formulier\w* zusammenfass\w*
zusammenzufassen fass kürz\w* lektorier\w* tradui\w* corrige\w* corrigé reformul\w* résum\w* relis
relire traduc\w+ traduzca\w* corregir corrij\w+ reescrib\w+ resum\w+ traduz\w+ traduci\w* tradurre
traduca correggi\w* correggere riassum\w+ riscriv\w+ corrigir corrija reescrev\w+ перевед\w+
перевест\w* перевод\w* исправ\w+ перефраз\w+ перепиш\w+ сократи\w* vertaal\w* vertal\w+ corrigeer
verbeter\w* samenvat\w+ herschrij\w+ översätt\w* rätta korrigera sammanfatta oversæt\w* oversett\w*
korriger\w* przetłumacz\w* tłumacz\w* popraw\w* streść přelož\w* překlad\w* oprav\w* перекла\w+
виправ\w+ çevir\w* tercüme düzelt\w* özetle\w* ترجم\w* تترجم\w* صحح\w* تصحح\w* لخص\w* תרגם תרגמי
לתרגם תתרגם תקן לתקן अनुवाद μετέφρασ\w* μετάφρασ\w* μεταφράσ\w* διόρθωσ\w* fordíts\w* lefordít\w*
javíts\w* käännä kääntä\w+ korjaa dịch terjemah\w+ tradu traduceți corecta\w*
""",
    """
翻译 翻譯 译成 譯成 改写 改寫 润色 校对 总结 總結 訳 翻訳 添削 要約 直して 번역 교정 요약 고쳐 แปล
""",
)
"""Words by which one asks for other words in the place of some."""

NEXT = AnyOf(
    r"""
next following below folgende\w* nächste\w* gleich prochain\w* suivant\w* siguiente\w* próxim\w+
seguent\w+ prossim\w+ seguint\w+ следующ\w+ volgende följande nästa następn\w+ następując\w+
следую\w+ наступн\w+ sonraki aşağıdaki التالي\w* הבא הבאה अगल\w+ επόμεν\w+ következő seuraava\w*
""",
    "下一 接下来 下面 以下 次の 다음 ต่อไป",
)
"""Words that announce what is to come."""


def plain(text: str) -> str:
    """The text as the words here are compared with it."""
    return normalise(text).translate(SAME_MARKS)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with a mark or by its form."""
    bare = ADDRESS.sub(" ", sentence)
    return bool(QUESTION_MARKS.search(bare) or QUESTION.match(plain(bare)))


def is_request(sentence: str) -> bool:
    """Whether a sentence bids somebody do something of the moment, politely, by a command or
    not."""
    if sentence.lstrip().startswith("/"):
        return True
    said = plain(sentence).lstrip(" ,.!-")
    while (before := BEFORE_BIDDING.match(said)) is not None:
        said = said[before.end() :]
    found = BIDDING.search(said[:40])
    is_bidden = found is not None and found.start() == 0
    return is_bidden or POLITELY.match(said) is not None


def awaits_text(sentence: str) -> bool:
    """Whether what follows is rather somebody's text than said: a sentence ends in a colon, or
    asks for other words in the place of some that it does not have itself."""
    said = plain(sentence)
    if ENDS_IN_COLON.search(said):
        return True
    if REWORDING.search(said) is None or HOLDS_TEXT.search(said):
        return False
    is_asked = is_question(sentence) or is_request(sentence) or NEXT.search(said) is not None
    return is_asked or SPEAKING.search(said) is None


def told_before_asking(sentence: str) -> str:
    """What a question tells before it asks: `I am vegetarian` of `I am vegetarian, what can
    I cook?`; empty where it only asks."""
    cuts = [found.start() for found in ASKED_NEXT.finditer(sentence)]
    # The last clause asks. One before it may tell more: `films, where dogs die, can you ...`.
    while len(cuts) > 1 and _asks(sentence[cuts[-2] : cuts[-1]]):
        cuts.pop()
    told = sentence[: cuts[-1]].strip() if cuts else ""
    return told if SPEAKING.search(plain(told)) and not is_question(told) else ""


def _asks(clause: str) -> bool:
    bare = plain(clause).lstrip(" ,;:.…-")
    return QUESTION.match(bare) is not None or POLITELY.match(bare) is not None


def tells_of_oneself(sentence: str) -> bool:
    """Whether a sentence is a statement of somebody about themselves, as far as its form
    shows it."""
    asks = is_question(sentence) or is_request(sentence)
    return not asks and SPEAKING.search(plain(sentence)) is not None


def may_be_order(text: str) -> bool:
    """Whether the text, kept by itself, may tell gaia what to do: only its user knows."""
    return ORDERING.search(plain(text)) is not None and not tells_of_oneself(text)

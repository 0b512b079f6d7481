"""How one asks for a reminder, in the languages that the rules know: the words, as lists and as
patterns."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import regex

FLAGS = regex.IGNORECASE | regex.VERBOSE

ASKED_WORDS = r"""
remind (?:me|us)|(?:set|make|create|add)(?: me)? an? reminder(?: for me)?|don'?t let me forget
|erinner[en]? (?:mich|uns)|rappell?e[sz]?[- ](?:moi|nous)|fais[- ]moi penser
|recu[ée]rd[ae](?:me|nos)|acu[ée]rdame|av[ií]same|hazme acordar|ricordami|ricordaci|ricorda mi
|lembr[ae]-(?:me|nos)|(?:me|nos) lembr[ae]|herinner (?:me|mij|ons)
|påminn (?:mig|oss|meg)|påmind mig|mind mig om|minn meg|przypomnij (?:mi|nam)|připomeň mi
|напомни(?:те)?(?: мне| нам| пожалуйста)?|нагадай(?:те)?(?: мені)?|muistuta minua
|ذكرني|ذكّرني|תזכירי? לי
"""
"""How one asks for it, where what is wanted follows."""

ASKED_UNSPACED_WORDS = "提醒(?:一下)?(?:我们|我)|叫我记得"
"""The same without blanks between words, wherever it stands in a sentence."""

ASKED_AT_END_WORDS = r"""
(?:mich|uns)\b.+\berinnern|(?:bana )?hatırlat(?:ır mısın|sana|ın)?|思い出させて(?:ください)?
|リマインド(?:して)?(?:ください)?|(?:알려|상기시켜|깨워) ?(?:줘|주세요)|याद दिला(?:ना|ओ|दो)?
"""
"""How one asks for it at the end of a sentence."""

POLITE_WORDS = r"""
please|pls|plz|hey|hi|hello|ok|okay|so|and|also|then|gaia|can you|could you|would you|will you
|i (?:want|need|would like) you to|i'd like you to|you (?:should|must)|thanks|thank you
|bitte|kannst du|könntest du|können sie|könnten sie|würdest du|hallo|danke
|peux[- ]tu|pourrais[- ]tu|tu peux|pouvez[- ]vous|s'il te pla[iî]t|s'il vous pla[iî]t|stp|bonjour
|salut|merci|puedes|podrías|puede|por favor|hola|gracias|puoi|potresti|per favore|ciao|grazie
|você pode|pode|poderia|olá|oi|obrigad[oa]|kun je|kan je|alsjeblieft|dank je|kan du|snälla|hej|tack
|możesz|proszę|cześć|dzięki|můžeš|prosím|можешь|пожалуйста|привет|спасибо|будь ласка|можеш
|lütfen|teşekkürler|bana|请|請|麻烦|麻煩|你好|谢谢|帮我|お願い(?:します)?|ね|は|に|부탁해요?|제발
"""
"""What may stand around a request without being a part of it."""

JOINING_WORDS = r"""
to|that|about|of|for|daran,? dass|daran|dass|an|zu|um|de|d'|du|qu'|que|à|a|di|che|del|dello
|della|dell'|do|da|om|aan|eraan|dat|att|że|żeby|o|na to, že|že|что|чтобы|о|об|про|що|de que
"""
"""What joins a request to what is wanted."""

QUESTIONS = r"""
what|who|whom|whose|which|where|when|why|how|whether|if|was|wer|wen|wo|wann|warum|wie|ob|welche\w*
|qui|quoi|où|quand|comment|pourquoi|ce que|qué|quién|dónde|cuándo|cómo|cuál|cosa|chi|dove|quando
|come|o que|quem|onde|wat|waar|wanneer|hoe|vad|var|när|co|gdzie|kiedy|jak|что было|кто|где|когда
|как|什么|什麼|谁|哪|多少|何|どこ|いつ|誰
"""


def any_of(listed: str) -> str:
    """The alternatives as a pattern: blanks are meant, line ends are not."""
    return listed.replace("\n", "").replace(" ", "\\ ")


ASKED = regex.compile(rf"(?<![\w'])(?:{any_of(ASKED_WORDS)})(?!['\w])", FLAGS)
ASKED_WITHIN = regex.compile(rf"{ASKED_UNSPACED_WORDS}|{any_of(ASKED_AT_END_WORDS)}", FLAGS)
POLITE = regex.compile(rf"(?<!\w)(?:{any_of(POLITE_WORDS)})(?!\w)", FLAGS)
JOINING = regex.compile(rf"\W*(?:{any_of(JOINING_WORDS)})(?:(?<=')|(?!\w))\s*", FLAGS)
BEFORE_TIME = regex.compile(r"^(?:for|für|pour|para|per|voor|för)\s+", FLAGS)
EXACTLY = regex.compile(
    r"(?<!\w)(?:sharp|exactly|about|around|latest|first\ thing|local\ time)(?!\w)", FLAGS
)
ADDED = regex.compile(r"(?<!\w)(?:and|und|y|e|et|en|och|i|и|ve|和|그리고)[\s,]+$", FLAGS)
PARTICLE = regex.compile(r"^[にへ에을를]\s*")
ASKING = regex.compile(rf"\W*(?:{any_of(QUESTIONS)})(?!['\w])", FLAGS)
"""How a question begins: who asks to be reminded what they said asks for an answer."""

REFUSING = regex.compile(
    r"(?<!\w)(?:don'?t|do\ not|not|never|stop|nicht|kein\w*|nie|ne|pas|no|nunca|non|mai|não|niet"
    r"|не|不|别)(?!\w)",
    FLAGS,
)
"""Words before a request that refuse it."""

APOSTROPHES = str.maketrans("\u2019\u2018\u02bc", "'''")
SENTENCE_END = regex.compile(r"[.!?。！？]+(?=\s+\S)|\n")
EDGE = "\\s\\p{P}\\p{S}"
TRIMMED = regex.compile(rf"^[{EDGE}]+|[\s,;:.!?\-–—。！？、]+$")


def stripped(text: str) -> str:
    """A text without marks and polite words around it."""
    before = ""
    while before != text:
        before, text = text, TRIMMED.sub("", text.strip())
        for found in POLITE.finditer(text):
            if found.start() == 0 or found.end() == len(text):
                text = text[found.end() :] if found.start() == 0 else text[: found.start()]
                break
    return text


def rest(text: str) -> str:
    """What a text says besides polite words."""
    return regex.sub(rf"[{EDGE}]", "", POLITE.sub("", text))


def is_several_sentences(text: str) -> bool:
    """Whether more than one sentence of a text says more than polite words."""
    return sum(1 for each in SENTENCE_END.split(text) if rest(each)) > 1

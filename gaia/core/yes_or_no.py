"""A plain yes or no, in the languages that people write, as the answer to a question of
gaia's. Only what cannot mean anything else is one: `yes, but …` is for the model.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import regex
from sqlalchemy.orm import Session

from gaia.memory.text import normalise
from gaia.messages import Inbound
from gaia.store import questions
from gaia.store.conversations import Conversation
from gaia.store.questions import Answer

ANSWERED_WITHIN = timedelta(hours=1)
"""How long a question waits."""

LONGEST = 40
"""Characters of a plain answer, at most."""

YES = """
yes, y, yep, yeah, yup, yes please, please do, do it, do that, go ahead, sure, of course, ok,
okay, confirm, confirmed, i do, yes do it, absolutely, definitely, ja, jo, jep, klar, ja
bitte, bitte ja, mach das, mach es, tu es, gerne, na klar, ja klar, natürlich, einverstanden,
sí, si, si por favor, sí por favor, claro, claro que sí, dale, hazlo, de acuerdo, vale, oui,
ouais, oui merci, d'accord, bien sûr, vas y, fais le, sì, sì grazie, certo, va bene, fallo,
d'accordo, sim, sim por favor, pode, pode ser, com certeza, isso, faz isso, ja graag, graag,
doe maar, prima, ja tack, gärna, gör det, ja takk, gerne det, joo, kyllä, tak, tak proszę,
jasne, zrób to, oczywiście, ano, jo, áno, igen, da, evet, olur, tamam, да, ага, да пожалуйста,
конечно, давай, хорошо, так, звичайно, ναι, כן, نعم, أجل, ايوه, بله, हाँ, हां, जी हाँ, ใช่, 是,
是的, 好, 好的, 可以, 对, 嗯, 行, はい, うん, お願いします, そうして, 네, 예, 응, 그래, 좋아
"""
NO = """
no, n, nope, nah, no thanks, no thank you, don't, dont, do not, no don't, cancel, never mind,
nevermind, forget it, leave it, stop, not now, nein, nee, nö, nein danke, lieber nicht, lass
es, lass das, abbrechen, nicht, no gracias, mejor no, cancela, cancelar, déjalo, non, non
merci, annule, laisse, laisse tomber, no grazie, annulla, lascia stare, meglio di no, não,
nao, não obrigado, não obrigada, cancela, deixa, deixa estar, nee dank je, liever niet, laat
maar, nej, nej tack, nei, ei, ei kiitos, nie, nie dziękuję, anuluj, ne, nem, nu, hayır, iptal,
нет, не надо, отмена, нет спасибо, ні, не треба, όχι, לא, لا, لا شكرا, نه, नहीं, ไม่, 不, 不要,
不用, 不是, 取消, 算了, いいえ, いや, やめて, いらない, キャンセル, 아니, 아니요, 아니오, 취소
"""
THUMBS: dict[Answer, str] = {"yes": "👍👌✅✔", "no": "👎❌🚫"}

NO_WORD = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


def _bare(text: str) -> str:
    return NO_WORD.sub(" ", normalise(text)).strip()


def _phrases(listed: str) -> frozenset[str]:
    return frozenset(filter(None, map(_bare, regex.split(r"[,\n]", listed))))


PLAIN: dict[Answer, frozenset[str]] = {"yes": _phrases(YES), "no": _phrases(NO)}


def answer_of(text: str) -> Answer | None:
    """Whether a message is a plain yes or no, and which."""
    if len(text) > LONGEST or "?" in text or text.lstrip().startswith("/"):
        return None
    bare = _bare(text)
    found = {answer for answer, phrases in PLAIN.items() if bare in phrases}
    if not bare:
        found = {answer for answer, thumbs in THUMBS.items() if any(map(text.__contains__, thumbs))}
    return found.pop() if len(found) == 1 else None


def with_answer_as_command(
    session: Session, inbound: Inbound, conversation: Conversation, now: datetime
) -> Inbound:
    """The message; as the command that it stands for where it answers the question that
    gaia asked last in that chat. In a group nobody answers for somebody else: there the
    command itself does."""
    answer = answer_of(inbound.text) if conversation.direct else None
    is_own = not (inbound.is_forwarded or inbound.attachments or inbound.edit_of)
    if answer is None or not is_own:
        return inbound
    question = questions.waiting(session, conversation.conversation_id, now - ANSWERED_WITHIN)
    if question is None:
        return inbound
    command = question.yes if answer == "yes" else question.no
    return replace(inbound, text=command) if command else inbound

"""A plain answer to what gaia asked or said, in the languages that people write: yes, no, that
something is done, is not to be, or is to wait. Only what cannot mean anything else is one:
`yes, but …` is for the model.
"""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

import regex

from gaia.memory.text import normalise
from gaia.messages import Answer

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
DONE = """
done, i did, i did it, i've done it, it's done, its done, all done, did it, finished, already done,
did that, taken care of, erledigt, fertig, gemacht, hab ich, hab ich gemacht, schon erledigt, fait,
c'est fait, c'est bon, terminé, déjà fait, hecho, ya está, ya lo hice, listo, lista, terminado,
fatto, già fatto, finito, feito, já fiz, pronto, já está, gedaan, klaar, is gedaan, klart, gjort,
fixat, færdig, ferdig, tehty, valmis, zrobione, gotowe, zrobiłem, zrobiłam, hotovo, kész,
megcsináltam, gata, yaptım, bitti, tamamdır, сделано, сделал, сделала, готово, зроблено, έγινε,
בוצע, עשיתי, تم, خلصت, انجام شد, हो गया, कर दिया, เสร็จแล้ว, 完成, 完成了, 做完了, 已完成, 搞定,
终了, 完了, やった, やりました, 終わった, できた, 했어, 했어요, 완료, 끝났어
"""
LATER = """
later, snooze, snooze it, remind me later, not yet, in a bit, später, noch nicht, erinnere mich
später, plus tard, pas encore, más tarde, luego, todavía no, più tardi, dopo, non ancora, mais
tarde, depois, ainda não, straks, nog niet, senare, inte än, senere, ikke endnu, ikke enda,
myöhemmin, później, jeszcze nie, později, později, később, mai târziu, sonra, daha sonra, henüz
değil, потом, позже, ещё нет, пізніше, αργότερα, אחר כך, لاحقا, बाद में, 稍后, 等会, 等一下, 还没,
あとで, 後で, まだ, 나중에, 이따가, 아직
"""
CANCEL = """
cancel it, cancel that, cancel this, cancel the reminder, cancel that reminder,
cancel this reminder, delete it, delete that, delete the reminder, delete that reminder,
delete this reminder, lösche es, lösche sie, lösch das, lösche die erinnerung,
lösche diese erinnerung, annule le, annule ça,
annule le rappel, annule ce rappel, supprime le rappel, supprime ce rappel, cancélalo,
bórralo, cancela el recordatorio, cancela ese recordatorio, borra el recordatorio, annullalo,
cancellalo, annulla il promemoria, cancella il promemoria, cancella quel promemoria, apaga isso,
cancela isso, cancela o lembrete, cancela esse lembrete, apaga o lembrete, отмени напоминание,
удали напоминание
"""
SNOOZE = regex.compile(
    r"(?:(?:postpone|delay|move|push)(?: it| that| this)?(?: back)?(?: by| to| until| for)?"
    r"|verschiebe?(?: es| sie| das)?(?: um| auf)?|repousse[- ]le(?: de| à)?|aplázalo"
    r"|rimandalo(?: di)?|snooze"
    r"|remind me(?: again)?|again|later|erinnere mich(?: wieder)?|nochmal|plus tard"
    r"|rappelle-moi|recuérdame|luego|ricordami|lembra-me|напомни(?: мне)?|потом)\b[\s,:]*",
    regex.IGNORECASE,
)
"""What may stand before a time until when something is to wait."""

THUMBS: dict[Answer, str] = {"yes": "👍👌✅✔", "no": "👎❌🚫"}

NO_WORD = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


def _bare(text: str) -> str:
    return NO_WORD.sub(" ", normalise(text)).strip()


def _phrases(listed: str) -> frozenset[str]:
    return frozenset(filter(None, map(_bare, regex.split(r"[,\n]", listed))))


PLAIN: dict[Answer, frozenset[str]] = {
    "yes": _phrases(YES),
    "no": _phrases(NO),
    "done": _phrases(DONE),
    "later": _phrases(LATER),
    "cancel": _phrases(CANCEL),
}


def answer_of(text: str) -> Answer | None:
    """Which plain answer a message is, if it is one."""
    if len(text) > LONGEST or "?" in text or text.lstrip().startswith("/"):
        return None
    bare = _bare(text)
    found = {answer for answer, phrases in PLAIN.items() if bare in phrases}
    if not bare:
        found = {answer for answer, thumbs in THUMBS.items() if any(map(text.__contains__, thumbs))}
    return found.pop() if len(found) == 1 else None

"""From the values of a webhook to an event: who wrote what. Pure.

Decided here, beyond what Twilio's own terms say:

- A pressed button, or a chosen line of a list, says what stands on it; one whose payload
  is a slash command gives it.
- A command in a forwarded message is not given: it stands in quotes.
- A reaction, or a message that was deleted, says nothing; nor does a wish for no more
  messages, which Twilio answers and fulfils by itself.
- Twilio documents no parameters of edited messages. If one names the message that it
  replaces, it is an edit of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from channels.whatsapp.content import Content, content_of, file_name, is_place
from channels.whatsapp.events import Event, Ignored, Misdirected, Written
from channels.whatsapp.forms import Params
from channels.whatsapp.names import CHANNEL, is_sid, person_in
from gaia.messages import Address, Inbound

SILENT_TYPES = frozenset({"reaction", "revoke", "revoked", "delete", "deleted"})
REPLACED = ("EditedMessageSid", "OriginalMessageSid")


@dataclass(frozen=True, slots=True)
class Me:
    """Who gaia is at Twilio: an account, and a number of it such as +14155238886."""

    account_sid: str
    number: str


def translate(params: Params, me: Me, sent_at: datetime, *, is_late: bool = False) -> Event:
    """What a message comes to. Twilio's webhooks have no time: `sent_at` is when it came."""
    if person_in(params.get("From")) == me.number:
        return Ignored("tells of a message that gaia sent")
    if person_in(params.get("To")) != me.number:
        return Misdirected("it is for another number on WhatsApp than channels.whatsapp.number")
    sender = person_in(params.get("From")) or person_in(params.get("ExternalUserId"))
    if sender is None or not is_sid(params.get("MessageSid")):
        return Misdirected("it has no sender on WhatsApp, or no id")
    if params.get("MessageType") in SILENT_TYPES:
        return Ignored("a reaction, or a message that was deleted")
    if params.get("OptOutType") == "STOP":
        return Ignored("the sender wants no more messages")
    return Written(_inbound(params, me, sender, sent_at, is_late=is_late))


def _inbound(params: Params, me: Me, sender: str, sent_at: datetime, *, is_late: bool) -> Inbound:
    content = content_of(params, me.account_sid)
    is_forwarded = _is_forwarded(params)
    text = _text(params)
    if is_forwarded and text.startswith("/"):
        text = f'"{text}"'
    return Inbound(
        address=Address(CHANNEL, sender),
        chat=sender,
        provider_message_id=params.get("MessageSid"),
        text=text,
        sent_at=sent_at,
        sender_name=params.line("ProfileName") or None,
        notes=(*_context(params, me), *content.notes, *_unknown(params, text, content)),
        attachments=content.attachments,
        edit_of=_edit_of(params),
        is_forwarded=is_forwarded,
        is_late=is_late,
    )


def _text(params: Params) -> str:
    """The words of a message, be they written, pressed or chosen."""
    payload = params.get("ButtonPayload") or params.get("ListId")
    if payload.startswith("/"):
        return payload.strip()
    pressed = params.get("ButtonText") or params.get("ListTitle")
    body = (pressed or params.get("Body")).strip()
    if is_place(params) and body in (params.get("Label"), params.get("Address")):
        return ""
    return "" if file_name(params) else body


def _context(params: Params, me: Me) -> tuple[str, ...]:
    """Notes of what the message refers to."""
    notes = []
    if params.get("FrequentlyForwarded") == "true":
        notes.append("(forwarded many times)")
    elif _is_forwarded(params):
        notes.append("(forwarded)")
    if params.get("OriginalRepliedMessageSid") and not _is_pressed(params):
        notes.append(f"(in reply to {_replied_to(params, me)})")
    return tuple(notes)


def _replied_to(params: Params, me: Me) -> str:
    """A message of which Twilio tells no word, only whose it was."""
    author = params.get("OriginalRepliedMessageSender")
    if person_in(author) == me.number:
        return "a message of yours"
    return "a message of their own" if author and author == params.get("From") else "a message"


def _is_forwarded(params: Params) -> bool:
    return "true" in (params.get("Forwarded"), params.get("FrequentlyForwarded"))


def _is_pressed(params: Params) -> bool:
    names = ("ButtonPayload", "ButtonText", "ListId", "ListTitle")
    return any(params.get(name) for name in names)


def _edit_of(params: Params) -> str | None:
    named = (params.get(name) for name in REPLACED)
    return next((sid for sid in named if is_sid(sid)), None)


def _unknown(params: Params, text: str, content: Content) -> tuple[str, ...]:
    """A note for a message in which nothing was found: newer than gaia, most likely."""
    if text or content.attachments or content.notes:
        return ()
    kind = params.line("MessageType", 40)
    named = f": {kind}" if kind and kind != "text" else ""
    return (f"(sent something that cannot be read here{named})",)

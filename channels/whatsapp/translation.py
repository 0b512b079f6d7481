"""From the values of a webhook to an event: who wrote what, and with which files. Pure.

Decided here, beyond what Twilio's own terms say:

- A pressed button, or a chosen line of a list, says what stands on it; one whose payload
  is a slash command gives it.
- A command in a forwarded message is not given: it stands in quotes. Nor is one in a
  message that no webhook told of: Twilio lists such messages without what was forwarded.
- A reaction, or a message that was deleted, says nothing; nor does a wish for no more
  messages, which Twilio answers and fulfils by itself.
- Twilio documents no parameters of edited messages. If one names the message that it
  replaces, it is an edit of it.
- What is no word is a note: one line of plain words in brackets, for the model to read.
- A file is known by its path at Twilio alone: whatever host a message names, it is never
  asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from channels.base.intake import LONGEST_WORDS, Content, quoted, quoted_if_command, unknown_note
from channels.whatsapp.requests import CHANNEL, Params, is_sid, person_in
from gaia.messages import (
    MAYBE_FORWARDED,
    REPLY_TO_GAIA,
    REPLY_TO_OWN,
    Address,
    Attachment,
    AttachmentKind,
    Inbound,
    RepliedTo,
)

SILENT_TYPES = frozenset({"reaction", "revoke", "revoked", "delete", "deleted"})
REPLACED = ("EditedMessageSid", "OriginalMessageSid")
MOST_FILES = 10
"""Twilio's own limit for one message."""
UNKNOWN_TYPE = "application/octet-stream"
CONTACT_TYPES = frozenset({"text/vcard", "text/x-vcard", "text/directory"})
_MEDIA_PATH = re.compile(
    r"/2010-04-01/Accounts/(?P<account>AC[0-9a-fA-F]{32})"
    r"/Messages/[A-Z]{2}[0-9a-fA-F]{32}/Media/ME[0-9a-fA-F]{32}"
)
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}")
_DEGREES = re.compile(r"-?[0-9]{1,3}(\.[0-9]{1,20})?")
_FILE_NAME = re.compile(r"[^\n/\\]{1,120}\.[A-Za-z][A-Za-z0-9]{1,7}")


@dataclass(frozen=True, slots=True)
class Written:
    """Somebody wrote to gaia."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class Misdirected:
    """Not for gaia, as somebody set it up at Twilio. `reason` is for the owner."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing that gaia has to know."""

    reason: str


Event = Written | Misdirected | Ignored


@dataclass(frozen=True, slots=True)
class Me:
    """Who gaia is at Twilio: an account, and a number of it such as +14155238886."""

    account_sid: str
    number: str


def translate(params: Params, me: Me, sent_at: datetime, *, is_late: bool = False) -> Event:
    """Translate a message into an event. Twilio's webhooks have no time: `sent_at` is when it
    came."""
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
    if is_forwarded or is_late:
        text = quoted_if_command(text)
    return Inbound(
        address=Address(CHANNEL, sender),
        chat=sender,
        provider_message_id=params.get("MessageSid"),
        text=text,
        sent_at=sent_at,
        sender_name=params.line("ProfileName") or None,
        notes=(
            *((MAYBE_FORWARDED,) if is_late else ()),
            *_context(params, me),
            *content.notes,
            *unknown_note(text, content, _unknown_kind(params)),
        ),
        replied_to=_replied_to(params),
        attachments=content.attachments,
        edit_of=_edit_of(params),
        is_forwarded=is_forwarded,
        is_pressed=_is_pressed(params),
        is_late=is_late,
    )


def _text(params: Params) -> str:
    """Return the words of a message, be they written, pressed or chosen."""
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
    if _is_reply(params):
        notes.append(f"{_reply_to(params, me)})")
    return tuple(notes)


def _is_reply(params: Params) -> bool:
    return bool(params.get("OriginalRepliedMessageSid")) and not _is_pressed(params)


def _replied_to(params: Params) -> RepliedTo | None:
    """Name what a message replies to: Twilio tells no word of it."""
    sid = params.get("OriginalRepliedMessageSid")
    return RepliedTo(sid) if _is_reply(params) and is_sid(sid) else None


def _reply_to(params: Params, me: Me) -> str:
    """Name the author of what a message replies to."""
    author = params.get("OriginalRepliedMessageSender")
    if person_in(author) == me.number:
        return REPLY_TO_GAIA
    return REPLY_TO_OWN if author and author == params.get("From") else "(in reply to a message"


def _is_forwarded(params: Params) -> bool:
    return "true" in (params.get("Forwarded"), params.get("FrequentlyForwarded"))


def _is_pressed(params: Params) -> bool:
    names = ("ButtonPayload", "ButtonText", "ListId", "ListTitle")
    return any(params.get(name) for name in names)


def _edit_of(params: Params) -> str | None:
    named = (params.get(name) for name in REPLACED)
    return next((sid for sid in named if is_sid(sid)), None)


def _unknown_kind(params: Params) -> str:
    kind = params.line("MessageType", 40)
    return "" if kind == "text" else kind


def content_of(params: Params, account_sid: str) -> Content:
    """Return the files of a message of that account, and notes of the rest."""
    attachments, notes = [], [*_notes(params)]
    for url, media_type in _media(params):
        path = media_path(url, account_sid)
        if path is None:
            notes.append("(sent a file that cannot be fetched)")
            continue
        attachments.append(_attachment(path, media_type, params))
        if media_type in CONTACT_TYPES:
            notes.append("(a contact)")
    return Content(tuple(attachments), tuple(notes))


def media_path(url: str, account_sid: str) -> str | None:
    """Return the path of a file of that account at Twilio, None for the address of anything
    else."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    found = _MEDIA_PATH.fullmatch(path)
    return path if found is not None and found["account"] == account_sid else None


def file_name(params: Params) -> str | None:
    """Return the name of the document, which comes in place of words if it has no caption."""
    body = params.get("Body").strip()
    if params.get("MessageType") == "document" and _FILE_NAME.fullmatch(body):
        return body
    return None


def is_place(params: Params) -> bool:
    """Whether the message tells where something is."""
    return all(_DEGREES.fullmatch(params.get(name)) for name in ("Latitude", "Longitude"))


def _media(params: Params) -> Iterator[tuple[str, str]]:
    """Yield the address and the type of each file."""
    for index in range(MOST_FILES):
        if url := params.get(f"MediaUrl{index}"):
            stated = params.get(f"MediaContentType{index}").partition(";")[0].strip().lower()
            yield url, stated if _MEDIA_TYPE.fullmatch(stated) else UNKNOWN_TYPE


def _attachment(path: str, media_type: str, params: Params) -> Attachment:
    return Attachment(_kind(media_type, params), path, media_type, file_name=file_name(params))


def _kind(media_type: str, params: Params) -> AttachmentKind:
    match params.get("MessageType"), media_type.partition("/")[0]:
        case "document", _:
            return AttachmentKind.DOCUMENT
        case "sticker", "image":
            return AttachmentKind.STICKER
        case _, "image":
            return AttachmentKind.PHOTO
        case _, "audio":
            is_voice = media_type == "audio/ogg"
            return AttachmentKind.VOICE if is_voice else AttachmentKind.AUDIO
        case _, "video":
            return AttachmentKind.VIDEO
        case _:
            return AttachmentKind.DOCUMENT


def _notes(params: Params) -> Iterator[str]:
    if is_place(params):
        yield _place(params)
    if params.get("FlowData"):
        yield f"(filled in a form: {quoted(params.get('FlowData'))})"
    if description := params.line("ListDescription", LONGEST_WORDS):
        yield f"(chosen from a list: {quoted(description)})"
    if advertised := [each for each in _advertisement(params) if each]:
        yield f"(wrote because of an advertisement: {quoted(': '.join(advertised))})"


def _advertisement(params: Params) -> Iterator[str]:
    for name in ("ReferralHeadline", "ReferralBody"):
        yield params.line(name, LONGEST_WORDS)


def _place(params: Params) -> str:
    where = f"latitude {params.get('Latitude')}, longitude {params.get('Longitude')}"
    named = [params.line(name, LONGEST_WORDS) for name in ("Label", "Address")]
    names = ", ".join(quoted(name) for name in named if name)
    return f"(place: {names}; {where})" if names else f"(location: {where})"

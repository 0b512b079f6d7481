"""What a message holds besides its words: files as attachments, the rest as notes.

A note is one line of plain words in brackets, for the model to read. A file is known by
its path at Twilio alone: whatever host a message names, it is never asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from channels.whatsapp.forms import Params
from gaia.messages import Attachment, AttachmentKind

LONGEST_WORDS = 300
"""So many characters of somebody else's words, or of a name, stand in a note."""

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
class Content:
    """What a message holds besides its words."""

    attachments: tuple[Attachment, ...]
    notes: tuple[str, ...]


def content_of(params: Params, account_sid: str) -> Content:
    """The files of a message of that account, and notes of the rest."""
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
    """The path of a file of that account at Twilio, None for the address of anything else."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    found = _MEDIA_PATH.fullmatch(path)
    return path if found is not None and found["account"] == account_sid else None


def file_name(params: Params) -> str | None:
    """The name of the document, which comes in place of words if it has no caption."""
    body = params.get("Body").strip()
    if params.get("MessageType") == "document" and _FILE_NAME.fullmatch(body):
        return body
    return None


def is_place(params: Params) -> bool:
    """Whether the message tells where something is."""
    return all(_DEGREES.fullmatch(params.get(name)) for name in ("Latitude", "Longitude"))


def _media(params: Params) -> Iterator[tuple[str, str]]:
    """The address and the type of each file."""
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
        yield f"(filled in a form: {params.line('FlowData', LONGEST_WORDS)})"
    if description := params.line("ListDescription", LONGEST_WORDS):
        yield f'(chosen from a list: "{description}")'
    if advertised := [each for each in _advertisement(params) if each]:
        yield f'(wrote because of an advertisement: "{": ".join(advertised)}")'


def _advertisement(params: Params) -> Iterator[str]:
    for name in ("ReferralHeadline", "ReferralBody"):
        yield params.line(name, LONGEST_WORDS)


def _place(params: Params) -> str:
    where = f"latitude {params.get('Latitude')}, longitude {params.get('Longitude')}"
    named = [params.line(name, LONGEST_WORDS) for name in ("Label", "Address")]
    names = ", ".join(name for name in named if name)
    return f"(place: {names}; {where})" if names else f"(location: {where})"

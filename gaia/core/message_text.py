"""What the model reads of a message: the sender's words, notes, and a line for each file.

This is what a session keeps; the content of the files is not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from gaia import fence
from gaia.messages import Attachment, AttachmentKind, RepliedTo
from gaia.store.archive import MESSAGE_BREAK
from gaia.store.inbox import Message
from gaia.store.people.speakers import LONGEST_NAME, shown
from gaia.store.redaction import REPLACEMENT
from gaia.store.replies import Earlier
from gaia.text import one_line

MEDIA_TYPE = re.compile(r"[a-zA-Z0-9][\w.+-]{0,80}/[a-zA-Z0-9][\w.+-]{0,80}", re.ASCII)
FORWARDED = "[somebody else] wrote the following"

REPLIED = "the message that this one replies to"
QUOTED = "the part of it that this one quotes"
LONGEST_GIST = 300
"""Characters of what is replied to that stand on one line."""

NOT_FOUND = Earlier("", None)

EMPTY = "[an empty message]"

PLAYED = frozenset(
    {
        AttachmentKind.VOICE,
        AttachmentKind.AUDIO,
        AttachmentKind.VIDEO,
        AttachmentKind.ANIMATION,
    }
)


class Fate(StrEnum):
    """Why the model is not given a file, in the words that it reads."""

    FAILED = "could not be fetched"
    TOO_LARGE = "too large to be fetched"
    EMPTY = "empty"
    UNREADABLE = "of a kind that you cannot open"
    CROWDED = "left out, since there is too much at once"
    REFUSED = "could not be looked at"


def render_messages(
    messages: Sequence[Message], *, in_group: bool, fates: Mapping[Attachment, Fate] | None = None
) -> str:
    """The messages of a turn as one text. `fates` tells of the files that are not there.

    In a group each message begins with its sender's name; its other lines are
    indented, so that nobody can write a line that looks like somebody else's.
    """
    return _joined(messages, [_message(each, fates or {}) for each in messages], in_group)


def with_replied(
    message: Message, earlier: Mapping[str, Earlier], held: Collection[str]
) -> Message:
    """A message with the words of what it replies to: all of them, unless the model reads them
    again anyway in one of the turns `held`. Those that no channel told are looked up among the
    `earlier` messages, and then begin what is told even so."""
    replied_to = message.replied_to
    if replied_to is None:
        return message
    found = earlier.get(replied_to.message_id or "", NOT_FOUND)
    text = replied_to.text or found.text.removeprefix(REPLACEMENT)
    if found.turn_id in held:
        text = "" if replied_to.text else one_line(text, LONGEST_GIST)
    return replace(message, replied_to=replace(replied_to, text=text))


def own_words(messages: Sequence[Message], *, in_group: bool) -> str:
    """What the senders of a turn said themselves, as `render_messages` has it: without notes, files
    and what they forwarded, and with a `MESSAGE_BREAK` between two messages."""
    own = [each for each in messages if each.is_own and each.text.strip()]
    texts = [each.text.replace(MESSAGE_BREAK, " ") for each in own]
    return _joined(own, texts, in_group) if in_group else MESSAGE_BREAK.join(texts)


def is_forgotten(messages: Sequence[Message]) -> bool:
    """Whether nothing is left of what a turn's messages said: it was to be forgotten while they
    waited."""
    return all(each.text == REPLACEMENT for each in messages)


def label(attachment: Attachment) -> str:
    """A file in a few words: `document "report.pdf", application/pdf, 34 kB`."""
    named = f"{attachment.kind}"
    if attachment.file_name:
        named += f" {fence.quoted(attachment.file_name, LONGEST_NAME)}"
    about = [named]
    if attachment.kind is AttachmentKind.DOCUMENT:
        about.append(media_type(attachment))
        if attachment.size_bytes is not None:
            about.append(_size(attachment.size_bytes))
    if attachment.kind in PLAYED and attachment.duration_seconds is not None:
        about.append(_duration(attachment.duration_seconds))
    return ", ".join(about)


def media_type(attachment: Attachment) -> str:
    """The MIME type that the sender's software states, if it is one."""
    return attachment.media_type if MEDIA_TYPE.fullmatch(attachment.media_type) else "unknown type"


def _joined(messages: Sequence[Message], texts: Sequence[str], in_group: bool) -> str:
    if not in_group:
        return "\n".join(texts)
    return "\n".join(
        f"{shown(message.sender_name)}: " + "\n  ".join(text.splitlines())
        for message, text in zip(messages, texts, strict=True)
    )


def _message(message: Message, fates: Mapping[Attachment, Fate]) -> str:
    """Notes first: they say whose the words are that follow."""
    lines = [" ".join(note.split()) for note in message.notes]
    lines += _replied_to(message)
    if message.text.strip():
        lines.append(fence.block(FORWARDED, message.text) if message.is_forwarded else message.text)
    for attachment in message.attachments:
        fate = fates.get(attachment)
        lines.append(f"[{label(attachment)}, {fate}]" if fate else f"[{label(attachment)}]")
    return "\n".join(lines) or EMPTY


def _replied_to(message: Message) -> Iterator[str]:
    """What a message replies to, and no note tells as a whole."""
    replied_to = message.replied_to or RepliedTo()
    told = "\n".join(message.notes)
    for words, whose in ((replied_to.text, REPLIED), (replied_to.quote, QUOTED)):
        line = fence.quoted(words)
        if not words.strip() or (line in told and "\n" not in words.strip()):
            continue
        if len(words) <= LONGEST_GIST and "\n" not in words.strip():
            yield f"({whose}: {line})"
        else:
            yield fence.block(f"[{whose}] says the following", words)


def _size(size_bytes: int) -> str:
    if size_bytes < 1000:
        return f"{size_bytes} bytes"
    kilobytes = round(size_bytes / 1000)
    return f"{kilobytes} kB" if kilobytes < 1000 else f"{size_bytes / 1_000_000:.1f} MB"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

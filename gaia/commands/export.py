"""/export and /page: what gaia remembers of a user, as a file in the chat or in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.commands.registry import Call, Command, Topic
from gaia.core.slash import Reply
from gaia.memory import pending
from gaia.memory.transfer import export
from gaia.memory.transfer.importer import FileFormat
from gaia.memory.transfer.record import Record
from gaia.store.outbox import NewFile
from gaia.text import counted_memories

Takes = Callable[[str, str], bool]
"""Whether the channel of that name takes files of a media type."""

Write = Callable[[str, Sequence[Record]], bytes]
"""Makes a file of somebody's memories, by their name."""

LARGEST_BYTES = 15_000_000
"""WhatsApp takes 16 MB, and Telegram 50."""

ON_THE_MACHINE = "On the machine where I run, `gaia memory export memories.jsonl` writes one."
NO_FILES = f"I can't send files here. {ON_THE_MACHINE}"
NOT_THAT_KIND = (
    f"I can't send that kind of file here: /export alone sends a readable one. {ON_THE_MACHINE}"
)
NO_PAGE = (
    "There is no page for this chat. On the machine where I run, `gaia memory page` opens it; "
    "with web.public_url set, this command sends a link."
)
WHICH = "/export sends a readable file, /export json one for another gaia."


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file that memories can be."""

    file_format: FileFormat
    media_type: str
    ending: str
    write: Write


def export_command(takes: Takes) -> Command:
    """The command. In a chat of a channel that takes no files it says how else."""

    def export(call: Call) -> str | Reply:
        return _export(call, takes)

    return Command.at_once(
        "export", "Get your memories as a file", export, private=True, topic=Topic.MEMORY
    )


def page_command(link: Callable[[Session, str, datetime], str | None]) -> Command:
    """The command; `link` adds a link of the user's, None where no public address leads to the
    page."""

    def page(call: Call) -> str:
        url = link(call.session, call.user_id, call.now)
        if url is None:
            return NO_PAGE
        return f"Your memory: {url}\nThe link works once, for five minutes: pass it on to nobody."

    return Command.at_once(
        "page", "See my memory of you in a browser", page, private=True, topic=Topic.MEMORY
    )


def _export(call: Call, takes: Takes) -> str | Reply:
    kinds = KINDS.get(call.words.casefold())
    if kinds is None:
        return WHICH

    def taken(kinds: Sequence[Kind]) -> Kind | None:
        channel = call.conversation.channel
        return next((each for each in kinds if takes(channel, each.media_type)), None)

    kind = taken(kinds)
    if kind is None:
        return NOT_THAT_KIND if taken(FOR_PEOPLE) else NO_FILES
    user = call.user
    records = export.records(call.session, user.user_id, kind.file_format)
    if not records:
        return _nothing(call)
    content = kind.write(user.name, records)
    if len(content) > LARGEST_BYTES:
        return f"That is {len(content) // 10**6} MB, too much for a chat. {ON_THE_MACHINE}"
    name = f"gaia-{call.now.astimezone():%Y-%m-%d}{kind.ending}"
    told = _told(records, kind, others_too=taken(FOR_GAIA) is not None)
    return Reply(told, file=NewFile(name, kind.media_type, content))


def _nothing(call: Call) -> str:
    unsure = pending.page(call.session, call.user_id, size=1)
    more = (
        f" {unsure.total:,} more are pending: /memory pending lists them." if unsure.total else ""
    )
    more = more or " /remember and some words keep something."
    return f"Your memory is empty: there is nothing to send.{more}"


def _told(records: Sequence[Record], kind: Kind, *, others_too: bool) -> str:
    number = counted_memories(len(records))
    if kind.file_format is FileFormat.JSONL:
        unsure = sum(record.pending for record in records)
        waiting = f", {unsure:,} of them not yet confirmed" if unsure else ""
        return (
            f"Everything that I remember about you: {number}{waiting}. "
            "`gaia memory import` imports it."
        )
    more = " /export json sends every detail, for another gaia." if others_too else ""
    return f"What I remember about you: {number}.{more}"


def _as_text(user_name: str, records: Sequence[Record]) -> bytes:
    lines = export.lines(user_name, records, FileFormat.MARKDOWN)
    return _joined(map(export.printable, lines))


def _as_json_lines(user_name: str, records: Sequence[Record]) -> bytes:
    return _joined(export.lines(user_name, records, FileFormat.JSONL))


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _as_word(user_name: str, records: Sequence[Record]) -> bytes:
    return export.to_word(export.title(user_name), records)


FOR_PEOPLE = (
    Kind(FileFormat.MARKDOWN, "text/plain", ".txt", _as_text),
    Kind(FileFormat.MARKDOWN, export.MEDIA_TYPE, ".docx", _as_word),
)
"""The first that a channel takes is sent. Phones open a text as such by the ending .txt."""

FOR_GAIA = (Kind(FileFormat.JSONL, "application/x-ndjson", ".jsonl", _as_json_lines),)

KINDS = {"": FOR_PEOPLE, "json": FOR_GAIA, "jsonl": FOR_GAIA}
"""The kinds of file by the words after the command."""

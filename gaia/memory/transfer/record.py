"""A memory in a file: as a line of JSON Lines, with all that another gaia needs to know of it,
or in Markdown, a list that people read, and that another gaia takes in.

In Markdown a bullet is a memory, and so is a line of plain text. Lines below a bullet that are
indented belong to it. A heading says what kind the next ones are, if it names one; a comment
at the end of a memory has its date and whether it is hidden. Everything else, such as what it
is about, is only in JSON Lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, time
from typing import Annotated, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
)

from gaia.errors import UnfitMemoryError
from gaia.memory import ledger
from gaia.memory.extraction import Relation
from gaia.memory.memory import Memory, Statement
from gaia.memory.people.entities import entity
from gaia.memory.people.graph import MOST_RELATIONS
from gaia.memory.reminders.recurrence import is_rule
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus

YEARS = range(1000, 9999)
"""Years of a time that a zone cannot push out of the calendar."""

OBEYED = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""What JSON would leave as it is, though it does not print."""

HEADINGS = {kind: f"{kind.capitalize()}s" for kind in MemoryKind}
KINDS = {name.casefold(): kind for kind in MemoryKind for name in (kind, HEADINGS[kind])}

INDENT = "  "
BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,9}[.)])[ \t]+(?P<text>.*)")
HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.*?)[ \t#]*")
NOTHING = re.compile(r"\s*|[ \t]*(?:[-*_][ \t]*){3,}|[ \t]*[-*+•]|<!--.*-->|`{3,}.*")
REMARK = re.compile(r"\s*<!-- (?P<day>\d{4}-\d\d-\d\d)(?P<hidden>, hidden)? -->\s*$")


def _within_calendar(time: datetime) -> datetime:
    if time.year not in YEARS:
        raise ValueError("this is no time of a calendar")
    return time.astimezone(UTC)


Time = Annotated[AwareDatetime, AfterValidator(_within_calendar)]


End = Annotated[str | None, Field(max_length=200)]
"""Whom or what a relation is between, or what it is."""


class Record(BaseModel):
    """A memory on its way out or in. Only `text` is needed; what else a file says is
    left out. `relations` are all that it tells of people and things, such as
    `["Tom", "husband of", "Grace"]`. `source` tells where it came from in the gaia that
    wrote the file, `pending` that it was not sure of it."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    text: str
    kind: MemoryKind = MemoryKind.FACT
    quote: str | None = Field(None, max_length=20_000)
    label: str | None = Field(None, max_length=2_000)
    subject: str | None = Field(None, max_length=200)
    predicate: str | None = Field(None, max_length=200)
    object: str | None = Field(None, max_length=200)
    context: str = Field("global", min_length=1, max_length=32, pattern=r"^[\w.-]+$")
    sensitive: bool = False
    pinned: bool = False
    entities: tuple[str, ...] = Field((), max_length=50)
    relations: tuple[tuple[End, End, End], ...] = Field((), max_length=MOST_RELATIONS)
    source: str | None = None
    said_at: Time | None = None
    expires_at: Time | None = None
    due_at: Time | None = None
    recurrence: str | None = Field(None, max_length=128)
    zone: str | None = Field(None, max_length=64)
    notified_at: Time | None = None
    pending: bool = Field(False, validation_alias=AliasChoices("pending", "held"))
    """Older files say `held`."""

    def to_json(self) -> str:
        """One line, in which nothing is left that a terminal would obey."""
        return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", self.model_dump_json())


Kinded = TypeVar("Kinded", Record, Memory)

COPIED = tuple(
    field.name
    for field in fields(Memory)
    if field.name in Record.model_fields and field.name != "source"
)
"""What a memory, its record and a statement have in common."""


@dataclass(frozen=True, slots=True)
class Item:
    """A memory in a file, and the line that it begins on."""

    line: int
    record: Record


def record_of(
    memory: Memory, entities: Sequence[str], relations: Sequence[Relation] = ()
) -> Record:
    """A memory, what it is about, and all that it tells of people and things, as a record."""
    return Record(
        **{name: getattr(memory, name) for name in COPIED},
        source=memory.source,
        entities=tuple(entities),
        relations=tuple((each.subject, each.predicate, each.object) for each in relations),
        said_at=memory.valid_from,
        pending=memory.status is MemoryStatus.PENDING,
    )


def statement_of(record: Record) -> Statement:
    """What a record would have the ledger remember.

    Raises:
        CredentialError: It looks like a key, a password or a card number.
        UnfitMemoryError: It is empty, or longer than a memory can be.
    """
    ledger.checked(record.text)
    copied = {name: getattr(record, name) for name in COPIED}
    return Statement(
        **copied | {"recurrence": _rule(record)},
        source=MemorySource.IMPORT,
        entities=tuple(filter(None, map(entity, record.entities))),
        relations=tuple(Relation(*each) for each in record.relations),
        said_at=record.said_at,
    )


def _rule(record: Record) -> str | None:
    """The rule of a reminder that recurs, if it is one."""
    if record.recurrence is None or not is_rule(record.recurrence):
        return None
    return record.recurrence


def parse_line(line: str) -> Record:
    """The record that a line of JSON is.

    Raises:
        UnfitMemoryError: It is none; the message says why, without the line's words.
    """
    try:
        return Record.model_validate_json(line)
    except ValidationError as exc:
        causes = [_cause(".".join(map(str, each["loc"])), each["msg"]) for each in exc.errors()]
        raise UnfitMemoryError("; ".join(causes)) from exc


@dataclass(slots=True)
class _OpenItem:
    """The item that is being read. One of `indents` stands before each further line of
    it; without any there can be none."""

    line: int = 0
    kind: MemoryKind = MemoryKind.FACT
    indents: tuple[str, ...] = ()
    text: list[str] = field(default_factory=list)

    def begin(self, line: int, text: str, indents: tuple[str, ...]) -> None:
        self.line, self.text, self.indents = line, [text], indents

    def takes(self, line: str) -> bool:
        """Take a line that belongs to the item, or say that it does not."""
        if not self.indents or (line and not line.startswith(self.indents)):
            return False
        indent = next((each for each in self.indents if line.startswith(each)), "")
        self.text.append(line.removeprefix(indent))
        return True

    def end(self) -> Iterator[Item]:
        """The item, if there is one."""
        record = _record("\n".join(self.text), self.kind)
        if record.text:
            yield Item(self.line, record)
        self.text, self.indents = [], ()


def to_markdown(title: str, records: Sequence[Record]) -> Iterator[str]:
    """The lines of a file that holds these records, by kind, in their order."""
    yield f"# {title}"
    for kind, of_kind in by_kind(records):
        yield from ("", f"## {HEADINGS[kind]}", "")
        for record in of_kind:
            told = remark(record)
            yield from bullet_lines(f"{record.text} <!-- {told} -->" if told else record.text)


def by_kind(given: Sequence[Kinded]) -> Iterator[tuple[MemoryKind, Sequence[Kinded]]]:
    """Memories or records by their kind, as files have them; of each kind in their order."""
    for kind in MemoryKind:
        if of_kind := [each for each in given if each.kind is kind]:
            yield kind, of_kind


def bullet_lines(text: str) -> Iterator[str]:
    """The lines of a memory in Markdown."""
    first, *more = text.split("\n")
    yield f"- {first}"
    yield from (f"{INDENT}{line}" for line in more)


def remark(record: Record) -> str:
    """When it was said, and whether it is hidden; empty where nobody knows when."""
    if record.said_at is None:
        return ""
    day = record.said_at.astimezone().date().isoformat()
    return f"{day}, hidden" if record.sensitive else day


def from_markdown(lines: Iterable[str]) -> Iterator[Item]:
    """The memories in a file of Markdown or plain text."""
    reading = _OpenItem()
    for number, line in enumerate(map(str.rstrip, lines), 1):
        if reading.takes(line):
            continue
        yield from reading.end()
        if heading := HEADING.fullmatch(line):
            reading.kind = KINDS.get(heading["text"].casefold(), MemoryKind.FACT)
        elif not NOTHING.fullmatch(line):
            if bullet := BULLET.fullmatch(line):
                before = bullet["indent"]
                reading.begin(number, bullet["text"], (before + INDENT, before + "\t"))
            else:
                reading.begin(number, line, ())
    yield from reading.end()


def _cause(field: str, message: str) -> str:
    words = message[0].lower() + message[1:]
    return f"{field}: {words}" if field else f"this is no memory in JSON ({words})"


def _record(text: str, kind: MemoryKind) -> Record:
    told = REMARK.search(text)
    day = _day(told["day"]) if told else None
    return Record(
        text=(text[: told.start()] if told else text).strip(),
        kind=kind,
        sensitive=bool(told and told["hidden"]),
        said_at=datetime.combine(day, time(12)).astimezone() if day else None,
    )


def _day(told: str) -> date | None:
    try:
        day = date.fromisoformat(told)
    except ValueError:
        return None
    return day if day.year in YEARS else None

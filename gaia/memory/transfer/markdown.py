"""Memories as Markdown: a list that people read, and that another gaia takes in.

A bullet is a memory, and so is a line of plain text. Lines below a bullet that are
indented belong to it. A heading says what kind the next ones are, if it names one; a
comment at the end of a memory has its date and whether it is hidden. Everything else,
such as what it is about, is only in JSON Lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time

from gaia.memory.transfer.record import YEARS, Record
from gaia.store.memory_tables import MemoryKind

HEADINGS = {kind: f"{kind.capitalize()}s" for kind in MemoryKind}
KINDS = {name.casefold(): kind for kind in MemoryKind for name in (kind, HEADINGS[kind])}

INDENT = "  "
BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,9}[.)])[ \t]+(?P<text>.*)")
HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.*?)[ \t#]*")
NOTHING = re.compile(r"\s*|[ \t]*(?:[-*_][ \t]*){3,}|[ \t]*[-*+•]|<!--.*-->|`{3,}.*")
REMARK = re.compile(r"\s*<!-- (?P<day>\d{4}-\d\d-\d\d)(?P<hidden>, hidden)? -->\s*$")


@dataclass(frozen=True, slots=True)
class Item:
    """A memory in a file, and the line that it begins on."""

    line: int
    record: Record


@dataclass(slots=True)
class _Reading:
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
    for kind in MemoryKind:
        of_kind = [record for record in records if record.kind is kind]
        if of_kind:
            yield from ("", f"## {HEADINGS[kind]}", "")
        for record in of_kind:
            first, *more = f"{record.text}{_remark(record)}".split("\n")
            yield f"- {first}"
            yield from (f"{INDENT}{line}" for line in more)


def from_markdown(lines: Iterable[str]) -> Iterator[Item]:
    """The memories in a file of Markdown or plain text."""
    reading = _Reading()
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


def _remark(record: Record) -> str:
    if record.said_at is None:
        return ""
    day = record.said_at.astimezone().date().isoformat()
    return f" <!-- {day}{', hidden' if record.sensitive else ''} -->"


def _record(text: str, kind: MemoryKind) -> Record:
    remark = REMARK.search(text)
    day = _day(remark["day"]) if remark else None
    return Record(
        text=(text[: remark.start()] if remark else text).strip(),
        kind=kind,
        sensitive=bool(remark and remark["hidden"]),
        said_at=datetime.combine(day, time(12)).astimezone() if day else None,
    )


def _day(told: str) -> date | None:
    try:
        day = date.fromisoformat(told)
    except ValueError:
        return None
    return day if day.year in YEARS else None

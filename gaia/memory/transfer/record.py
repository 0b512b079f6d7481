"""A memory as a line of a JSON Lines file: all that another gaia needs to know of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from gaia.errors import UnfitMemoryError
from gaia.memory import ledger
from gaia.memory.entities import entity
from gaia.memory.memory import Memory, Statement
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus

YEARS = range(1000, 9999)
"""Years of a time that a zone cannot push out of the calendar."""

OBEYED = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""What JSON would leave as it is, though it does not print."""


def _within_calendar(time: datetime) -> datetime:
    if time.year not in YEARS:
        raise ValueError("this is no time of a calendar")
    return time.astimezone(UTC)


Time = Annotated[AwareDatetime, AfterValidator(_within_calendar)]


class Record(BaseModel):
    """A memory on its way out or in. Only `text` is needed; what else a file says is
    left out. `source` tells where it came from in the gaia that wrote the file, `held`
    that it was not sure of it."""

    model_config = ConfigDict(frozen=True)

    text: str
    kind: MemoryKind = MemoryKind.FACT
    quote: str | None = Field(None, max_length=20_000)
    subject: str | None = Field(None, max_length=200)
    predicate: str | None = Field(None, max_length=200)
    object: str | None = Field(None, max_length=200)
    context: str = Field("global", min_length=1, max_length=32, pattern=r"^[\w.-]+$")
    sensitive: bool = False
    entities: tuple[str, ...] = Field((), max_length=50)
    source: str | None = None
    said_at: Time | None = None
    expires_at: Time | None = None
    due_at: Time | None = None
    held: bool = False

    def to_json(self) -> str:
        """One line, in which nothing is left that a terminal would obey."""
        return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", self.model_dump_json())


def record_of(memory: Memory, entities: Sequence[str]) -> Record:
    """A memory, and what it is about, as a record."""
    return Record(
        text=memory.text,
        kind=memory.kind,
        quote=memory.quote,
        subject=memory.subject,
        predicate=memory.predicate,
        object=memory.object,
        context=memory.context,
        sensitive=memory.sensitive,
        entities=tuple(entities),
        source=memory.source,
        said_at=memory.valid_from,
        expires_at=memory.expires_at,
        due_at=memory.due_at,
        held=memory.status is MemoryStatus.HELD,
    )


def statement_of(record: Record) -> Statement:
    """What a record would have the ledger remember.

    Raises:
        CredentialError: It looks like a key, a password or a card number.
        UnfitMemoryError: It is empty, or longer than a memory can be.
    """
    ledger.checked(record.text)
    return Statement(
        text=record.text,
        source=MemorySource.IMPORT,
        kind=record.kind,
        quote=record.quote,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        context=record.context,
        sensitive=record.sensitive,
        entities=tuple(filter(None, map(entity, record.entities))),
        said_at=record.said_at,
        expires_at=record.expires_at,
        due_at=record.due_at,
    )


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


def _cause(field: str, message: str) -> str:
    words = message[0].lower() + message[1:]
    return f"{field}: {words}" if field else f"this is no memory in JSON ({words})"

"""What a user's memories are as a file: which go into it, and its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlalchemy.orm import Session

from gaia.memory import entities, holding, ledger
from gaia.memory.transfer.markdown import to_markdown
from gaia.memory.transfer.record import Record, record_of
from gaia.memory.transfer.taking_in import FileFormat

ALL = 10**9

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def records(session: Session, user_id: str, file_format: FileFormat) -> Sequence[Record]:
    """What counts; where a file holds all of a memory, also what gaia is not sure of.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    about = entities.by_memory(session, user_id)
    found = [*ledger.every(session, user_id, limit=ALL)]
    if file_format is FileFormat.JSONL:
        found += holding.held(session, user_id, size=ALL).memories[::-1]
    return [record_of(each, about.get(each.memory_id, ())) for each in found]


def title(user_name: str) -> str:
    """What stands above memories in a file for people."""
    return f"What gaia remembers of {user_name}"


def lines(user_name: str, given: Sequence[Record], file_format: FileFormat) -> Iterator[str]:
    """The lines of a file."""
    if file_format is FileFormat.JSONL:
        return (record.to_json() for record in given)
    return to_markdown(title(user_name), given)


def printable(text: str) -> str:
    """The text without control characters and what overrides the direction of writing.
    Line breaks and tabs stay."""
    return _CONTROLS.sub("", text)

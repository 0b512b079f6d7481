"""The journal of a digest: which memories it wrote and ended, by their numbers alone.

It is kept with the digest, so that what it did can be undone. A memory that is forgotten
meanwhile is gone for it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from gaia.store.digest_tables import DigestRow


class Deed(StrEnum):
    """What a digest did with a memory: wrote it anew, held or not; had one count that was
    held; ended one; told of the session in an episode."""

    WROTE = "wrote"
    SUPPORTED = "supported"
    ENDED = "ended"
    TOLD = "told"


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done with one memory."""

    deed: Deed
    memory_id: int


def read(session: Session, digest_id: int) -> Sequence[Entry]:
    """What a digest did, in its order; nothing where it has done nothing yet."""
    stored = session.scalar(select(DigestRow.journal).where(DigestRow.digest_id == digest_id))
    return entries(stored or [])


def write(session: Session, digest_id: int, done: Sequence[Entry]) -> None:
    """Keep what a digest did."""
    stored = [{"deed": each.deed, "memory_id": each.memory_id} for each in done]
    session.execute(
        update(DigestRow).where(DigestRow.digest_id == digest_id).values(journal=stored)
    )


def entries(stored: Sequence[dict[str, object]]) -> Sequence[Entry]:
    """The entries that a row holds."""
    return [Entry(Deed(str(each["deed"])), int(str(each["memory_id"]))) for each in stored]

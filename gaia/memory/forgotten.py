"""What was forgotten and is not to be learned again by itself: salted hashes of it.

Texts of the same content terms count as the same, whatever their case, punctuation and
word order. Each function works within the caller's transaction.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from gaia.errors import ForgottenError
from gaia.memory import text
from gaia.memory.memory import Statement
from gaia.memory.owner import owner
from gaia.store.memory_tables import ForgottenRow, MemorySource

SALT_BYTES = 16

LEARNERS = frozenset({MemorySource.TOOL, MemorySource.DIGEST})
"""Who writes memories by themselves, and so might bring back what was forgotten."""


def note(session: Session, user_id: str, texts: Iterable[str], now: datetime) -> None:
    """Note that these texts were forgotten."""
    owner(user_id)
    rows = []
    for each in texts:
        salt = secrets.token_bytes(SALT_BYTES)
        rows.append(
            {
                "user_id": user_id,
                "salt": salt,
                "digest": digest(_said(each), salt),
                "created_at": now,
            }
        )
    if rows:
        session.execute(insert(ForgottenRow), rows)


def check(session: Session, user_id: str, said: Statement) -> None:
    """Return if this may be remembered, and let it be learned again from then on.

    Raises:
        ForgottenError: The user had it forgotten, and has not said it again since.
    """
    for words in filter(None, (said.text, said.quote)):
        if said.source in LEARNERS and is_forgotten(
            session, user_id, words, since=said.said_again_at
        ):
            raise ForgottenError(
                "the user had this forgotten: it is remembered again when they say so themselves"
            )
        _allow(session, user_id, words)


def is_forgotten(
    session: Session, user_id: str, words: str, *, since: datetime | None = None
) -> bool:
    """Whether the user had this forgotten: ever, or at `since` or later."""
    return bool(_traces(session, user_id, words, since))


def says(words: str, statement: str) -> bool:
    """Whether somebody who says `words` says `statement`: all of its content terms."""
    return text.query_terms(statement) <= frozenset(text.terms(words))


def digest(said: bytes, salt: bytes) -> bytes:
    """The salted hash of what `said` stands for."""
    return hashlib.blake2b(said, salt=salt, digest_size=32).digest()


def _allow(session: Session, user_id: str, words: str) -> None:
    traces = _traces(session, user_id, words, None)
    if traces:
        session.execute(delete(ForgottenRow).where(ForgottenRow.forgotten_id.in_(traces)))


def _traces(session: Session, user_id: str, words: str, since: datetime | None) -> Sequence[int]:
    query = select(ForgottenRow.forgotten_id, ForgottenRow.salt, ForgottenRow.digest).where(
        ForgottenRow.user_id == owner(user_id)
    )
    if since is not None:
        query = query.where(ForgottenRow.created_at >= since)
    said = _said(words)
    return [number for number, salt, known in session.execute(query) if digest(said, salt) == known]


def _said(words: str) -> bytes:
    """The same for texts that say the same in other order, case or punctuation."""
    return "\n".join(sorted(text.query_terms(words)) or [text.normalise(words)]).encode()

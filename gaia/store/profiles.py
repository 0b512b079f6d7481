"""Profiles: what a user's sessions begin with, kept until something of it changes.

Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete
from sqlalchemy.orm import Session

from gaia.store.digest_tables import ProfileRow


@dataclass(frozen=True, slots=True)
class Bullet:
    """A line of a profile, and the numbers of the memories that it is made of."""

    text: str
    memory_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile. What the fields mean is told at `ProfileRow`."""

    bullets: Sequence[Bullet]
    distilled: bool
    input_hash: str


def get(session: Session, user_id: str) -> Profile | None:
    """A user's profile, if there is one."""
    row = session.get(ProfileRow, user_id)
    if row is None:
        return None
    bullets = [Bullet(each["text"], tuple(each["of"])) for each in row.bullets]
    return Profile(bullets, row.distilled, row.input_hash)


def put(session: Session, user_id: str, profile: Profile, now: datetime) -> None:
    """Keep a profile in the place of the one before."""
    session.merge(
        ProfileRow(
            user_id=user_id,
            bullets=[{"text": each.text, "of": list(each.memory_ids)} for each in profile.bullets],
            distilled=profile.distilled,
            input_hash=profile.input_hash,
            updated_at=now,
        )
    )
    session.flush()


def drop(session: Session, user_id: str) -> None:
    """Delete a user's profile: something that it may tell holds no longer."""
    session.execute(delete(ProfileRow).where(ProfileRow.user_id == user_id))

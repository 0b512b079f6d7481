"""Strangers: how often an address was told that it is nobody's, and tries codes.

Rows live for about an hour. Each function works within the caller's transaction.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.store.people.pairing_tables import StrangerRow

WINDOW = timedelta(hours=1)
"""A stranger is told once in this time, and attempts count for as long."""

ATTEMPTS = 5
"""So many codes an address may try within the time."""


def may_be_told(session: Session, address: Address, now: datetime) -> bool:
    """Whether the last time that the address was told is long enough ago."""
    row = _row(session, address)
    return row is None or row.told_at is None or not _is_recent(row.told_at, now)


def mark_told(session: Session, address: Address, now: datetime) -> None:
    """Say that the address is told now."""
    row = _row(session, address) or _add(session, address, now)
    row.told_at = now


def may_try(session: Session, address: Address, now: datetime) -> bool:
    """Count a code that the address tries; False, and not counted, when it is one too many.
    That does not depend on what others try."""
    row = _row(session, address) or _add(session, address, now)
    if not _is_recent(row.attempts_since, now):
        row.attempts, row.attempts_since = 0, now
    if row.attempts >= ATTEMPTS:
        return False
    row.attempts += 1
    return True


def told_on(session: Session, channel: str, now: datetime) -> int:
    """How many strangers of a channel were told within the hour."""
    told = select(func.count()).where(
        StrangerRow.channel == channel,
        StrangerRow.told_at > now - WINDOW,
        StrangerRow.told_at <= now,
    )
    return session.scalar(told) or 0


def attempts_on(session: Session, channel: str, now: datetime) -> int:
    """How many codes all strangers of a channel tried within the hour."""
    return (
        session.scalar(
            select(func.sum(StrangerRow.attempts)).where(
                StrangerRow.channel == channel,
                StrangerRow.attempts_since > now - WINDOW,
                StrangerRow.attempts_since <= now,
            )
        )
        or 0
    )


def forget(session: Session, address: Address) -> None:
    """Remove the row of an address that is a user's now."""
    session.execute(
        delete(StrangerRow).where(
            StrangerRow.channel == address.channel, StrangerRow.sender == address.sender
        )
    )


def sweep(session: Session, now: datetime) -> None:
    """Remove what is no longer valid."""
    horizon = now - WINDOW
    session.execute(
        delete(StrangerRow).where(
            or_(StrangerRow.told_at.is_(None), StrangerRow.told_at <= horizon),
            StrangerRow.attempts_since <= horizon,
        )
    )


def _is_recent(then: datetime, now: datetime) -> bool:
    """A time that is yet to come is none of a clock that was set back since."""
    return now - WINDOW < then <= now


def _row(session: Session, address: Address) -> StrangerRow | None:
    return session.get(StrangerRow, (address.channel, address.sender))


def _add(session: Session, address: Address, now: datetime) -> StrangerRow:
    row = StrangerRow(
        channel=address.channel, sender=address.sender, attempts=0, attempts_since=now
    )
    session.add(row)
    return row

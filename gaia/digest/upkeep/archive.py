"""What is archived each night: what faded, and the rules beyond the most that are kept.

Neither takes what the user wrote, confirmed or pinned.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import Session

from gaia.memory.confidence import Decay, last_use
from gaia.memory.owner import owner
from gaia.memory.profile import material, plain_profile
from gaia.settings.schema import MemorySettings
from gaia.store import profiles, usage
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus
from gaia.store.upkeep_tables import MemoryUseRow

KINDS = (MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.NOTE)
"""What fades. Rules have their own bound, reminders their time, and episodes are a diary."""

A_DAY_OF_TALK = timedelta(days=7)
"""So much time may count for a day on which the user talked."""


def faded(session: Session, user_id: str, now: datetime, memory: MemorySettings) -> Sequence[int]:
    """The numbers of the memories that gaia learned by itself and that were of no use for so
    long that their confidence is below `archive_below`.

    While the user is away, nothing can be of use: no more time counts than a week for each
    day on which they talked. A sensitive memory goes to no model unasked, and so has no use
    that is counted: it stays, as does what is in the profile, which each conversation
    begins with.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    settings, talked = memory.upkeep, usage.days(session, owner(user_id), usage.TURN)
    told = _in_profile(session, user_id, now, memory.preload_limit if memory.preload else 0)
    decay = Decay(settings.use_gain, settings.decay_days)
    inferred = _with_uses(user_id).where(
        MemoryRow.source == MemorySource.DIGEST,
        MemoryRow.support == 1,
        MemoryRow.pinned.is_(False),
        MemoryRow.sensitive.is_(False),
        MemoryRow.kind.in_(KINDS),
    )

    def is_over(row: Row[int, str, str, bool, int, datetime, int, datetime]) -> bool:
        since = last_use(row)
        days = len(talked) - bisect_left(talked, since.astimezone().date())
        counted = min(now, since + A_DAY_OF_TALK * days)
        return decay.confidence(row, counted) < settings.archive_below

    found = session.execute(inferred.order_by(MemoryRow.memory_id))
    return [row.memory_id for row in found if row.memory_id not in told and is_over(row)]


def rules_beyond(
    session: Session, user_id: str, now: datetime, memory: MemorySettings
) -> Sequence[int]:
    """The numbers of the rules that are more than `most_rules` of a context: the least used,
    of those what was said once, and then the oldest.

    Raises:
        MissingOwnerError: `user_id` is empty.
    """
    rules = _with_uses(owner(user_id)).where(MemoryRow.kind == MemoryKind.RULE)
    beyond: list[int] = []
    for _, of_context in groupby(
        session.execute(rules.order_by(MemoryRow.context, MemoryRow.memory_id)),
        key=lambda row: row.context,
    ):
        found = list(of_context)
        may_go = [each for each in found if not each.pinned and each.source != MemorySource.USER]
        may_go.sort(key=lambda row: (row.uses or 0, row.support, row.updated_at, row.memory_id))
        surplus = max(0, len(found) - memory.upkeep.most_rules)
        beyond += [row.memory_id for row in may_go[:surplus]]
    return beyond


def _in_profile(session: Session, user_id: str, now: datetime, limit: int) -> Collection[int]:
    """The memories of the profile, or of the one that a conversation would begin with now."""
    profile = profiles.get(session, user_id)
    if profile is None:
        profile = plain_profile(material(session, user_id, now), limit)
    return {number for each in profile.bullets[:limit] for number in each.memory_ids}


def _with_uses(user_id: str) -> Select[int, str, str, bool, int, datetime, int, datetime]:
    return (
        select(
            MemoryRow.memory_id,
            MemoryRow.context,
            MemoryRow.source,
            MemoryRow.pinned,
            MemoryRow.support,
            MemoryRow.updated_at,
            MemoryUseRow.uses,
            MemoryUseRow.last_used_at,
        )
        .select_from(MemoryRow)
        .outerjoin(MemoryUseRow, MemoryUseRow.memory_id == MemoryRow.memory_id)
        .where(MemoryRow.user_id == user_id, MemoryRow.status == MemoryStatus.ACTIVE)
    )

"""Preload: what a turn is told of its user's memory, whatever they say: the prefix, which
stands at the beginning of each request, and the reminders that are due.

The prefix is made from the database, so that nothing stays in it that was forgotten; and it
says the same for as long as rules, profile and last episode do, so that what a provider has
read of it lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from gaia.lru import LruCache
from gaia.memory import credentials, shared
from gaia.memory.contexts import GLOBAL
from gaia.memory.episodes import last_episode, recent_episodes, summary
from gaia.memory.memory import COLUMNS, Memory, memory_of
from gaia.memory.owner import owner
from gaia.memory.profile import material, offered, plain_profile
from gaia.memory.reminders.reminders import OVERDUE
from gaia.memory.search.recall import excerpt, text_tokens
from gaia.ports import Clock
from gaia.settings.schema import MemorySettings
from gaia.store import profiles, tool_failures
from gaia.store.memory_tables import MemoryKind, MemoryRow, MemorySource, MemoryStatus
from gaia.store.profiles import Profile
from gaia.store.tool_failures import ToolFailure

MOST_RULES = 20
"""Rules that are followed at once, at most, unless the settings say otherwise."""

RULES_SHARE = 0.6
"""The part of the room that rules may take."""

MOST_SHARED = 20
SHARED_SHARE = 0.2
"""The part of the room that shared notes may take."""

TOKENS = 1500
"""About how many tokens a prefix has, at most."""

SMALL_TOKENS = 300
"""The same for a model that reads slowly."""

SMALL_AHEAD = timedelta(days=1)
"""How long before it is due a model that reads slowly is told of a reminder."""

MOST_REMINDERS = 5

MOST_KEPT = 100
"""Users whose preload is kept in memory: those who talked last."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """What a session begins with. `episode` is the abstract of the last conversation,
    empty where there was none, `talked_at` when it was. `has_profile` says that the
    bullets are those of a profile that is kept, and not made for the moment."""

    rules: Sequence[str] = ()
    bullets: Sequence[str] = ()
    episode: str = ""
    talked_at: datetime | None = None
    has_profile: bool = False
    shared: Sequence[str] = ()

    @property
    def texts(self) -> Sequence[str]:
        """All that it says."""
        return [*self.rules, *self.shared, *self.bullets, *([self.episode] if self.episode else [])]


@dataclass(frozen=True, slots=True)
class Room:
    """How much a prefix may say: `bullets` of a profile at most, none of it and no episode
    where that is 0, and about `tokens` in all; how far `ahead` reminders are told, and how many
    `rules`."""

    bullets: int
    tokens: int = TOKENS
    ahead: timedelta = timedelta(days=7)
    rules: int = MOST_RULES


def room(settings: MemorySettings, *, small: bool) -> Room:
    """How much a prefix may say, by the settings; `small` is a model that reads slowly."""
    bullets = settings.preload_limit if settings.preload else 0
    if small:
        return Room(bullets, SMALL_TOKENS, SMALL_AHEAD, settings.upkeep.most_rules)
    ahead = timedelta(days=settings.reminder_days)
    return Room(bullets, TOKENS, ahead, settings.upkeep.most_rules)


def prefix(
    session: Session, user_id: str, now: datetime, within: Room, context: str = GLOBAL
) -> Prefix:
    """The user's prefix as it is now, in a context."""
    owner(user_id)
    followed = rules(session, user_id, now, within, context)
    said = [excerpt(each.told) for each in followed][::-1]
    known_to_all = _shared(session, user_id, now, within)
    if not within.bullets:
        return Prefix(said, shared=known_to_all)
    episode = last_episode(session, user_id, now, context)
    told = "" if episode is None else summary(session, episode)
    profile = profiles.get(session, user_id)
    bullets = _bullets(session, user_id, now, profile, within.bullets, context)
    left = within.tokens - sum(map(text_tokens, [*said, *known_to_all, told]))
    return Prefix(
        rules=said,
        shared=known_to_all,
        bullets=_fitting(bullets, left),
        episode=told,
        talked_at=None if episode is None else episode.valid_from,
        has_profile=profile is not None,
    )


def rules(
    session: Session, user_id: str, now: datetime, within: Room, context: str = GLOBAL
) -> Sequence[Memory]:
    """The rules that are followed: pinned ones first, then the user's own, then the newest, as
    many as there is room for."""
    found = session.execute(
        select(*COLUMNS)
        .where(*offered(owner(user_id), now, MemoryKind.RULE, context=context))
        .order_by(
            MemoryRow.pinned.desc(),
            (MemoryRow.source == MemorySource.USER).desc(),
            MemoryRow.memory_id.desc(),
        )
        .limit(within.rules)
    )
    all_of_them = [each for each in map(memory_of, found) if credentials.find(each.told) is None]
    texts = [excerpt(each.told) for each in all_of_them]
    return all_of_them[: len(_fitting(texts, within.tokens * RULES_SHARE))]


def next_change(session: Session, user_id: str, now: datetime, ahead: timedelta) -> datetime:
    """When the time alone next changes what the user is told, reminders among it."""
    expires, comes, goes = session.execute(
        select(
            func.min(case((MemoryRow.expires_at > now, MemoryRow.expires_at))),
            func.min(case((MemoryRow.due_at > now + ahead, MemoryRow.due_at))),
            func.min(case((MemoryRow.due_at >= now - OVERDUE, MemoryRow.due_at))),
        ).where(MemoryRow.user_id == user_id, MemoryRow.status == MemoryStatus.ACTIVE)
    ).one()
    changes: list[datetime] = [] if expires is None else [expires]
    changes += [] if comes is None else [comes - ahead]
    changes += [] if goes is None else [goes + OVERDUE + timedelta(microseconds=1)]
    # Nothing is told for longer than a day without a look at it.
    return min([now + timedelta(days=1), *changes])


def due_reminders(
    session: Session, user_id: str, now: datetime, ahead: timedelta, context: str = GLOBAL
) -> Sequence[Memory]:
    """The user's reminders that are due soon or were lately, the first to be due first."""
    found = session.scalars(
        select(MemoryRow)
        .where(
            *offered(owner(user_id), now, MemoryKind.REMINDER, context=context),
            MemoryRow.due_at >= now - OVERDUE,
            MemoryRow.due_at <= now + ahead,
        )
        .order_by(MemoryRow.due_at, MemoryRow.memory_id)
        .limit(MOST_REMINDERS)
    )
    return [memory_of(row) for row in found if credentials.find(row.text) is None]


@dataclass(frozen=True, slots=True)
class Preloaded:
    """What a turn is told: the prefix of its session, and what is due. `recent` are the
    conversations of the last days, of which it is told where there is room, `failing` the
    tools that do not work."""

    prefix: Prefix
    due: Sequence[Memory] = ()
    recent: Sequence[Memory] = ()
    failing: Sequence[ToolFailure] = ()


NOTHING = Preloaded(Prefix())


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was read under a version of the user's memory, and when time changes it."""

    memory_version: int
    until: datetime
    preloaded: Preloaded


class Preload:
    """Reads what turns are told. `outdated` is called with the user whose profile is to be
    looked at: there is none, or a session begins.

    What was read is kept for as long as nothing of the user's memory changes, by whomever:
    gaia.db counts the changes.
    """

    def __init__(self, clock: Clock, room: Room, outdated: Callable[[str], None]) -> None:
        self._clock = clock
        self._room = room
        self._outdated = outdated
        self._kept = LruCache[tuple[str, str], _Kept](MOST_KEPT)

    def read(
        self, session: Session, user_id: str, memory_version: int, context: str = GLOBAL
    ) -> Preloaded:
        """What is told now in a context, under that version of the user's memory."""
        now = self._clock.now()
        kept = self._kept.get((user_id, context))
        if kept is None or kept.memory_version != memory_version or now >= kept.until:
            ahead = self._room.ahead
            preloaded = Preloaded(
                prefix(session, user_id, now, self._room, context),
                due_reminders(session, user_id, now, ahead, context),
                recent_episodes(session, user_id, now, context) if self._room.bullets else (),
                tool_failures.listed(session, user_id),
            )
            kept = _Kept(memory_version, next_change(session, user_id, now, ahead), preloaded)
            self._kept.put((user_id, context), kept)
        return kept.preloaded

    def note_use(self, user_id: str, preloaded: Preloaded, *, begins: bool) -> None:
        """Say that a turn is told that; `begins` says that it is a session's first."""
        if self._room.bullets and (begins or not preloaded.prefix.has_profile):
            self._outdated(user_id)

    def clear(self) -> None:
        """Keep nothing: some of it may have been forgotten."""
        self._kept.clear()


def _shared(session: Session, user_id: str, now: datetime, within: Room) -> Sequence[str]:
    """The notes that owners share with the user, the newest as far as there is room."""
    found = shared.notes(session, user_id, now, limit=MOST_SHARED)
    return _fitting([excerpt(each.text) for each in found], within.tokens * SHARED_SHARE)


def _bullets(
    session: Session,
    user_id: str,
    now: datetime,
    profile: Profile | None,
    limit: int,
    context: str,
) -> Sequence[str]:
    """What belongs to the context alone, the newest first, up to half of it all; then those of
    the profile's bullets of which every memory still counts, and without a profile the
    memories themselves."""
    own: Sequence[str] = ()
    if context != GLOBAL:
        found = material(session, user_id, now, context)
        own = [each.text for each in plain_profile(found, -(-limit // 2)).bullets]
    return [*own, *_global_bullets(session, user_id, now, profile, limit - len(own))]


def _global_bullets(
    session: Session, user_id: str, now: datetime, profile: Profile | None, limit: int
) -> Sequence[str]:
    if profile is None:
        profile = plain_profile(material(session, user_id, now), limit)
        return [each.text for each in profile.bullets]
    told_of = {number for each in profile.bullets for number in each.memory_ids}
    counting = session.scalars(
        select(MemoryRow.memory_id).where(MemoryRow.memory_id.in_(told_of), *offered(user_id, now))
    )
    known = set(counting)
    return [each.text for each in profile.bullets if known.issuperset(each.memory_ids)][:limit]


def _fitting(texts: Sequence[str], room: float) -> list[str]:
    """The first of the texts, as many as there is room for."""
    fitting: list[str] = []
    for text in texts:
        room -= text_tokens(text)
        if room < 0:
            break
        fitting.append(text)
    return fitting

"""The tools on long-term memory. Whose memory it is, ADK's context says, never the model.

Nothing is forgotten by a tool: it asks, and the person answers. In a turn in which somebody
else's words may lead the model, or on a number alone, a tool only proposes: what it would keep
is pending, and `gaia.core.proposals` asks at the end of the turn.

Their docstrings are part of each request: a small model reads every word of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Concatenate, ParamSpec, TypeVar

from google.adk.tools.tool_context import ToolContext
from sqlalchemy.orm import Session

from gaia.agent.prompt import dated
from gaia.agent.tools import Tool
from gaia.agent.tools.context import (
    FAULTS,
    Told,
    context_and_zone,
    context_of,
    failed,
    others_may_lead,
    turn_of,
)
from gaia.errors import UnfitMemoryError, UnknownMemoryError
from gaia.memory import credentials, forget, forgotten, ledger, pending, shared, when
from gaia.memory.contexts import visible
from gaia.memory.excerpts import around, one_line
from gaia.memory.memory import Added, Memory, Statement
from gaia.memory.owner import owner
from gaia.memory.people import entities
from gaia.memory.people.entities import entity
from gaia.memory.search.recall import Finder
from gaia.memory.text import content_terms, terms
from gaia.ports import Clock
from gaia.store import inbox
from gaia.store.engine import Database
from gaia.store.inbox import TurnWords
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.store.people import identities
from gaia.text import number_in

LONGEST_QUOTE = 1000
"""Characters of the user's words that are kept beside a memory."""

NUMBER = re.compile(r"^(?:kept as )?#(\d{1,18})\b", re.MULTILINE)
"""A memory's number, where the tools tell one: not one within a memory's words."""

NOBODY = frozenset({"", "none", "null"})
"""Names that a small model gives where it has none."""

ASKS = "the user is asked whether to {what}: nothing has changed, and nothing does before their yes"
IS_REMINDER = "#{number} is a reminder, which keeps its time: set another one with remind"
IS_RULE = "#{number} is a rule of the user's, which only they change"


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of a user's memory, in the transaction `session`, within a context."""

    session: Session
    user_id: str
    context: str
    turn_id: str
    said: TurnWords | None
    now: datetime
    others_may_lead: bool


P = ParamSpec("P")
T = TypeVar("T")


class MemoryTools:
    """Keeps, finds, changes and forgets memories. `changed` is called after each commit."""

    def __init__(
        self,
        database: Database,
        finder: Finder,
        clock: Clock,
        *,
        limit: int,
        changed: Callable[[], None],
    ) -> None:
        self._database = database
        self._finder = finder
        self._clock = clock
        self._limit = limit
        self._changed = changed

    @property
    def all(self) -> Sequence[Tool]:
        """The tools."""
        return (self.remember, self.load_memory, self.update_memory, self.forget_memory)

    async def remember(self, fact: str, tool_context: ToolContext, about: str = "") -> Told:
        """Keep a lasting fact or wish of the user.

        Args:
            fact: One sentence.
            about: Name, as person:sarah_chen.
        """
        try:
            added = await self._change(tool_context, _remember, fact, about)
        except FAULTS as exc:
            return _failed(exc)
        if _is_pending(added.memory):
            return {"result": ASKS.format(what="keep that")}
        known = "" if added.is_new else ", which was known already"
        return {"result": f"kept as #{added.memory.memory_id}{known}"}

    async def load_memory(self, query: str, tool_context: ToolContext) -> Told:
        """Search what you know of the user from earlier.

        Args:
            query: Words to look for.
        """
        try:
            user_id, turn_id = owner(tool_context.user_id), turn_of(tool_context)
            context, zone = await self._database.read(context_and_zone, user_id, turn_id)
            found = await self._finder.find(
                user_id, _sentence(query), limit=self._limit, context=context
            )
            notes = await self._database.read(shared.matching, user_id, query, self._clock.now())
        except FAULTS as exc:
            return _failed(exc)
        told = [each for each in found if credentials.find(each.told) is None]
        told += [each for each in notes if each not in found]
        now = self._clock.now()
        lines = [
            f"#{each.memory_id} ({dated(each, now, zone)}) {one_line(each.told)}" for each in told
        ]
        return {"result": "\n".join(lines) or "nothing is known of that"}

    async def update_memory(self, memory_id: int, fact: str, tool_context: ToolContext) -> Told:
        """Put a new fact in the place of one that changed.

        Args:
            memory_id: Its number.
            fact: The new sentence.
        """
        try:
            old, added = await self._change(tool_context, _update, tool_context, memory_id, fact)
        except FAULTS as exc:
            return _failed(exc)
        new_id = added.memory.memory_id
        if _is_pending(added.memory):
            return {"result": ASKS.format(what=f"put that in the place of #{old.memory_id}")}
        place = "" if new_id == old.memory_id else f", in the place of #{old.memory_id}"
        return {"result": f"kept as #{new_id}{place}"}

    async def forget_memory(self, memory_id: int, tool_context: ToolContext) -> Told:
        """Ask the user whether a fact is to be deleted for good.

        Args:
            memory_id: Its number.
        """
        try:
            old = await self._change(tool_context, _forget, tool_context, memory_id)
        except FAULTS as exc:
            return _failed(exc)
        return {"result": ASKS.format(what=f"forget #{old.memory_id}")}

    async def _change(
        self,
        tool_context: ToolContext,
        change: Callable[Concatenate[_Change, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """What `change` comes to in a transaction for the user of the turn, unless they were
        removed meanwhile."""
        user_id = owner(tool_context.user_id)
        turn_id = turn_of(tool_context)

        def transaction(session: Session) -> T:
            identities.find(session, user_id)
            said = inbox.words_of_turn(session, turn_id)
            may_lead = others_may_lead(session, tool_context, turn_id)
            context = context_of(session, turn_id, writes=True)
            now = self._clock.now()
            present = _Change(session, user_id, context, turn_id, said, now, may_lead)
            return change(present, *args, **kwargs)

        changed = await self._database.write(transaction)
        self._changed()
        return changed


def _remember(change: _Change, fact: object, about: object) -> Added:
    keep = pending.propose if change.others_may_lead else ledger.add
    return keep(change.session, change.user_id, _statement(change, fact, about), change.now)


def _update(
    change: _Change, tool_context: ToolContext, told: object, fact: object
) -> tuple[Memory, Added]:
    old = _meant(change, tool_context, told)
    if old.kind is MemoryKind.RULE:
        raise UnfitMemoryError(IS_RULE.format(number=old.memory_id))
    newer = _newer(change, old, fact)
    session, user_id, now = change.session, change.user_id, change.now
    if change.others_may_lead or not _is_spoken_of(change, old):
        added = pending.propose(session, user_id, newer, now, in_place_of=old.memory_id)
        return (old if added.is_new else added.memory), added
    return old, ledger.supersede(session, user_id, old.memory_id, newer, now)


def _forget(change: _Change, tool_context: ToolContext, told: object) -> Memory:
    old = _meant(change, tool_context, told)
    forget.ask(
        change.session,
        change.user_id,
        memory_ids=[old.memory_id],
        turn_id=change.turn_id,
        now=change.now,
    )
    return old


def _is_pending(memory: Memory) -> bool:
    return memory.status is MemoryStatus.PENDING


def _statement(change: _Change, fact: object, about: object) -> Statement:
    text = _sentence(fact)
    name = entity(about) if isinstance(about, str) else ""
    said = change.said
    quote = around(said.text, terms(text).keys(), LONGEST_QUOTE) if said else ""
    return Statement(
        text=text,
        source=MemorySource.TOOL,
        context=change.context,
        # Beside a harmless fact they may tell a password.
        quote=quote if quote and credentials.find(quote) is None else None,
        entities=(name,) if name not in NOBODY else (),
        turn_id=change.turn_id or None,
        said_again_at=said.received_at if said and forgotten.says(said.text, text) else None,
    )


def _newer(change: _Change, old: Memory, fact: object) -> Statement:
    """The statement in the place of `old`: of the same kind, about what it still names, and a
    reminder for the same time."""
    newer = _statement(change, fact, "")
    if old.kind is MemoryKind.REMINDER:
        if _times_in(newer.text, change.now) - _times_in(old.text, change.now):
            raise UnfitMemoryError(IS_REMINDER.format(number=old.memory_id))
        newer = replace(
            newer,
            due_at=old.due_at,
            recurrence=old.recurrence,
            zone=old.zone,
            notified_at=old.notified_at,
            expires_at=old.expires_at,
        )
    about = entities.of_memory(change.session, change.user_id, old.memory_id)
    return replace(
        newer,
        kind=old.kind,
        context=old.context,
        subject=old.subject,
        entities=tuple(entities.still_named(about, newer.text)),
    )


def _times_in(text: str, now: datetime) -> frozenset[str]:
    """The words of a reminder that name a time."""
    found = when.find(text, now, UTC, ahead=True)
    return frozenset(" ".join(each.phrase.casefold().split()) for each in found)


def _meant(change: _Change, tool_context: ToolContext, told: object) -> Memory:
    """The user's memory that the model means, unless it seems to guess.

    It knows a number from a tool's result in this conversation, or from what was
    recalled: then the memory has a word in common with what the user says now. What
    this turn has put in its place, perhaps before a crash, is meant as well.
    """
    number = _number(told)
    memory = ledger.get(change.session, change.user_id, number)
    if memory.context not in visible(change.context):
        raise UnknownMemoryError(f"the memory {number} belongs to another context")
    if not _is_spoken_of(change, memory) and number not in _numbers_told(tool_context):
        raise UnknownMemoryError(f"nobody spoke of the memory {number}")
    if memory.superseded_by is not None:
        heir = ledger.get(change.session, change.user_id, memory.superseded_by)
        memory = heir if heir.turn_id == change.turn_id else memory
    return memory


def _is_spoken_of(change: _Change, memory: Memory) -> bool:
    """Whether what the user says now has a word in common with a memory: its number alone
    licenses nothing."""
    words = change.said.text if change.said else ""
    return not content_terms(words).isdisjoint(content_terms(memory.text))


def _numbers_told(tool_context: ToolContext) -> frozenset[int]:
    """The numbers in what the memory tools answered in this conversation."""
    return frozenset(
        int(number)
        for event in tool_context.session.events
        for response in event.get_function_responses()
        for number in NUMBER.findall(str((response.response or {}).get("result", "")))
    )


def _sentence(told: object) -> str:
    """What the model gives as words. Small ones give `null`, too, or a list."""
    if not isinstance(told, str):
        raise UnfitMemoryError(f"{type(told).__name__!r} is no sentence: give words")
    return told


def _number(told: object) -> int:
    """A memory's number, which models write as `12`, `"12"` or `"#12"`."""
    number = number_in(str(told).strip())
    if number is None:
        raise UnknownMemoryError(f"{told!r} is not the number of a memory")
    return number


def _failed(exc: Exception) -> Told:
    if isinstance(exc, UnknownMemoryError):
        return {"error": "no such number, or no longer: look for the memory with load_memory"}
    return failed(exc, "the memory does not work")

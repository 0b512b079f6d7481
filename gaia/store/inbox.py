"""The inbox: every accepted message from its receipt to its end.

A conversation's messages are taken in order by its one worker, and none before
the slash commands that came earlier are done. A row found `running` or
`stopping` by that worker is its own unfinished business, left by a crash or by
a store that failed: it is taken again under the same turn id.
Each function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Select, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from gaia.messages import Inbound
from gaia.store.conversations import Conversation
from gaia.store.tables import ConversationRow, InboxRow, InboxState

BURST_MESSAGES = 50
"""A turn takes at most this many messages of a burst."""

BURST_SETTLES = 10
"""A burst is cut after this many settle times, for people who never pause."""

BEGUN = (InboxState.RUNNING, InboxState.STOPPING)
UNFINISHED = (InboxState.QUEUED, *BEGUN)


@dataclass(frozen=True, slots=True)
class Batch:
    """The messages of one turn, oldest first. `inbox_id` is the first one's.

    `stopped` says that the user stopped it and that it did not come to its end.
    `starts` counts this run of it, `failures` earlier runs that failed: the
    other earlier runs were interrupted.
    """

    turn_id: str
    inbox_id: int
    conversation_id: int
    generation: int
    provider_message_ids: tuple[str, ...]
    texts: tuple[str, ...]
    sent_at: datetime
    wants_preview: bool
    stopped: bool
    starts: int
    failures: int

    @property
    def text(self) -> str:
        """What the user said: the messages of a burst as one text."""
        return "\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class Answered:
    """The messages of a turn; `in_vain` says that they came to no answer."""

    provider_message_ids: tuple[str, ...] = ()
    in_vain: bool = False


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in the inbox. `oldest` is when the longest waiting message came."""

    queued: int
    running: int
    dead: int
    oldest: datetime | None


async def record(
    session: AsyncSession,
    inbound: Inbound,
    conversation: Conversation,
    *,
    is_command: bool,
    now: datetime,
) -> None:
    """Add a message that `is_recorded` does not know yet."""
    session.add(
        InboxRow(
            channel=inbound.address.channel,
            provider_message_id=inbound.provider_message_id,
            conversation_id=conversation.conversation_id,
            generation=conversation.generation,
            text=inbound.text,
            is_command=is_command,
            wants_preview=inbound.wants_preview,
            sent_at=inbound.sent_at,
            received_at=now,
            state=InboxState.QUEUED,
            starts=0,
            failures=0,
        )
    )


async def is_recorded(session: AsyncSession, channel: str, provider_message_id: str) -> bool:
    """Whether the channel delivered this message before."""
    return bool(
        await session.scalar(
            select(
                exists().where(
                    InboxRow.channel == channel,
                    InboxRow.provider_message_id == provider_message_id,
                )
            )
        )
    )


async def ready_after(
    session: AsyncSession, conversation_id: int, *, settle: timedelta, now: datetime
) -> timedelta | None:
    """How long until the next turn may begin: zero for now, None when nothing waits."""
    rows = await _next_rows(session, conversation_id, settle)
    if not rows:
        return None
    first, last = rows[0], rows[-1]
    if first.not_before is not None and first.not_before > now:
        return first.not_before - now
    clock_was_set_back = last.received_at > now
    if first.turn_id is not None or len(rows) == BURST_MESSAGES or clock_was_set_back:
        return timedelta(0)
    settled_at = min(last.received_at + settle, first.received_at + BURST_SETTLES * settle)
    return max(settled_at - now, timedelta(0))


async def take(
    session: AsyncSession, conversation_id: int, *, turn_id: str, settle: timedelta
) -> Batch | None:
    """Mark the messages of the next turn as running and return them.

    They keep the turn id of an earlier run; `turn_id` is for a first run.
    """
    rows = await _next_rows(session, conversation_id, settle)
    return _start(rows, turn_id) if rows else None


async def take_command(
    session: AsyncSession, conversation_id: int, *, turn_id: str
) -> Batch | None:
    """Mark the next slash command as running and return it."""
    row = await session.scalar(_unfinished(conversation_id, is_command=True).limit(1))
    return None if row is None else _start([row], turn_id)


async def finish(session: AsyncSession, turn_id: str, state: InboxState, now: datetime) -> None:
    """Bring the messages of a turn to an end."""
    await session.execute(
        update(InboxRow)
        .where(InboxRow.turn_id == turn_id)
        .values(state=state, finished_at=now, not_before=None)
    )


async def mark_stopping(session: AsyncSession, conversation_id: int) -> None:
    """Say that the running turn is stopped: a crash before its end does not run it again."""
    await session.execute(
        update(InboxRow)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.state == InboxState.RUNNING,
            InboxRow.is_command.is_(False),
        )
        .values(state=InboxState.STOPPING)
    )


async def drop_waiting(
    session: AsyncSession, conversation_id: int, *, before: int, now: datetime
) -> int:
    """End the messages that came before the inbox id `before` and wait for their
    turn, without an answer; returns how many."""
    result = await session.execute(
        update(InboxRow)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.inbox_id < before,
            InboxRow.state == InboxState.QUEUED,
            InboxRow.is_command.is_(False),
        )
        .values(state=InboxState.STOPPED, finished_at=now)
        .returning(InboxRow.inbox_id)
    )
    return len(result.all())


async def join_present_session(session: AsyncSession, conversation_id: int, *, after: int) -> None:
    """Move what came after the inbox id `after`, and was not begun, to the present session."""
    present = select(ConversationRow.generation).where(
        ConversationRow.conversation_id == conversation_id
    )
    await session.execute(
        update(InboxRow)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.inbox_id > after,
            InboxRow.turn_id.is_(None),
        )
        .values(generation=present.scalar_subquery())
    )


async def retry_later(session: AsyncSession, turn_id: str, not_before: datetime) -> None:
    """Count a failure and let the turn run again at `not_before`."""
    await session.execute(
        update(InboxRow)
        .where(InboxRow.turn_id == turn_id)
        .values(state=InboxState.QUEUED, failures=InboxRow.failures + 1, not_before=not_before)
    )


async def unfinished_conversations(session: AsyncSession, *, is_command: bool) -> Sequence[int]:
    """The conversations with messages, or with commands, that have not come to an end."""
    rows = await session.scalars(
        select(InboxRow.conversation_id)
        .where(InboxRow.state.in_(UNFINISHED), InboxRow.is_command == is_command)
        .distinct()
    )
    return rows.all()


async def answered(session: AsyncSession, turn_id: str) -> Answered:
    """The messages that a turn's reply is for."""
    rows = (
        await session.scalars(
            select(InboxRow).where(InboxRow.turn_id == turn_id).order_by(InboxRow.inbox_id)
        )
    ).all()
    return Answered(
        provider_message_ids=tuple(row.provider_message_id for row in rows),
        in_vain=any(row.state == InboxState.DEAD for row in rows),
    )


async def waiting(session: AsyncSession, conversation_id: int) -> int:
    """How many messages of a conversation have not come to an end, commands apart."""
    count = await session.scalar(
        select(func.count()).where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.state.in_(UNFINISHED),
            InboxRow.is_command.is_(False),
        )
    )
    return count or 0


async def backlog(session: AsyncSession) -> Backlog:
    """What waits in the inbox, over all conversations."""
    rows = await session.execute(select(InboxRow.state, func.count()).group_by(InboxRow.state))
    counts = {row[0]: row[1] for row in rows}
    oldest = await session.scalar(
        select(func.min(InboxRow.received_at)).where(InboxRow.state.in_(UNFINISHED))
    )
    return Backlog(
        queued=counts.get(InboxState.QUEUED, 0),
        running=sum(counts.get(state, 0) for state in BEGUN),
        dead=counts.get(InboxState.DEAD, 0),
        oldest=oldest,
    )


async def _next_rows(
    session: AsyncSession, conversation_id: int, settle: timedelta
) -> list[InboxRow]:
    earliest_command = (
        select(func.min(InboxRow.inbox_id))
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.state.in_(UNFINISHED),
            InboxRow.is_command.is_(True),
        )
        .scalar_subquery()
    )
    messages = _unfinished(conversation_id, is_command=False).where(
        InboxRow.inbox_id < func.coalesce(earliest_command, InboxRow.inbox_id + 1)
    )
    rows = list(await session.scalars(messages.limit(BURST_MESSAGES)))
    if not rows:
        return []
    first, *rest = rows
    if first.turn_id is not None:
        return [row for row in rows if row.turn_id == first.turn_id]
    burst = [first]
    for row in rest:
        previous = burst[-1]
        if (
            row.turn_id is not None
            or row.generation != first.generation
            or row.received_at - previous.received_at >= settle
            or row.received_at - first.received_at >= BURST_SETTLES * settle
        ):
            break
        burst.append(row)
    return burst


def _unfinished(conversation_id: int, *, is_command: bool) -> Select[InboxRow]:
    return (
        select(InboxRow)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.state.in_(UNFINISHED),
            InboxRow.is_command == is_command,
        )
        .order_by(InboxRow.inbox_id)
    )


def _start(rows: Sequence[InboxRow], turn_id: str) -> Batch:
    first = rows[0]
    turn_id = first.turn_id or turn_id
    stopped = first.state == InboxState.STOPPING
    for row in rows:
        row.state = InboxState.STOPPING if stopped else InboxState.RUNNING
        row.turn_id = turn_id
        row.starts += 1
    return Batch(
        turn_id=turn_id,
        inbox_id=first.inbox_id,
        conversation_id=first.conversation_id,
        generation=first.generation,
        provider_message_ids=tuple(row.provider_message_id for row in rows),
        texts=tuple(row.text for row in rows),
        sent_at=rows[-1].sent_at,
        wants_preview=any(row.wants_preview for row in rows),
        stopped=stopped,
        starts=first.starts,
        failures=first.failures,
    )

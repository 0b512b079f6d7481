"""All that belongs to a user, whatever tables there are: removed, or given to another.

A table belongs to a user by a column `user_id`, or to a conversation of theirs
by `conversation_id`; a test holds every table to that. `strangers` belongs to
addresses, `indexes` and `job_runs` to nobody, and the rows of `audit` stay, without the
address. What the vector index still has of a removed user goes with the operation that is
left to it. Of two users that become one, rows move as they are; where both have what there
can be only one of, the two become one: see `_join_conversations`, `_join_usage` and
`_join_memories`.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import ColumnElement, and_, delete, or_, select, tuple_, update
from sqlalchemy.orm import Session, aliased

from gaia.errors import GroupUserError
from gaia.store import conversations, forgets, indexes, sessions, usage
from gaia.store.digest_tables import ProfileRow
from gaia.store.inbox import UNFINISHED
from gaia.store.memory_tables import (
    IndexOperation,
    IndexOpRow,
    IndexRow,
    IndexShardRow,
    MemoryEntityRow,
    MemoryRow,
    MemorySource,
    MemoryStatus,
)
from gaia.store.ops_tables import (
    BudgetNoticeRow,
    JobRunRow,
    PageLinkRow,
    PageSessionRow,
    ToolFailureRow,
)
from gaia.store.people import identities
from gaia.store.people.identities import Role, User
from gaia.store.people.pairing_tables import PairingRow, StrangerRow
from gaia.store.people.spellings import spelled
from gaia.store.processes import homes
from gaia.store.tables import (
    AuditRow,
    Base,
    ConversationRow,
    InboxRow,
    OutboxRow,
    UsageRow,
    UserRow,
)

KEPT = (
    UserRow.__table__,
    StrangerRow.__table__,
    AuditRow.__table__,
    JobRunRow.__table__,
    IndexRow.__table__,
    IndexOpRow.__table__,
    IndexShardRow.__table__,
)

APART = (
    UserRow.__table__,
    ConversationRow.__table__,
    UsageRow.__table__,
    IndexShardRow.__table__,
    IndexOpRow.__table__,
    ProfileRow.__table__,
    BudgetNoticeRow.__table__,
    ToolFailureRow.__table__,
    PageLinkRow.__table__,
    PageSessionRow.__table__,
)


def wipe_user(session: Session, user_id: str, now: datetime) -> None:
    """Delete every row that belongs to the user, but not the user's own row."""
    _wipe_traces(session, user_id)
    theirs = conversations.ids_of_user(user_id)
    for table in reversed(Base.metadata.sorted_tables):
        if table in KEPT:
            continue
        if "user_id" in table.c:
            session.execute(delete(table).where(table.c.user_id == user_id))
        else:
            session.execute(delete(table).where(table.c.conversation_id.in_(theirs)))
    indexes.drop_user(session, user_id, now)


def join_users(session: Session, gone: User, into: User, now: datetime) -> User:
    """Give everything of `gone` to `into`, and leave a tombstone; returns `into` as it is then.

    `into` keeps its name and its role, unless `gone` was the last owner. The
    sessions of `gone` are named after it: its conversations move on to their next ones.

    Raises:
        UnknownUserError: One of them has been removed.
        GroupUserError: One of them is a group.
    """
    if gone.is_group or into.is_group:
        raise GroupUserError(f"{gone.name!r} and {into.name!r} cannot be one: a group is a group")
    heir = identities.living_row(session, into)
    identities.living_row(session, gone)
    if [owner.user_id for owner in identities.owners(session)] == [gone.user_id]:
        heir.role = Role.OWNER
    forgets.before_joining(session, gone.user_id, into.user_id)
    homes.begin_again(session, gone.user_id)
    # Their names hold the id of who is gone.
    sessions.delete_all(session, gone.user_id)
    _join_conversations(session, gone.user_id, into.user_id)
    _join_usage(session, gone.user_id, into.user_id)
    _join_memories(session, gone.user_id, into.user_id, now)
    session.execute(delete(ProfileRow).where(ProfileRow.user_id.in_((gone.user_id, into.user_id))))
    for row in (BudgetNoticeRow, ToolFailureRow, PageLinkRow, PageSessionRow):
        session.execute(delete(row).where(row.user_id == gone.user_id))
    for table in Base.metadata.sorted_tables:
        if "user_id" in table.c and table not in APART:
            session.execute(
                update(table).where(table.c.user_id == gone.user_id).values(user_id=into.user_id)
            )
    session.execute(
        update(AuditRow).where(AuditRow.subject == gone.user_id).values(subject=into.user_id)
    )
    identities.leave_tombstone(session, gone, now)
    return identities.find(session, into.user_id)


def _wipe_traces(session: Session, user_id: str) -> None:
    """What was kept of the user's addresses before they were the user's."""
    named = spelled(identities.addresses(session, user_id))

    def is_theirs(row: type[AuditRow | PairingRow | StrangerRow]) -> ColumnElement[bool]:
        return tuple_(row.channel, row.sender).in_(named)

    session.execute(
        update(AuditRow)
        .where(or_(AuditRow.subject == user_id, is_theirs(AuditRow)))
        .values(channel=None, sender=None, detail="")
    )
    session.execute(delete(PairingRow).where(is_theirs(PairingRow)))
    session.execute(
        delete(StrangerRow).where(or_(StrangerRow.sender == user_id, is_theirs(StrangerRow)))
    )


def _join_conversations(session: Session, gone_id: str, into_id: str) -> None:
    rows = session.scalars(select(ConversationRow).where(ConversationRow.user_id == gone_id))
    for row in rows.all():
        twin = session.scalar(
            select(ConversationRow).where(
                ConversationRow.user_id == into_id,
                ConversationRow.channel == row.channel,
                ConversationRow.chat == row.chat,
            )
        )
        if twin is not None:
            _absorb(session, twin, row)
        row.user_id = into_id
        row.generation += 1
        row.session_turns = 0
        session.flush()
        session.execute(
            update(InboxRow)
            .where(InboxRow.conversation_id == row.conversation_id, InboxRow.state.in_(UNFINISHED))
            .values(generation=row.generation)
        )


def _absorb(session: Session, twin: ConversationRow, row: ConversationRow) -> None:
    """Move all of `twin`, the same chat of the other user, to `row`, whose next session
    is a new one for both."""
    for table in Base.metadata.sorted_tables:
        if "conversation_id" in table.c and table is not ConversationRow.__table__:
            session.execute(
                update(table)
                .where(table.c.conversation_id == twin.conversation_id)
                .values(conversation_id=row.conversation_id)
            )
    row.generation = max(row.generation, twin.generation)
    if twin.written_at is not None and (row.written_at is None or row.written_at < twin.written_at):
        row.written_at, row.asked_at, row.sender = twin.written_at, twin.asked_at, twin.sender
    session.delete(twin)
    session.flush()


def _join_usage(session: Session, gone_id: str, into_id: str) -> None:
    rows = session.scalars(select(UsageRow).where(UsageRow.user_id == gone_id))
    for row in rows.all():
        usage.add(session, into_id, date.fromisoformat(row.day), usage.read(row))
    session.execute(delete(UsageRow).where(UsageRow.user_id == gone_id))


def _join_memories(session: Session, gone_id: str, into_id: str, now: datetime) -> None:
    """Make one of each memory that both have, and have the index move the others."""
    theirs, known = aliased(MemoryRow), aliased(MemoryRow)
    twins = session.execute(
        select(theirs, known)
        .join(
            known,
            and_(
                known.kind == theirs.kind,
                known.context == theirs.context,
                known.hash == theirs.hash,
            ),
        )
        .where(
            theirs.user_id == gone_id,
            theirs.status == MemoryStatus.ACTIVE,
            known.user_id == into_id,
            known.status == MemoryStatus.ACTIVE,
        )
    )
    for twin, row in twins.all():
        _absorb_memory(session, twin, row)
    moved = session.scalars(
        select(MemoryRow.memory_id)
        .where(MemoryRow.user_id == gone_id, MemoryRow.status == MemoryStatus.ACTIVE)
        .order_by(MemoryRow.memory_id)
    )
    indexes.drop_user(session, gone_id, now)
    indexes.add_ops(session, into_id, moved.all(), IndexOperation.PUT, now)


def _absorb_memory(session: Session, twin: MemoryRow, row: MemoryRow) -> None:
    """Give `row` what `twin`, the same of the other user, has more than it: what it is
    about, and its earlier versions, which are forgotten together with it."""
    row.support += twin.support
    row.sensitive |= twin.sensitive
    row.pinned |= twin.pinned
    if twin.source == MemorySource.USER:
        row.source = MemorySource.USER
    about, known = aliased(MemoryEntityRow), aliased(MemoryEntityRow)
    more = select(about.entity).where(
        about.memory_id == twin.memory_id,
        about.entity.not_in(select(known.entity).where(known.memory_id == row.memory_id)),
    )
    session.add_all(
        MemoryEntityRow(user_id=row.user_id, entity=entity, memory_id=row.memory_id)
        for entity in session.scalars(more).all()
    )
    session.execute(
        update(MemoryRow)
        .where(MemoryRow.superseded_by == twin.memory_id)
        .values(superseded_by=row.memory_id)
    )
    session.execute(
        update(OutboxRow)
        .where(OutboxRow.reminder_id == twin.memory_id)
        .values(reminder_id=row.memory_id)
    )
    session.delete(twin)
    session.flush()

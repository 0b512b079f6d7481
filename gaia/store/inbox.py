"""The inbox: every accepted message from its receipt to its end.

Which messages make a turn is told in `batches`, what an edit changes in `edits`. Each
function works within the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, func, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import Session

from gaia.messages import MAYBE_FORWARDED, Attachment, AttachmentKind, Inbound, RepliedTo
from gaia.store import conversations, replies
from gaia.store.base import table_of
from gaia.store.conversations import Conversation
from gaia.store.people import speakers
from gaia.store.tables import ConversationRow, InboxRow, InboxState

BEGUN = (InboxState.RUNNING, InboxState.STOPPING)
UNFINISHED = (InboxState.QUEUED, *BEGUN)
FAILED = (InboxState.DEAD, InboxState.REFUSED)

NOTHING: Mapping[str, Any] = {
    "text": "",
    "notes": [],
    "replied_to": None,
    "attachments": [],
}
"""What is left of a message whose words go at its end."""


@dataclass(frozen=True, slots=True)
class Message:
    """What the model is to be told of a message. The fields mean what they mean in
    `messages.Inbound`."""

    text: str
    sender_name: str | None = None
    notes: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    is_forwarded: bool = False
    replied_to: RepliedTo | None = None
    author: str | None = None

    @property
    def is_own(self) -> bool:
        """Whether its words are known to be its sender's."""
        return not self.is_forwarded and MAYBE_FORWARDED not in self.notes


@dataclass(frozen=True, slots=True)
class Answered:
    """The messages of a turn; `is_failed` says that they came to no answer."""

    provider_message_ids: tuple[str, ...] = ()
    is_failed: bool = False


@dataclass(frozen=True, slots=True)
class TurnWords:
    """What the user wrote in the messages of a turn, and nothing else. `received_at` is
    when the last came, by gaia's own clock, `sent_at` when it was written, by the provider's,
    `inbox_id` is that one's."""

    text: str
    sent_at: datetime
    received_at: datetime
    inbox_id: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in the inbox. `oldest` is when the longest waiting message came."""

    queued: int
    running: int
    dead: int
    oldest: datetime | None


TABLE = table_of(InboxRow)

_RECORD = insert(TABLE).on_conflict_do_nothing().returning(TABLE.c.inbox_id)
_FINISH = (
    update(TABLE)
    .where(TABLE.c.turn_id == bindparam("of_turn"))
    .values(state=bindparam("as_"), finished_at=bindparam("now"), not_before=None)
)
_ANSWERED = (
    select(TABLE.c.provider_message_id, TABLE.c.state)
    .where(TABLE.c.turn_id == bindparam("of_turn"))
    .order_by(TABLE.c.inbox_id)
)


def record(
    session: Session,
    inbound: Inbound,
    conversation: Conversation,
    *,
    is_command: bool,
    now: datetime,
    state: InboxState = InboxState.QUEUED,
    turn_id: str | None = None,
) -> bool:
    """Add a message, which its sender has written; False if the channel delivered it before.
    One that is at its end already has the `turn_id` of its reply, if it gets one."""
    name = inbound.sender_name
    if inbound.author is not None:
        name = speakers.name_in_group(session, conversation.user_id, inbound.author, name)
    is_over = state is not InboxState.QUEUED
    is_hidden = conversation.is_incognito and state is not InboxState.OVERHEARD
    is_new = session.scalar(
        _RECORD,
        {
            "channel": inbound.address.channel,
            "provider_message_id": inbound.provider_message_id,
            "conversation_id": conversation.conversation_id,
            "generation": conversation.generation,
            "text": inbound.text,
            "sender_name": name,
            "author": inbound.author,
            "notes": list(inbound.notes),
            "replied_to": replies.written(inbound.replied_to),
            "attachments": write_attachments(inbound.attachments),
            "context": conversation.context,
            "is_incognito": conversation.is_incognito,
            "album": inbound.album,
            "is_forwarded": inbound.is_forwarded,
            "edits": [],
            "is_command": is_command,
            "wants_preview": inbound.wants_preview,
            "sent_at": inbound.sent_at,
            "received_at": now,
            "state": state,
            "turn_id": turn_id,
            "starts": 0,
            "failures": 0,
            "finished_at": now if is_over else None,
            **(NOTHING if is_over and is_hidden else {}),
        },
    )
    if is_new and state is not InboxState.OVERHEARD:
        at, sender = min(inbound.sent_at, now), inbound.address.sender
        conversations.note_written(
            session, conversation.conversation_id, at, sender=sender, now=now
        )
    return is_new is not None


def finish(session: Session, turn_id: str, state: InboxState, now: datetime) -> None:
    """Bring the messages of a turn to an end."""
    session.execute(_FINISH, {"of_turn": turn_id, "as_": state, "now": now})


def switch(session: Session, conversation_id: int, *, after: int, **values: str | bool) -> None:
    """Give a conversation these values from now on, and what waits there and came after the
    inbox id `after`: its context, or whether it is incognito."""
    conversations.put(session, conversation_id, **values)
    session.execute(
        update(InboxRow)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.inbox_id > after,
            InboxRow.state == InboxState.QUEUED,
        )
        .values(**values)
    )


def begin_next_session(session: Session, conversation_id: int, *, after: int) -> None:
    """Begin the next session, with what came after the inbox id `after`, and was not begun.
    What waits in another context is of an earlier one, and stays there."""
    conversations.start_next_session(session, conversation_id)
    present = select(ConversationRow.generation).where(
        ConversationRow.conversation_id == conversation_id
    )
    context = present.with_only_columns(ConversationRow.context)
    session.execute(
        update(InboxRow)
        .where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.inbox_id > after,
            InboxRow.state == InboxState.QUEUED,
            InboxRow.turn_id.is_(None),
            InboxRow.context == context.scalar_subquery(),
        )
        .values(generation=present.scalar_subquery())
    )


def retry_later(session: Session, turn_id: str, not_before: datetime) -> None:
    """Count a failure and let the turn run again at `not_before`."""
    session.execute(
        update(InboxRow)
        .where(InboxRow.turn_id == turn_id)
        .values(state=InboxState.QUEUED, failures=InboxRow.failures + 1, not_before=not_before)
    )


def unfinished_conversations(session: Session, *, is_command: bool) -> Sequence[int]:
    """The conversations with messages, or with commands, that have not come to an end."""
    rows = session.scalars(
        select(InboxRow.conversation_id)
        .where(InboxRow.state.in_(UNFINISHED), InboxRow.is_command == is_command)
        .distinct()
    )
    return rows.all()


def answered(session: Session, turn_id: str) -> Answered:
    """The messages that a turn's reply is for."""
    rows = session.execute(_ANSWERED, {"of_turn": turn_id}).all()
    return Answered(
        provider_message_ids=tuple(provider_message_id for provider_message_id, _ in rows),
        is_failed=any(state in FAILED for _, state in rows),
    )


def words_of_turn(session: Session, turn_id: str) -> TurnWords | None:
    """The user's own words of a turn; None when there is no such turn."""
    of_turn = select(TABLE).where(TABLE.c.turn_id == turn_id).order_by(TABLE.c.inbox_id)
    rows = session.execute(of_turn).all()
    if not rows:
        return None
    text = "\n".join(each.text for each in rows if read_message(each).is_own)
    return TurnWords(text, rows[-1].sent_at, rows[-1].received_at, rows[-1].inbox_id)


def text_of(session: Session, conversation_id: int, inbox_id: int) -> str:
    """What a message of a conversation says; nothing where it is gone, or in another one."""
    found = session.scalar(
        select(InboxRow.text).where(
            InboxRow.inbox_id == inbox_id, InboxRow.conversation_id == conversation_id
        )
    )
    return found or ""


def said_by(session: Session, user_id: str) -> Iterator[tuple[str | None, str, datetime]]:
    """The messages of a user, commands apart: their turn, their words with all notes, and when
    they came."""
    rows = session.execute(
        select(*TABLE.c["turn_id", "text", "notes", "replied_to", "received_at"])
        .join(ConversationRow, ConversationRow.conversation_id == InboxRow.conversation_id)
        .where(ConversationRow.user_id == user_id, InboxRow.is_command.is_(False))
    )
    for turn_id, text, notes, replied_to, received_at in rows:
        yield turn_id, "\n".join([text, *notes, *replies.words(replied_to)]), received_at


def waiting(session: Session, conversation_id: int) -> int:
    """How many messages of a conversation have not come to an end, commands apart."""
    count = session.scalar(
        select(func.count()).where(
            InboxRow.conversation_id == conversation_id,
            InboxRow.state.in_(UNFINISHED),
            InboxRow.is_command.is_(False),
        )
    )
    return count or 0


def backlog(session: Session) -> Backlog:
    """What waits in the inbox, over all conversations."""
    rows = session.execute(select(InboxRow.state, func.count()).group_by(InboxRow.state))
    counts = {row[0]: row[1] for row in rows}
    oldest = session.scalar(
        select(func.min(InboxRow.received_at)).where(InboxRow.state.in_(UNFINISHED))
    )
    return Backlog(
        queued=counts.get(InboxState.QUEUED, 0),
        running=sum(counts.get(state, 0) for state in BEGUN),
        dead=counts.get(InboxState.DEAD, 0),
        oldest=oldest,
    )


def read_message(row: Row[Any]) -> Message:
    """The message of a row."""
    return Message(
        text=row.text,
        sender_name=row.sender_name,
        notes=tuple(row.notes),
        attachments=read_attachments(row.attachments),
        is_forwarded=row.is_forwarded,
        replied_to=replies.read(row.replied_to),
        author=row.author,
    )


def write_attachments(attachments: Sequence[Attachment]) -> list[dict[str, Any]]:
    """Attachments as a row has them."""
    return [asdict(each) for each in attachments]


def read_attachments(written: Sequence[dict[str, Any]]) -> tuple[Attachment, ...]:
    """The attachments of a row."""
    return tuple(Attachment(**{**each, "kind": AttachmentKind(each["kind"])}) for each in written)

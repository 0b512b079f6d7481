"""A row of somebody in every table."""

from __future__ import annotations

from gaia.store.digest_tables import (
    ArchivedTermRow,
    ArchivedTurnRow,
    DigestReason,
    DigestRow,
    DigestWindowRow,
    ProfileRow,
)
from gaia.store.engine import Database
from gaia.store.memory_tables import (
    EntityRow,
    ForgetRow,
    ForgetState,
    ForgottenRow,
    IndexOperation,
    IndexOpRow,
    IndexRow,
    IndexShardRow,
    MemoryEntityRow,
    MemoryRow,
    MemorySource,
    MemoryTermRow,
    RelationRow,
)
from gaia.store.ops_tables import (
    BudgetNoticeRow,
    GrowthRow,
    LetterRow,
    PageLinkRow,
    PageSessionRow,
    ToolFailureRow,
)
from gaia.store.people.pairing_tables import LinkRow, PairingPurpose, PairingRow, StrangerRow
from gaia.store.people.users import User
from gaia.store.tables import (
    AuditRow,
    ConversationRow,
    EventRow,
    InboxRow,
    OutboxFileRow,
    OutboxRow,
    UsageRow,
)
from gaia.store.upkeep_tables import ComparedPairRow, MemoryUseRow, UpkeepRunRow
from gaia.testing.clock import START


def fill_tables(database: Database, user: User, text: str) -> None:
    """A row of `user` in every table, but for what is about jobs alone."""
    with database.writing() as session:
        conversation = ConversationRow(
            user_id=user.user_id,
            channel="terminal",
            chat=user.name,
            first_chat=user.name,
            direct=True,
            created_at=START,
            last_message_at=START,
        )
        index = session.get(IndexRow, 1) or IndexRow(
            index_id=1, fingerprint="e5", active=True, created_at=START
        )
        memory = MemoryRow(
            user_id=user.user_id,
            text=text,
            source=MemorySource.USER,
            valid_from=START,
            hash=text,
            length=1,
            created_at=START,
            updated_at=START,
        )
        session.add_all([conversation, index, memory])
        session.flush()
        memory_id = memory.memory_id
        turn = ArchivedTurnRow(
            turn_id=user.user_id,
            user_id=user.user_id,
            conversation_id=conversation.conversation_id,
            session_id=user.user_id,
            asked=text,
            words=text,
            answer=text,
            said_at=START,
            length=1,
        )
        digest = DigestRow(
            session_id=user.user_id,
            user_id=user.user_id,
            conversation_id=conversation.conversation_id,
            generation=1,
            reason=DigestReason.IDLE,
            created_at=START,
        )
        chunk = OutboxRow(
            conversation_id=conversation.conversation_id,
            seq=0,
            final=True,
            text=text,
            created_at=START,
        )
        event = EventRow(
            user_id=user.user_id,
            session_id=user.user_id,
            turn_id=user.user_id,
            said_at=START,
            event=text,
        )
        session.add_all([turn, digest, chunk, event])
        session.flush()
        archive_id, digest_id = turn.archive_id, digest.digest_id
        session.add_all(
            [
                InboxRow(
                    channel="terminal",
                    provider_message_id=text,
                    conversation_id=conversation.conversation_id,
                    generation=1,
                    text=text,
                    is_command=False,
                    wants_preview=False,
                    sent_at=START,
                    received_at=START,
                ),
                OutboxFileRow(
                    outbox_id=chunk.outbox_id,
                    conversation_id=conversation.conversation_id,
                    name="cake.txt",
                    media_type="text/plain",
                    content=text.encode(),
                ),
                UsageRow(user_id=user.user_id, day="2026-01-01", purpose="turn", model="m"),
                ToolFailureRow(
                    user_id=user.user_id, tool="calculate", error="KeyError", since=START
                ),
                PageLinkRow(token_hash=user.user_id, user_id=user.user_id, expires_at=START),
                PageSessionRow(
                    token_hash=user.user_id, user_id=user.user_id, expires_at=START, used_at=START
                ),
                BudgetNoticeRow(
                    user_id=user.user_id, day="2026-01-01", budget="user", stage="near"
                ),
                PairingRow(
                    purpose=PairingPurpose.LINK,
                    salt=b"salt",
                    code_hash=b"hash",
                    name=text,
                    user_id=user.user_id,
                    created_at=START,
                    expires_at=START,
                ),
                LinkRow(user_id=user.user_id, name=text, journal={}, created_at=START),
                GrowthRow(
                    user_id=user.user_id,
                    kind="setting",
                    key="model.retries",
                    before=1,
                    after=2,
                    reason=text,
                    at=START,
                ),
                MemoryUseRow(user_id=user.user_id, memory_id=memory_id, uses=1, last_used_at=START),
                ComparedPairRow(user_id=user.user_id, first_id=memory_id, second_id=memory_id),
                UpkeepRunRow(user_id=user.user_id, job="fade", at=START),
                MemoryTermRow(user_id=user.user_id, term=text, memory_id=memory_id, count=1),
                MemoryEntityRow(user_id=user.user_id, entity=text, memory_id=memory_id),
                EntityRow(user_id=user.user_id, key=text, name=text, kind="", created_at=START),
                RelationRow(user_id=user.user_id, memory_id=memory_id, predicate=text),
                LetterRow(
                    user_id=user.user_id, to_user_id=user.user_id, text=text, created_at=START
                ),
                IndexOpRow(
                    user_id=user.user_id,
                    memory_id=memory_id,
                    operation=IndexOperation.PUT,
                    created_at=START,
                ),
                IndexShardRow(index_id=1, user_id=user.user_id, shard=0),
                ForgetRow(
                    user_id=user.user_id,
                    state=ForgetState.WIPING,
                    phrases=[text],
                    created_at=START,
                ),
                ArchivedTermRow(user_id=user.user_id, term=text, archive_id=archive_id, count=1),
                DigestWindowRow(
                    digest_id=digest_id,
                    number=1,
                    user_id=user.user_id,
                    last_archive_id=archive_id,
                    outcome={"summary": text},
                    created_at=START,
                ),
                ProfileRow(
                    user_id=user.user_id,
                    bullets=[{"text": text}],
                    distilled=True,
                    input_hash="",
                    updated_at=START,
                ),
                ForgottenRow(user_id=user.user_id, salt=b"s", digest=b"d", created_at=START),
                StrangerRow(channel="user", sender=user.user_id, attempts=1, attempts_since=START),
                AuditRow(
                    at=START,
                    action="approved",
                    actor="cli",
                    subject=user.user_id,
                    channel="terminal",
                    sender=user.name,
                    detail=text,
                ),
            ]
        )

"""What is left of somebody who was removed."""

import pytest
from sqlalchemy import select

from gaia.errors import (
    UnknownUserError,
)
from gaia.messages import Address
from gaia.paths import Home
from gaia.store import audit, pairings, strangers
from gaia.store.audit import Action
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
from gaia.store.ops_tables import BudgetNoticeRow, GrowthRow, LetterRow, ToolFailureRow
from gaia.store.pairings import Terms
from gaia.store.tables import (
    AuditRow,
    Base,
    ConversationRow,
    EventRow,
    InboxRow,
    LinkRow,
    OutboxFileRow,
    OutboxRow,
    PairingPurpose,
    PairingRow,
    StrangerRow,
    UsageRow,
    UserRow,
)
from gaia.store.upkeep_tables import ComparedPairRow, MemoryUseRow, UpkeepRunRow
from gaia.store.users import Role, User, Users
from gaia.testing.clock import START, FakeClock

PHONE = Address("whatsapp", "+491")
LAPTOP = Address("terminal", "ada")


@pytest.fixture
def users(database: Database, clock: FakeClock) -> Users:
    return Users(database, clock)


@pytest.fixture
async def ada(users: Users) -> User:
    return await users.create("Ada", Role.OWNER, LAPTOP)


KEPT_ROWS = {
    "users": 2,
    "audit": 5,
    "indexes": 1,
    "index_shards": 2,
    "index_ops": 2,
    "job_runs": 0,
}
"""What is left of two users, each with a row in every table, when one is removed:
in the audit, that both were added and one was removed as well; of the one who is gone,
the index's shard and the operation that clears it."""


async def converse(database: Database, user: User, text: str) -> None:
    """Rows of `user` in every table that a conversation touches."""
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


async def ask_to_be_let_in(database: Database, address: Address, *, name: str) -> None:
    """What is kept of a stranger before they are anybody."""
    terms = Terms(PairingPurpose.REQUEST, address, address.sender, direct=True, name=name)
    with database.writing() as session:
        pairings.add(session, terms, pairings.new_code(), START)
        strangers.mark_told(session, address, START)
        audit.record(session, Action.DENIED, at=START, by=audit.GAIA, address=address)


async def test_a_removed_user_is_unknown_everywhere(users: Users, ada: User) -> None:
    bob = await users.create("Bob", Role.MEMBER, PHONE)
    await users.remove(bob)
    assert await users.list() == (ada,)
    assert await users.resolve(PHONE) is None
    assert await users.addresses(bob) == ()
    for name in ("Bob", bob.user_id):
        with pytest.raises(UnknownUserError):
            await users.find(name)
    for change in (users.remove(bob), users.link(bob, PHONE), users.set_role(bob, Role.OWNER)):
        with pytest.raises(UnknownUserError, match="'Bob' has been removed meanwhile"):
            await change


async def test_removing_wipes_every_table_of_that_user_only(
    users: Users, ada: User, database: Database
) -> None:
    bob = await users.create("Bob", Role.MEMBER, PHONE)
    for user in (ada, bob):
        await converse(database, user, f"a secret of {user.name}")
    await users.remove(bob)

    with database.reading() as session:
        for table in Base.metadata.sorted_tables:
            rows = session.execute(select(table)).all()
            assert len(rows) == KEPT_ROWS.get(table.name, 1), table.name
        tombstone = session.get_one(UserRow, bob.user_id)
        assert (tombstone.name, tombstone.name_key, tombstone.removed_at) == ("", "", START)


async def test_no_file_holds_a_word_of_a_removed_user(
    users: Users, ada: User, database: Database, home: Home
) -> None:
    bob = await users.create("Bobby Tables", Role.MEMBER, PHONE)
    await converse(database, bob, "the cake is in the cellar")
    await ask_to_be_let_in(database, PHONE, name="Bobby T.")
    await users.remove(bob)
    for file in home.root.glob("gaia.db*"):
        content = file.read_bytes()
        for word in (b"Bobby", b"bobby", b"cellar", b"+491"):
            assert word not in content


async def test_a_namesake_gets_nothing_of_a_removed_user(users: Users, ada: User) -> None:
    bob = await users.create("Bob", Role.OWNER, PHONE)
    await users.remove(bob)
    namesake = await users.create("bob", Role.GUEST)
    assert namesake.user_id != bob.user_id
    assert await users.addresses(namesake) == ()
    assert await users.resolve(PHONE) is None


def test_every_table_belongs_to_a_user_or_to_a_conversation() -> None:
    for table in Base.metadata.sorted_tables:
        apart = {"strangers", "audit", "indexes", "job_runs"}
        assert table.name in apart or {"user_id", "conversation_id"} & set(table.c.keys()), (
            f"{table.name} would survive its user: see gaia.store.ownership"
        )

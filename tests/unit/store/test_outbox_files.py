"""Files go with the last chunk of their reply, and no longer than they are needed."""

from __future__ import annotations

import pytest

from gaia.messages import Address, OutboundFile
from gaia.store import conversations, outbox, outbox_files
from gaia.store.engine import Database
from gaia.store.outbox_files import NewFile
from gaia.store.users import Role, User, Users
from gaia.testing.clock import START, FakeClock

FILE = NewFile("gaia.txt", "text/plain", b"the gate code \xff\x00")


@pytest.fixture
async def ada(database: Database, clock: FakeClock) -> User:
    return await Users(database, clock).create("Ada", Role.OWNER, Address("fake", "ada"))


async def reply(
    database: Database, user: User, *chunks: str, chat: str = "ada", file: NewFile | None = FILE
) -> list[int]:
    """The chunks of a reply in the outbox, by their ids."""
    async with database.write() as session:
        conversation = await conversations.find_or_create(
            session, user_id=user.user_id, channel="fake", chat=chat, direct=True, now=START
        )
        conversation_id = conversation.conversation_id
        before = {each.chunk.outbox_id for each in await outbox.listed(session, states=outbox.OPEN)}
        await outbox.add(
            session,
            conversation_id=conversation_id,
            turn_id=None,
            chunks=chunks,
            now=START,
            file=file,
        )
        listed = await outbox.listed(session, states=outbox.OPEN)
    return [each.chunk.outbox_id for each in listed if each.chunk.outbox_id not in before]


async def test_a_file_goes_with_the_last_chunk(database: Database, ada: User) -> None:
    first, last = await reply(database, ada, "one", "two")
    async with database.read() as session:
        assert await outbox_files.of_chunk(session, first) is None
        assert await outbox_files.content(session, first) is None
        assert await outbox_files.of_chunk(session, last) == OutboundFile(
            "gaia.txt", "text/plain", len(FILE.content)
        )
        assert await outbox_files.content(session, last) == FILE.content


async def test_a_reply_without_a_file_has_none(database: Database, ada: User) -> None:
    (only,) = await reply(database, ada, "one", file=None)
    async with database.read() as session:
        assert await outbox_files.of_chunk(session, only) is None

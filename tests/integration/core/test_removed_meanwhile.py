"""A person who is removed by another process, while the daemon is busy with them."""

from __future__ import annotations

import logging

import pytest
from sqlalchemy import text

from gaia.messages import ReceiptKind
from gaia.ops.removal import remove_person
from gaia.store.memory_tables import IndexOpRow
from gaia.store.tables import AuditRow, Base, UserRow

OUTLIVE = (UserRow.__tablename__, AuditRow.__tablename__, IndexOpRow.__tablename__)


async def rows(core) -> dict[str, int]:
    """How many rows each table has, but for those that outlive a person."""
    async with core.stores.database.read() as session:
        return {
            name: await session.scalar(text(f"SELECT count(*) FROM {name}"))
            for name in Base.metadata.tables
            if name not in OUTLIVE
        }


async def remove(core, home, user):
    await remove_person(home, core.stores.database, core.users, core.stores.sessions, user)


async def test_a_turn_of_somebody_removed_leaves_nothing(
    running_core, home, caplog: pytest.LogCaptureFixture
):
    async with running_core() as core:
        core.model.hold("hello")
        await core.channel.say("hello")
        await core.model.until_asked("hello")
        await remove(core, home, await core.users.find("ada"))
        core.model.let_go("hello")
        await core.app.handlers.flush()
        await core.app.delivery.flush()
        assert core.channel.sent == []
        assert set((await rows(core)).values()) == {0}
        assert await core.stores.sessions.list() == []
        assert "handler of conversation" not in caplog.text


async def test_a_message_of_somebody_removed_meanwhile_is_not_kept(running_core, home, caplog):
    caplog.set_level(logging.INFO)
    async with running_core() as core:
        ada = await core.users.find("ada")
        access = core.app.dispatcher._access

        async def admit_too_early(address):
            await remove(core, home, ada)
            return ada

        access.admit = admit_too_early
        receipt = await core.channel.say("hello")
        assert receipt.kind is ReceiptKind.DENIED
        assert set((await rows(core)).values()) == {0}

"""A person who is removed by another process, while the daemon is busy with them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import text

from gaia.core.slash import Caller, Commands, Prepared, Slash
from gaia.memory import ledger
from gaia.messages import ReceiptKind, TurnEnded
from gaia.ops.people import remove_person
from gaia.store.memory_tables import IndexOpRow
from gaia.store.ownership import join_users
from gaia.store.people.pairing_tables import PairingRow, StrangerRow
from gaia.store.tables import AuditRow, Base, UserRow

OUTLIVE = (UserRow.__tablename__, AuditRow.__tablename__, IndexOpRow.__tablename__)
ABOUT_STRANGERS = {PairingRow.__tablename__, StrangerRow.__tablename__}


async def rows(core) -> dict[str, int]:
    """How many rows each table has, but for those that outlive a person."""
    with core.database.reading() as session:
        return {
            name: session.scalar(text(f"SELECT count(*) FROM {name}"))
            for name in Base.metadata.tables
            if name not in OUTLIVE
        }


async def remove(core, home, user):
    await remove_person(home, core.database, core.users, user)


async def test_a_turn_of_somebody_removed_leaves_nothing(
    running_core, home, caplog: pytest.LogCaptureFixture
):
    async with running_core() as core:
        core.model.hold("hello")
        await core.channel.say("hello", provider_message_id="m1")
        await core.model.until_asked("hello")
        await remove(core, home, await core.users.find("ada"))
        core.model.let_go("hello")
        await core.app.handlers.flush()
        await core.app.delivery.flush()
        assert core.channel.sent == []
        # Whoever waits for the answer hears that there is none.
        ended = core.channel.events[-1]
        assert isinstance(ended, TurnEnded)
        assert ended.unanswered == ("m1",)
        assert set((await rows(core)).values()) == {0}
        assert await core.sessions() == []
        assert "handler of conversation" not in caplog.text


async def test_a_message_of_somebody_removed_is_not_kept(running_core, home):
    async with running_core() as core:
        await remove(core, home, await core.users.find("ada"))
        receipt = await core.channel.say("hello")
        assert receipt.kind is ReceiptKind.DENIED
        left = {name for name, count in (await rows(core)).items() if count}
        assert left <= ABOUT_STRANGERS


class CommandsAfter:
    """The commands, once something else has happened while the first is prepared."""

    def __init__(self, commands: Commands, first: Callable[[], Awaitable[object]]) -> None:
        self._commands = commands
        self._first = [first]
        self.menu = commands.menu

    async def prepare(self, slash: Slash, caller: Caller) -> Prepared:
        prepared = await self._commands.prepare(slash, caller)
        while self._first:
            await self._first.pop()()
        return prepared


async def test_what_a_command_keeps_belongs_to_whom_the_user_has_become(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        ada, bob = await core.users.find("ada"), await core.users.find("bob")

        async def join() -> None:
            await core.database.write(join_users, ada, bob, core.clock.now())

        core.app.command_runner._commands = CommandsAfter(core.app.command_runner._commands, join)
        assert "Kept in your memory as #1" in await core.say("/remember I drink tea")
        assert [
            each.text for each in await core.database.read(ledger.every, bob.user_id, limit=9)
        ] == ["I drink tea"]


async def test_a_command_of_somebody_removed_leaves_nothing(running_core, home, caplog):
    async with running_core() as core:
        ada = await core.users.find("ada")
        is_gone = asyncio.Event()

        async def leave() -> None:
            await remove(core, home, ada)
            is_gone.set()

        core.app.command_runner._commands = CommandsAfter(core.app.command_runner._commands, leave)
        await core.channel.say("/remember I drink tea")
        await is_gone.wait()
        await core.app.command_runner.drain()
        assert set((await rows(core)).values()) == {0}
        assert caplog.text == ""

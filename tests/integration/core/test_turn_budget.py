"""What an ordinary turn may ask of the database, from its receipt to what was sent."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta

import pytest

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.memory.search import preload
from gaia.memory.search.preload import prefix as read_prefix
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.testing.clock import until
from tests.harness.transactions import Counted

STATEMENTS = 30
TRANSACTIONS = 5


async def ask(core, text: str) -> None:
    """Say something, let the time pass in which others may follow it, and wait until all is
    written that there is to write of it."""
    sent = len(core.channel.sent)
    await core.channel.say(text)
    while len(core.channel.sent) == sent:
        core.clock.advance(0.5)
        await asyncio.sleep(0.001)
    parts = (core.app.delivery, core.app.handlers, core.app.profiles)
    await until(lambda: not any(part._workers._tasks for part in parts))


@pytest.mark.parametrize("settles", [False, True])
async def test_a_turn_takes_at_most_thirty_statements_in_five_transactions(running_core, settles):
    async with running_core(settles=settles) as core:
        for text in ("I drink tea in the morning", "My sister Sarah lives in Ulm"):
            await ask(core, f"/remember {text}")
        for number in range(3):
            await ask(core, f"Where does my sister live, for the {number}. time?")
        counted = Counted(core.database.engine)
        await ask(core, "Where does my sister live?")
        assert any("FROM memory_terms" in each for each in counted.statements)
        # Around what may fail PostgreSQL has two more, each time.
        statements = [each for each in counted.statements if "SAVEPOINT" not in each]
        assert 0 < counted.transactions <= TRANSACTIONS, statements
        assert len(statements) <= STATEMENTS, statements


async def test_a_turn_loads_no_module(running_core, monkeypatch):
    """Not in vain either: what is not installed is looked for once."""
    sought: list[str] = []

    class Finder:
        @staticmethod
        def find_spec(name: str, path: object, target: object = None) -> None:
            sought.append(name)

    async with running_core() as core:
        for number in range(3):
            await ask(core, f"Hello for the {number}. time")
        monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
        await ask(core, "Hello again")
    assert sought == []


async def test_what_is_told_unasked_is_read_again_once_memory_has_changed(
    running_core, monkeypatch
):
    """By whomever: somebody who knows nothing of this process as well."""
    read = []

    def prefix(*args):
        read.append(args)
        return read_prefix(*args)

    monkeypatch.setattr(preload, "prefix", prefix)
    async with running_core() as core:
        await ask(core, "/remember always answer in rhyme")
        # The first turn of a session has a profile made.
        for text in ("Hello", "Hello again"):
            await ask(core, text)
        assert "rhyme" in core.model.requests[-1].config.system_instruction
        read.clear()
        await ask(core, "Hello once more")
        assert read == []
        with core.database.writing() as session:
            session.connection().exec_driver_sql("UPDATE memories SET sensitive = TRUE")
        await ask(core, "And now?")
        assert len(read) == 1
        assert "rhyme" not in core.model.requests[-1].config.system_instruction


async def test_what_time_changes_of_it_is_told_in_time(running_core):
    async with running_core() as core:
        ada = await core.users.find("ada")
        over = Statement(
            "always answer in rhyme",
            MemorySource.USER,
            MemoryKind.RULE,
            expires_at=core.clock.now() + timedelta(minutes=10),
        )
        await core.database.write(ledger.add, ada.user_id, over, core.clock.now())
        await ask(core, "Hello")
        assert "rhyme" in core.model.requests[-1].config.system_instruction
        core.clock.advance(600)
        await ask(core, "Hello again")
        assert "rhyme" not in core.model.requests[-1].config.system_instruction

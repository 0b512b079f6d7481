"""Members of those that work on one database: what they tell each other, and who leads."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue
from sqlalchemy import text
from sqlalchemy.orm import Session

from gaia.errors import HomeError
from gaia.settings.agreement import Exchange, Position, ToldValue
from gaia.store.postgres.database import PostgresDatabase
from gaia.store.postgres.faults import TakenForDeadError
from gaia.store.processes import homes, processes, shared_settings
from tests.harness.members import EXPIRE, Member
from tests.harness.postgres import PostgresServer
from tests.harness.postgres_way import STILL, way_to

FIND = text("SELECT 1 FROM processes WHERE process_id = :process_id")
HOLD = text("SELECT 1 FROM processes WHERE process_id = :process_id FOR UPDATE")


async def test_the_holder_is_told_of_what_others_take(
    member: Callable[[str], Member], talk: int
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await ada.until(lambda: ada.recovered > 0)
        assert await ada.membership.takes(talk)
        assert not await bob.membership.takes(talk)
        await ada.until(lambda: ada.woken == [talk])
        assert bob.woken == []


async def test_the_leader_is_told_of_its_work(member: Callable[[str], Member]) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        assert (ada.membership.leads, bob.membership.leads) == (True, False)
        await ada.until(lambda: ada.recovered > 0)
        before = ada.led
        assert await ada.membership.of_leader().takes(0)
        assert not await bob.membership.of_leader().takes(0)
        await ada.until(lambda: ada.led > before)
        assert bob.led == 0


async def test_one_for_a_chat_leaves_it_to_the_first_that_serves_to_lead(
    opened: Callable[[], PostgresDatabase], member: Callable[[str], Member], tmp_path: Path
) -> None:
    chat, ada = Member(opened(), tmp_path / "chat", serves=False), member("ada")
    async with chat.working():
        assert chat.membership.leads
        await chat.until(lambda: chat.led > 0)
        async with ada.working():
            await asyncio.wait_for(ada.membership.until_leads(), 20)
            assert (chat.membership.leads, chat.followed) == (False, 1)
            await chat.database.write(processes.notify, "recover")
            before = chat.recovered
            await chat.until(lambda: chat.recovered > before)
            assert not chat.membership.leads
            await ada.membership.leave()
            await asyncio.wait_for(chat.membership.until_leads(), 20)


async def test_a_conversation_is_for_one_that_has_its_channel(
    member: Callable[[str], Member], talk: int
) -> None:
    ada, bob = member("ada"), member("bob")
    ada.channels = {"terminal"}
    async with ada.working(), bob.working():
        await bob.until(lambda: bob.recovered > 0)
        assert not await ada.membership.takes(talk)
        await bob.until(lambda: bob.woken == [talk])
        assert ada.woken == []
        assert await bob.membership.takes(talk)
        assert not await ada.membership.takes(talk)
        await bob.until(lambda: bob.woken == [talk, talk])


async def test_a_copy_of_a_home_is_refused_and_one_that_was_killed_is_not(
    opened: Callable[[], PostgresDatabase], member: Callable[[str], Member], tmp_path: Path
) -> None:
    ada, copy = member("ada"), Member(opened(), tmp_path / "copy", beat_seconds=0.4)
    async with ada.working():
        await ada.until(lambda: ada.recovered > 0)
        shutil.copy(tmp_path / "ada" / "process-mark", tmp_path / "copy" / "process-mark")
        refused = f"{ada.membership.name} runs with a copy of this home: remove .*process-mark"
        with pytest.raises(HomeError, match=refused):
            await copy.membership.join()
        assert ada.membership.lives
    (found,) = await copy.database.read(processes.listed)
    assert (found.process_id, found.lives) == (ada.membership.process_id, True)
    await copy.membership.join()
    (found,) = await copy.database.read(processes.listed)
    assert found.process_id == copy.membership.process_id


async def test_all_are_told_what_is_forgotten(member: Callable[[str], Member]) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await bob.until(lambda: bob.recovered > 0)
        ada.membership.tell_forgotten()
        await bob.until(lambda: bob.forgotten == 1)


async def test_all_are_told_to_clean_their_files(
    member: Callable[[str], Member], database: PostgresDatabase
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await bob.until(lambda: bob.recovered > 0)
        await database.write(processes.notify, homes.CLEAN)
        await ada.until(lambda: ada.cleaned == 1)
        await bob.until(lambda: bob.cleaned == 1)


async def test_the_others_are_told_of_changed_settings_and_of_each_the_last_is_kept(
    member: Callable[[str], Member], database: PostgresDatabase
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await ada.until(lambda: ada.changed == 1)
        await bob.until(lambda: bob.changed == 1)
        due = await share(ada, {}, None)
        due = await share(ada, {"one": "\0", "two": 2}, due.position)
        await bob.until(lambda: bob.changed == 2)
        await share(ada, {"one": [3.5, {"key": None}], "two": 2}, due.position)
        await bob.until(lambda: bob.changed == 3)
        # What is told itself of comes by the same way, and would have come before this.
        await database.write(processes.notify, "forgotten")
        await ada.until(lambda: ada.forgotten == 1)
        assert ada.changed == 1
        found = await share(bob, {}, Position(0, {}, {}))
        assert found.take == [
            ToldValue(1, "two", 2, ada.membership.name),
            ToldValue(2, "one", [3.5, {"key": None}], ada.membership.name),
        ]


async def share(
    member: Member, values: dict[str, JsonValue], position: Position | None
) -> Exchange:
    membership = member.membership
    identity = membership.process_id, membership.name
    return await member.database.write(shared_settings.exchange, values, position, *identity)


async def test_who_leaves_is_followed_at_once(member: Callable[[str], Member], talk: int) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        assert await ada.membership.takes(talk)
        await bob.until(lambda: bob.recovered > 0)
        before = bob.recovered
        await ada.membership.leave()
        await bob.until(lambda: bob.recovered > before)
        assert bob.membership.leads
        assert await bob.membership.takes(talk)


async def test_one_that_gave_no_sign_ends_and_another_takes_over(
    member: Callable[[str], Member], database: PostgresDatabase, talk: int
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working() as adas_life:
        await ada.until(lambda: ada.recovered > 0)
        assert await ada.membership.takes(talk)
        await database.write(processes.leave, ada.membership.process_id)
        with pytest.raises(TakenForDeadError):
            await adas_life
        assert ada.membership.is_over
        assert not ada.membership.lives
        async with bob.working():
            assert bob.membership.leads
            assert bob.membership.lives
            assert await bob.membership.takes(talk)


async def test_a_server_that_starts_again_costs_nobody_their_place(
    member: Callable[[str], Member], postgres: PostgresServer
) -> None:
    ada = member("ada")
    async with ada.working() as life:
        await ada.until(lambda: ada.recovered > 0)
        postgres.restart()
        seen = ada.recovered
        await ada.until(lambda: ada.recovered > seen)
        assert ada.membership.lives
        assert not life.done()


async def test_who_holds_what_is_asked_again_of_a_server_that_was_away(
    member: Callable[[str], Member], talk: int, postgres: PostgresServer
) -> None:
    ada, bob = member("ada"), member("bob")
    async with ada.working(), bob.working():
        await ada.until(lambda: ada.recovered > 0)
        assert await ada.membership.takes(talk)
        # As if it was committed where it was not replicated.
        await bob.database.write(Session.execute, text("DELETE FROM holders"))
        postgres.restart()
        seen = ada.recovered
        await ada.until(lambda: ada.recovered > seen)
        assert await bob.membership.takes(talk)
        assert not await ada.membership.takes(talk)


async def test_a_way_that_stands_still_is_given_up(
    postgres: PostgresServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with way_to(postgres.database(), tmp_path) as (way, url):
        database = PostgresDatabase(url)
        ada = Member(database, tmp_path / "ada", silent_seconds=1.0)
        way.mark, way.breaks = b"LISTEN", STILL
        async with ada.working():
            await ada.until(lambda: ada.recovered > 0)
        assert way.breaks == ""
        said = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
        (lost,) = [each for each in said if "cut off from the database" in each]
        assert f"{database.name} does not answer (nothing came back for 1 s)" in lost
        await database.close()


async def test_a_server_that_answers_late_costs_nobody_their_place(
    opened: Callable[[], PostgresDatabase], database: PostgresDatabase, tmp_path: Path
) -> None:
    ada = Member(opened(), tmp_path, steady_seconds=1.0)
    others = {"first": "one", "second": "two"}
    for process_id, home in others.items():
        await database.write(processes.join, process_id, home, process_id, "1")

    async def until_removed(process_id: str) -> float:
        async with asyncio.timeout(30):
            while await database.read(Session.scalar, FIND, {"process_id": process_id}):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return asyncio.get_running_loop().time()

    async with ada.working():
        await database.write(Session.execute, EXPIRE, {"process_id": "first"})
        await until_removed("first")
        with database.engine.begin() as holder:
            holder.execute(HOLD, {"process_id": ada.membership.process_id})
            holder.execute(EXPIRE, {"process_id": "second"})
            await asyncio.sleep(0.5)
        released = asyncio.get_running_loop().time()
        assert await until_removed("second") - released >= 1.0


async def test_an_address_is_read_once_for_all_connections(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.database().set(password="a b%+")
    database = PostgresDatabase(url.update_query_dict({"options": "-c search_path=public"}))
    ada = Member(database, tmp_path)
    async with ada.working():
        await ada.until(lambda: ada.recovered > 0)
        assert await database.read(lambda session: session.scalar(text("SHOW search_path")))
    await database.close()
    postgres.drop(url)

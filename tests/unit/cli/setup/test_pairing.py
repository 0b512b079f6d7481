"""The owner that `gaia setup` makes, and the code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from gaia.clock import SystemClock
from gaia.core import pairing
from gaia.messages import Address, Inbound
from gaia.store import audit
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.store.people import identities, pairings
from gaia.store.people.users import Role, Users

T = TypeVar("T")

TOKEN = {"GAIA_TELEGRAM_BOT_TOKEN": "123456789:AAcanary-canary-canary-canary-canary"}
FLAGS = ("--telegram", "--no-check", "--name", "Ada")
ADA = Address("telegram", "7")


async def within(shell, act: Callable[[Database], Awaitable[T]]) -> T:
    database = await open_database(shell.home)
    try:
        return await act(database)
    finally:
        await database.close()


async def pair(database: Database, code: str) -> identities.User | None:
    """What becomes of somebody who writes a code on Telegram."""
    read = pairings.read_code(code)
    assert read is not None
    with database.writing() as session:
        waiting = pairings.to_send_back(session, SystemClock().now())
        found = pairings.matching(read, waiting)
        assert found is not None
        now = SystemClock().now()
        sent = Inbound(
            address=ADA, chat="7", direct=True, text=code, provider_message_id="1", sent_at=now
        )
        return pairing.pair(session, found, sent, now)


async def test_the_code_makes_its_writer_the_owner_though_gaia_made_another_at_its_start(
    shell,
) -> None:
    done = await shell.done(*FLAGS, **TOKEN)

    async def start_and_pair(database: Database) -> None:
        with database.writing() as session:
            later = pairings.new_code()
            pairing.invite_owner(session, later, by=audit.GAIA, now=SystemClock().now())
        user = await pair(database, done["pairing_code"])
        assert user is not None
        assert (user.name, user.role) == ("Ada", Role.OWNER)

    await within(shell, start_and_pair)
    again = await shell.done(*FLAGS, **TOKEN)
    assert again["pairing_code"] is None


async def test_the_owner_is_who_opens_gaia_chat(shell) -> None:
    await shell.done(*FLAGS, **TOKEN)

    async def resolve(database: Database) -> identities.User | None:
        users = Users(database, SystemClock())
        return await users.resolve(Address("terminal", "ada_lovelace"))

    user = await within(shell, resolve)
    assert user is not None
    assert (user.name, user.role) == ("Ada", Role.OWNER)


async def test_a_code_is_made_again_on_demand_and_the_earlier_one_is_void(shell) -> None:
    first = (await shell.done(*FLAGS, **TOKEN))["pairing_code"]
    second = (await shell.done(*FLAGS, "--pair", **TOKEN))["pairing_code"]
    assert second not in (None, first)

    async def waiting(database: Database) -> int:
        return len(await database.read(pairings.to_send_back, SystemClock().now()))

    assert await within(shell, waiting) == 1


async def test_an_owner_that_there_is_stays(shell) -> None:
    await within(shell, lambda db: Users(db, SystemClock()).create("Grace", Role.OWNER))
    done = await shell.done(*FLAGS, **TOKEN)
    assert done["owners"] == ["Grace"]
    assert "gaia has an owner already, Grace" in done["notes"][0]
    assert done["pairing_code"] is not None


async def test_of_several_owners_none_is_guessed(shell) -> None:
    for name in ("Grace", "Alan"):
        await within(shell, lambda db, name=name: Users(db, SystemClock()).create(name, Role.OWNER))
    done = await shell.done("--telegram", "--no-check", **TOKEN)
    assert done["owners"] == ["Alan", "Grace"]
    assert done["pairing_code"] is None


async def test_a_member_of_that_name_becomes_the_owner(shell) -> None:
    member = await within(shell, lambda db: Users(db, SystemClock()).create("ada", Role.MEMBER))
    await shell.done(*FLAGS, **TOKEN)
    found = await within(shell, lambda db: Users(db, SystemClock()).find("Ada"))
    assert (found.user_id, found.role) == (member.user_id, Role.OWNER)


async def test_no_code_is_made_where_nobody_can_write_it(shell) -> None:
    assert (await shell.done("--name", "Ada", "--pair"))["pairing_code"] is None

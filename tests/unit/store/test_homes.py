"""What homes on one PostgreSQL database have still to take out of their files, and which of them
is waited for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from gaia.ops.people import join_person
from gaia.store import forgets
from gaia.store.ownership import wipe_user
from gaia.store.people.identities import Role, User
from gaia.store.people.users import Users
from gaia.store.postgres.database import PostgresDatabase
from gaia.store.processes import homes, processes
from gaia.testing.clock import START, FakeClock
from tests.harness.postgres import PostgresServer

pytestmark = pytest.mark.postgres

LONG_AGO = text("UPDATE homes SET seen_at = '2000-01-01' WHERE home = :home")
EXPIRE = text("UPDATE processes SET expires_at = '2000-01-01' WHERE home = :home")


class House:
    """Homes with a process each, and a user who wants something forgotten."""

    def __init__(self, database: PostgresDatabase, user: User) -> None:
        self.database = database
        self.user = user

    async def join(self, *names: str) -> None:
        for name in names:
            await self.database.write(processes.join, f"at {name}", name, f"name of {name}", "1")

    async def leave(self, home: str) -> None:
        await self.database.write(processes.leave, f"at {home}")

    async def change(self, statement, home: str) -> None:
        with self.database.writing() as session:
            session.execute(statement, {"home": home})

    async def wish(self, *phrases: str) -> int:
        return await self.database.write(
            forgets.begin,
            self.user.user_id,
            everything=False,
            phrases=phrases or ("blue pot",),
            turn_ids=(),
            inbox_id=0,
            now=START,
        )

    async def hand_on(self, forget_id: int, home: str, user: User | None = None) -> None:
        user_id = (user or self.user).user_id
        await self.database.write(homes.hand_on, home, forget_id, user_id)

    async def cleaned(self, forget_id: int, home: str, user: User | None = None) -> None:
        user_id = (user or self.user).user_id
        await self.database.write(homes.cleaned, home, forget_id, user_id)

    async def is_awaited(self, forget_id: int) -> bool:
        return await self.database.write(homes.is_awaited, forget_id)

    async def is_handed_on(self, forget_id: int) -> bool:
        return await self.database.read(homes.is_handed_on, forget_id)

    async def wishes(self, home: str) -> list[int]:
        due = await self.database.read(homes.due, home)
        return [each.forget_id for each in due.requests]

    async def wiped(self, home: str) -> set[str]:
        return set((await self.database.read(homes.due, home)).wiped)


@pytest.fixture
async def house(postgres: PostgresServer) -> AsyncIterator[House]:
    url = postgres.database()
    database = PostgresDatabase(url)
    yield House(database, await Users(database, FakeClock()).create("Ada", Role.OWNER))
    await database.close()
    postgres.drop(url)


async def test_a_wish_waits_for_all_homes_but_the_one_that_hands_it_on(house: House) -> None:
    await house.join("one", "two", "three")
    number = await house.wish()
    assert not await house.is_handed_on(number)
    await house.hand_on(number, "one")
    assert await house.is_handed_on(number)
    assert await house.wishes("one") == []
    assert await house.wishes("two") == await house.wishes("three") == [number]
    await house.cleaned(number, "two")
    assert await house.is_awaited(number)
    assert await house.wishes("two") == []
    await house.cleaned(number, "three")
    assert not await house.is_awaited(number)


async def test_where_there_is_one_home_nobody_is_waited_for(house: House) -> None:
    number = await house.wish()
    await house.hand_on(number, "never seen")
    assert not await house.is_awaited(number)
    await house.join("one")
    assert not await house.database.read(homes.has_others, "one")
    await house.hand_on(number, "one")
    assert not await house.is_awaited(number)


async def test_a_home_that_is_away_is_left_the_user_alone(house: House) -> None:
    await house.join("one", "two", "three")
    await house.leave("three")
    await house.change(LONG_AGO, "three")
    numbers = [await house.wish("blue pot"), await house.wish("green tea")]
    for number in numbers:
        await house.hand_on(number, "one")
        assert await house.is_awaited(number)
    assert await house.wishes("three") == []
    assert await house.wishes("two") == numbers
    for number in numbers:
        await house.cleaned(number, "two")
        assert not await house.is_awaited(number)
    await house.database.write(forgets.done, numbers)
    assert await house.wiped("two") == set()
    assert await house.wiped("three") == {house.user.user_id}
    await house.database.write(homes.wiped, "three", ["another", house.user.user_id])
    assert await house.wiped("three") == set()


@pytest.mark.parametrize("dies", [False, True])
async def test_a_home_that_is_started_again_is_waited_for(house: House, dies: bool) -> None:
    await house.join("one", "two")
    number = await house.wish()
    await house.hand_on(number, "one")
    if dies:
        await house.change(LONG_AGO, "two")
        await house.change(EXPIRE, "two")
        assert await house.database.write(processes.remove_expired, "at one") == ["name of two"]
    else:
        await house.leave("two")
    assert await house.is_awaited(number)
    await house.change(LONG_AGO, "two")
    await house.join("two")
    assert await house.wishes("two") == [number]
    await house.leave("two")
    await house.change(LONG_AGO, "two")
    assert not await house.is_awaited(number)


async def test_one_that_gives_no_sign_is_not_waited_for_for_ever(house: House) -> None:
    await house.join("one", "two")
    number = await house.wish()
    await house.hand_on(number, "one")
    await house.change(LONG_AGO, "two")
    assert await house.is_awaited(number), "its process lives"
    await house.change(EXPIRE, "two")
    assert not await house.is_awaited(number)
    assert await house.wiped("two") == {house.user.user_id}


async def test_each_that_carries_a_wish_out_has_cleaned_its_own_files(house: House) -> None:
    await house.join("one", "two")
    number = await house.wish()
    await house.hand_on(number, "one")
    await house.hand_on(number, "two")
    assert not await house.is_awaited(number)


async def test_what_is_carried_out_already_is_not_handed_on(house: House) -> None:
    await house.join("one", "two")
    sealed, gone = await house.wish(), await house.wish()
    await house.database.write(forgets.seal, sealed, house.user.user_id)
    await house.database.write(forgets.done, [gone])
    for number in (sealed, gone):
        await house.hand_on(number, "one")
        assert not await house.is_handed_on(number)


async def test_a_wish_of_who_becomes_another_is_handed_on_again(house: House) -> None:
    await house.join("one", "two", "three")
    bob = await Users(house.database, FakeClock()).create("Bob", Role.MEMBER)
    number = await house.wish()
    await house.hand_on(number, "one")
    await house.cleaned(number, "two")
    await house.database.write(join_person, house.user, bob, START, learns=False)
    assert not await house.is_handed_on(number)
    await house.hand_on(number, "one", house.user)
    assert not await house.is_handed_on(number), "it is another's by now"
    await house.hand_on(number, "one", bob)
    await house.cleaned(number, "two", house.user)
    assert await house.wishes("two") == [number], "it knew nothing of what is bob's"
    await house.cleaned(number, "two", bob)
    assert await house.wishes("two") == []


async def test_who_is_removed_leaves_what_is_to_be_wiped(house: House) -> None:
    await house.join("one", "two")
    await house.leave("two")
    await house.change(LONG_AGO, "two")
    number = await house.wish()
    await house.hand_on(number, "one")
    assert not await house.is_awaited(number)
    await house.database.write(wipe_user, house.user.user_id, START)
    assert await house.wiped("two") == {house.user.user_id}

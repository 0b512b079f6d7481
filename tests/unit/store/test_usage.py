"""Usage is added up by user, day, purpose and model, with what it cost when it was used."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from gaia.store import usage
from gaia.store.engine import Database
from gaia.store.ownership import join_users
from gaia.store.people.identities import Role
from gaia.store.people.users import User, Users
from gaia.store.usage import Budget, DayOfUsage, Stage, Tariff, Usage
from gaia.testing.clock import START, FakeClock
from tests.harness.usage import of_day

DAY = date(2026, 1, 1)
NEXT_DAY = DAY + timedelta(days=1)
TURN = Usage("big", usage.TURN, 1, 1_000_000, 500_000)


@pytest.fixture
async def ada(database: Database, clock: FakeClock) -> User:
    return await Users(database, clock).create("Ada", Role.OWNER)


@pytest.fixture
async def bob(database: Database, clock: FakeClock, ada: User) -> User:
    return await Users(database, clock).create("Bob", Role.MEMBER)


async def add(database: Database, user: User, *used: Usage, day: date = DAY) -> None:
    with database.writing() as session:
        for each in used:
            usage.add(session, user.user_id, day, each)


async def tokens(database: Database, user: User | None, day: date = DAY) -> int:
    return await database.read(usage.tokens, day, user_id=user.user_id if user else None)


def test_what_tokens_cost_is_known_by_who_sets_their_price() -> None:
    priced = TURN.at(input_price=2.0, output_price=8.0)
    assert (priced.cost, priced.has_price) == (6.0, True)
    assert not TURN.at(input_price=0.0, output_price=0.0).has_price
    free = replace(TURN, tariff=Tariff.FREE).at(input_price=2.0, output_price=8.0)
    assert (free.cost, free.has_price) == (0.0, True)
    other = replace(TURN, tariff=Tariff.UNKNOWN).at(input_price=2.0, output_price=8.0)
    assert (other.cost, other.has_price) == (0.0, False)


async def test_what_was_used_before_a_price_changed_keeps_its_cost(
    database: Database, ada: User
) -> None:
    await add(database, ada, TURN.at(input_price=1.0, output_price=2.0))
    await add(database, ada, TURN.at(input_price=10.0, output_price=20.0))
    days = await database.read(usage.since, DAY)
    both = Usage("big", usage.TURN, 2, 2_000_000, 1_000_000, cost=22.0)
    assert days == [DayOfUsage(ada.user_id, DAY, both)]


async def test_tokens_of_a_day_are_those_that_may_cost_something(
    database: Database, ada: User, bob: User
) -> None:
    small = Usage("small", usage.TURN, 1, 5, 5, Tariff.FREE)
    other = Usage("other", usage.DIGEST, 1, 30, 3, Tariff.UNKNOWN)
    await add(database, ada, small, other, Usage("big", usage.TURN, 1, 20, 2))
    await add(database, ada, Usage("big", usage.TURN, 1, 700, 70), day=NEXT_DAY)
    await add(database, bob, Usage("big", usage.PROFILE, 1, 1, 1))
    assert await tokens(database, ada) == 55
    assert await tokens(database, bob) == 2
    assert await tokens(database, None) == 57
    assert await tokens(database, ada, NEXT_DAY) == 770
    assert await tokens(database, None, DAY - timedelta(days=1)) == 0


async def test_users_who_become_one_have_used_what_both_did(
    database: Database, ada: User, bob: User
) -> None:
    await add(database, ada, TURN.at(input_price=1.0, output_price=2.0))
    free = Usage("small", usage.TURN, 1, 5, 5, Tariff.FREE)
    await add(database, bob, TURN.at(input_price=1.0, output_price=2.0), free)
    await database.write(join_users, bob, ada, START)
    used = {each.model: each for _, each in await database.read(of_day, DAY)}
    assert used["big"] == Usage("big", usage.TURN, 2, 2_000_000, 1_000_000, cost=4.0)
    assert used["small"] == free


async def test_each_is_told_once_a_day_and_nothing_less_after_more(
    database: Database, ada: User
) -> None:
    async def is_told(budget: Budget, stage: Stage, day: date = DAY) -> bool:
        return await database.write(usage.note_told, ada.user_id, day, budget, stage)

    assert await is_told(Budget.USER, Stage.NEAR)
    assert not await is_told(Budget.USER, Stage.NEAR)
    assert await is_told(Budget.USER, Stage.USED_UP)
    assert not await is_told(Budget.USER, Stage.USED_UP)
    assert await is_told(Budget.ALL, Stage.USED_UP)
    assert not await is_told(Budget.ALL, Stage.NEAR)
    assert await is_told(Budget.USER, Stage.NEAR, NEXT_DAY)

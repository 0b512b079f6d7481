"""Budgets: what a day's tokens allow, and how far what runs at once can go beyond."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as checked
from hypothesis import strategies as st

from gaia.core import budgets
from gaia.core.budgets import Budgets, Level, Spending, next_day
from gaia.paths import Home
from gaia.settings.schema import CostsSettings, LimitsSettings, Settings
from gaia.store import usage
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.store.people.users import Role, User, Users
from gaia.store.usage import Budget, Stage, Tariff, Usage
from gaia.swappable import Swappable
from gaia.testing.clock import FakeClock
from tests.harness.effort import rounds
from tests.harness.usage import of_day

SLOTS = 3
LONGEST_TURN = 400
A_DAY = timedelta(days=1).total_seconds()


class Bench:
    """Two users, and what they may use."""

    def __init__(self, database: Database, people: Sequence[User], clock: FakeClock) -> None:
        self.database = database
        self.people = people
        self.clock = clock
        self.settings = Swappable(Settings())
        self.budgets = Budgets(self.settings, clock)
        self.spending = Spending(self.settings, clock)

    def allow(self, *, each: int, together: int) -> None:
        limits = LimitsSettings(user_tokens_per_day=each, tokens_per_day=together)
        costs = CostsSettings(input_price=2.0, output_price=8.0)
        self.settings.replace(Settings(limits=limits, costs=costs))

    async def used_up(self, person: int) -> Budget | None:
        return await self.database.read(self.budgets.used_up, self.people[person].user_id)

    async def use(self, person: int, tokens: int, tariff: Tariff = Tariff.SETTINGS) -> None:
        used = Usage("m", usage.TURN, 1, tokens - tokens // 2, tokens // 2, tariff)
        await self.database.write(self.spending.add, self.people[person].user_id, used)

    async def used(self) -> Sequence[int]:
        """By each, and by both together."""
        with self.database.reading() as session:
            by_one = [
                self.budgets.levels(session, person.user_id)[0].used for person in self.people
            ]
            both = self.budgets.levels(session, self.people[0].user_id)[1].used
        return [*by_one, both]


@pytest.fixture
async def bench(tmp_path: Path, fresh_home: Home) -> AsyncIterator[Bench]:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copy(fresh_home.database, home.database)
    database, clock = await open_database(home), FakeClock()
    users = Users(database, clock)
    people = [await users.create(name, Role.MEMBER) for name in ("Ada", "Bob")]
    yield Bench(database, people, clock)
    await database.close()


@pytest.mark.parametrize(
    ("used", "allowed", "stage"),
    [
        (79, 100, None),
        (80, 100, Stage.NEAR),
        (99, 100, Stage.NEAR),
        (100, 100, Stage.USED_UP),
        (10_000, 0, None),
        (0, 1, None),
        (1, 1, Stage.USED_UP),
    ],
)
def test_four_fifths_are_most_and_nothing_is_no_limit(
    used: int, allowed: int, stage: Stage | None
) -> None:
    assert Level(Budget.USER, used, allowed).stage is stage


async def test_ones_own_budget_stops_oneself_and_that_of_all_everybody(bench: Bench) -> None:
    bench.allow(each=100, together=150)
    await bench.use(0, 100)
    assert await bench.used_up(0) is Budget.USER
    assert await bench.used_up(1) is None
    await bench.use(1, 50)
    assert await bench.used_up(1) is Budget.ALL


async def test_the_model_on_this_machine_uses_no_budget(bench: Bench) -> None:
    bench.allow(each=10, together=10)
    await bench.use(0, 1000, Tariff.FREE)
    assert await bench.used_up(0) is None
    await bench.use(0, 10, Tariff.UNKNOWN)
    assert await bench.used_up(0) is Budget.USER


async def test_a_budget_that_is_raised_counts_at_once_and_a_new_day_has_a_new_one(
    bench: Bench,
) -> None:
    bench.allow(each=10, together=0)
    await bench.use(0, 10)
    assert await bench.used_up(0) is Budget.USER
    bench.allow(each=11, together=0)
    assert await bench.used_up(0) is None
    bench.allow(each=1, together=0)
    bench.clock.advance(A_DAY)
    assert await bench.used_up(0) is None


async def test_what_was_used_is_kept_with_its_cost_at_the_prices_of_now(bench: Bench) -> None:
    bench.allow(each=0, together=0)
    await bench.use(0, 1_000_000)
    ((_, used),) = await bench.database.read(of_day, bench.clock.now().astimezone().date())
    assert used.cost == 5.0


@pytest.mark.parametrize("hour", [0, 9, 23])
def test_the_day_ends_at_the_midnight_of_the_machine(hour: int) -> None:
    now = datetime(2026, 3, 4, hour, 30, tzinfo=UTC)
    midnight = next_day(now)
    assert timedelta(0) < midnight - now <= timedelta(days=1)
    assert midnight.astimezone().time() == datetime.min.time()


def test_a_refusal_says_when_it_goes_on_and_nothing_of_others() -> None:
    midnight = datetime(2026, 3, 5, tzinfo=UTC)
    own = budgets._refused(Budget.USER, midnight, is_group=False)
    assert "at midnight (UTC)" in own
    assert "for you" in own
    assert "for this group" in budgets._refused(Budget.USER, midnight, is_group=True)
    of_all = budgets._refused(Budget.ALL, midnight, is_group=False)
    assert "for you" not in of_all
    assert "all" not in of_all.split()


@checked(
    deadline=None,
    max_examples=rounds(10, thorough=25),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    each=st.integers(0, 1000),
    together=st.integers(0, 1500),
    turns=st.lists(
        st.tuples(st.integers(0, 1), st.integers(1, LONGEST_TURN), st.integers(0, SLOTS)),
        max_size=20,
    ),
)
async def test_no_turn_begins_beyond_a_budget_and_what_runs_then_is_all_that_goes_beyond(
    bench: Bench, each: int, together: int, turns: Sequence[tuple[int, int, int]]
) -> None:
    """Turns of somebody, of a length, after each of which so many end at least."""
    bench.clock.advance(A_DAY)
    bench.allow(each=each, together=together)
    running: deque[tuple[int, int]] = deque()

    async def end_one() -> None:
        await bench.use(*running.popleft())

    for person, length, ending in turns:
        if len(running) == SLOTS:
            await end_one()
        before = await bench.used()
        is_beyond = bool(each and before[person] >= each) or bool(
            together and before[2] >= together
        )
        assert (await bench.used_up(person) is not None) == is_beyond
        if not is_beyond:
            running.append((person, length))
        for _ in range(min(ending, len(running))):
            await end_one()
    while running:
        await end_one()
    for used, allowed in zip(await bench.used(), (each, each, together), strict=True):
        assert not allowed or used < allowed + SLOTS * LONGEST_TURN

"""`gaia costs`: what was used and what it cost, added up, in words and as JSON."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from gaia.cli.costs import as_text, costs_command
from gaia.clock import SystemClock
from gaia.ops.costs import By, Costs, Prices, add_up
from gaia.paths import Home
from gaia.store import usage
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.usage import DayOfUsage, Tariff, Usage

DAY = date(2026, 1, 1)
UNSET = Prices(currency="USD", are_set=False)
NEXT_DAY = DAY + timedelta(days=1)
NAMES = {"u_1": "Ada", "u_2": "Bob"}
PRICED = Usage("gemini-flash", "turn", 12, 1_234_567, 89_012, cost=3.456)
UNPRICED = Usage("gemini-flash", "digest", 3, 10_000, 2_000)
FREE = Usage("qwen", "turn", 7, 900, 100, Tariff.FREE)
USED = [
    DayOfUsage("u_1", DAY, PRICED),
    DayOfUsage("u_1", NEXT_DAY, UNPRICED),
    DayOfUsage("u_2", NEXT_DAY, FREE),
    DayOfUsage("u_3", NEXT_DAY, UNPRICED),
]


def costs(*used: DayOfUsage, by: By = By.USER) -> Costs:
    return add_up(used, NAMES, by=by, since=DAY, until=NEXT_DAY)


@pytest.mark.parametrize(
    ("by", "subjects"),
    [
        (By.USER, ["Ada", "u_3", "Bob"]),
        (By.PURPOSE, ["turn", "digest"]),
        (By.MODEL, ["gemini-flash", "qwen"]),
        (By.DAY, ["2026-01-01", "2026-01-02"]),
    ],
)
def test_each_subject_has_its_sums_and_all_add_up_to_the_total(
    by: By, subjects: Sequence[str]
) -> None:
    made = costs(*USED, by=by)
    assert [line.subject for line in made.lines] == subjects
    assert made.total.calls == sum(line.calls for line in made.lines) == 25
    assert made.total.tokens_in == sum(line.tokens_in for line in made.lines)
    assert made.total.unpriced == sum(line.unpriced for line in made.lines) == 24_000


def test_what_is_free_costs_nothing_and_what_has_no_price_is_not_known() -> None:
    ada, stranger, bob = costs(*USED).lines
    assert (ada.known_cost, ada.unpriced) == (3.456, 12_000)
    assert bob.known_cost == 0.0
    assert stranger.known_cost is None


def test_the_table_fits_and_says_what_is_not_known() -> None:
    told = as_text(costs(*USED), Prices(currency="EUR", are_set=True))
    assert told == (
        "Tokens from 2026-01-01 to 2026-01-02.\n\n"
        "USER   CALLS  TOKENS IN  TOKENS OUT  COST (EUR)\n"
        "Ada       15  1,244,567      91,012       3.46+\n"
        "u_3        3     10,000       2,000   not known\n"
        "Bob        7        900         100        0.00\n"
        "total     25  1,255,467      93,112       3.46+\n\n"
        "The price of 24,000 tokens was not known when they were used."
    )


def test_the_widest_table_fits_80_columns() -> None:
    many = Usage("m" * 100, "turn", 999_999, 9_999_999_999, 9_999_999_999, cost=99_999_999.9)
    prices = Prices(currency="XXXXXXXX", are_set=False)
    told = as_text(costs(DayOfUsage("u_1", DAY, many), by=By.MODEL), prices)
    assert max(map(len, told.splitlines())) <= 80


def test_without_prices_it_tells_where_to_set_them() -> None:
    told = as_text(costs(USED[1]), UNSET)
    assert "not known" in told
    assert told.endswith("set costs.input_price and costs.output_price in gaia.yaml.")


def test_where_nothing_was_used_it_says_so() -> None:
    assert as_text(costs(), UNSET) == (
        "No model was asked from 2026-01-01 to 2026-01-02: --days looks further back."
    )


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    """A home in which Ada used something today, and ten days ago."""
    home = Home(shutil.copytree(fresh_home.root, tmp_path / "home"))
    home.settings_file.write_text("costs: {currency: CHF}\n")
    asyncio.run(_use(home))
    return home


async def _use(home: Home) -> None:
    clock = SystemClock()
    today = clock.now().astimezone().date()
    database = await open_database(home)
    ada = await Users(database, clock).create("Ada", Role.OWNER)
    with database.writing() as session:
        for days in (0, 10):
            usage.add(session, ada.user_id, today - timedelta(days=days), PRICED)
    await database.close()


def called(home: Home, *arguments: str) -> str:
    app = typer.Typer()
    app.command()(costs_command)
    result = CliRunner().invoke(app, arguments, env={"GAIA_HOME": str(home.root)})
    assert result.exception is None, result.output
    return result.stdout


def test_a_script_reads_the_days_that_it_asks_for(home: Home) -> None:
    def total(*arguments: str) -> Mapping[str, object]:
        told: Mapping[str, Mapping[str, object]] = json.loads(called(home, "--json", *arguments))
        return told["total"]

    assert total("--days", "10")["calls"] == 12
    assert total("--days", "11")["calls"] == 24
    assert total("--days", "11")["cost"] == pytest.approx(6.912)
    told = json.loads(called(home, "--json", "--by", "model"))
    assert (told["currency"], told["lines"][0]["subject"]) == ("CHF", "gemini-flash")


def test_a_broken_file_of_settings_hides_no_costs(home: Home) -> None:
    home.settings_file.write_text("costs: {currency: ''}\n")
    assert "COST (USD)" in called(home)


def test_a_home_without_a_database_gets_none(tmp_path: Path) -> None:
    assert "No model was asked" in called(Home(tmp_path))
    assert list(tmp_path.iterdir()) == []

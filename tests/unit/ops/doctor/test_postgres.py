"""What the doctor says of a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import URL

from gaia.errors import NewerStoreError, StoreError
from gaia.findings import Outcome, failures
from gaia.ops.doctor.databases import database_check, journals_check
from gaia.ops.doctor.machine import Times, file_system_checks
from gaia.ops.doctor.postgres import look_at
from gaia.ops.report_parts import for_owner, offline_report
from gaia.paths import Home
from gaia.store.location import VARIABLE
from gaia.store.migrations import HEAD
from gaia.store.postgres.database import bring_up_to_date
from gaia.testing.clock import FakeClock
from tests.harness.postgres import PostgresServer


@pytest.fixture
def url(postgres: PostgresServer) -> URL:
    return postgres.database()


@pytest.fixture
def home(tmp_path, url, monkeypatch) -> Home:
    monkeypatch.setenv(VARIABLE, url.render_as_string(hide_password=False))
    return Home(tmp_path)


@pytest.fixture
def other(postgres: PostgresServer) -> Iterator[str]:
    """A user who owns nothing."""
    postgres.run("CREATE ROLE other LOGIN")
    yield "other"
    postgres.run("DROP ROLE other")


def unheard(host: str, date: str) -> None:
    """Nobody asks for the time."""


async def test_a_clock_that_is_not_that_of_the_server_is_told(url: URL) -> None:
    times = Times(FakeClock(datetime.now(UTC) + timedelta(hours=1, seconds=30)))
    look_at(url, times.heard)
    (finding,) = await times.check().look()
    assert finding.outcome is Outcome.FAILED
    assert "clock is 1 h 0 min ahead of that of the PostgreSQL database" in finding.detail


def test_one_that_is_well(url: URL) -> None:
    (finding,) = look_at(url, unheard)
    assert finding.outcome is Outcome.OK
    assert f"version {HEAD}" in finding.detail
    assert url.database is not None
    assert url.database in finding.detail


def test_an_empty_one_is_well_too(postgres: PostgresServer) -> None:
    (finding,) = look_at(postgres.database("template0"), unheard)
    assert (finding.outcome, "is empty" in finding.detail) == (Outcome.OK, True)


def test_one_that_may_only_be_read(url: URL, postgres: PostgresServer) -> None:
    postgres.run(f"ALTER DATABASE {url.database} SET default_transaction_read_only = on")
    (finding,) = look_at(url, unheard)
    assert finding.outcome is Outcome.FAILED
    assert "can only be read" in finding.detail


def test_one_of_somebody_else(url: URL, other: str) -> None:
    (finding,) = look_at(url.set(username=other), unheard)
    assert finding.outcome is Outcome.FAILED
    assert "belongs to somebody else" in finding.detail


def test_an_empty_one_in_which_nothing_may_be_made(postgres: PostgresServer, other: str) -> None:
    url = postgres.database("template0")
    (finding,) = look_at(url.set(username=other), unheard)
    assert finding.outcome is (Outcome.OK if "is empty" in finding.detail else Outcome.FAILED)


def test_one_that_is_not_there(url: URL) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        look_at(url.set(database="nowhere"), unheard)


def test_one_on_a_server_that_is_too_old(url: URL, postgres: PostgresServer) -> None:
    postgres.pretend(url, 12)
    for look in (partial(look_at, heard=unheard), bring_up_to_date):
        with pytest.raises(StoreError) as caught:
            look(url)
        (finding,) = failures(caught.value)
        assert finding.detail.endswith("is of PostgreSQL 12, which is too old")
        assert finding.remedy == "Move it to a server of version 13 or later."


def test_a_newer_one(url: URL, postgres: PostgresServer) -> None:
    postgres.run_in(url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerStoreError, match="9999"):
        look_at(url, unheard)


async def test_no_file_is_looked_for(home: Home) -> None:
    check = database_check(home, unheard)
    (finding,) = await check.look()
    assert "PostgreSQL" in finding.detail
    (finding,) = await journals_check(home, None).look()  # type: ignore[arg-type]
    assert "looks after its own" in finding.detail
    assert file_system_checks(home) == []
    assert not home.database.exists()


async def test_the_status_of_a_gaia_that_does_not_run_says_where_it_is(
    home: Home, url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = await offline_report(home, FakeClock(), "it does not run")
    lines = {line.subject: line.text for line in for_owner(report)}
    assert lines["database"] == f"the PostgreSQL database {url.database!r} at this machine"
    assert report.inbox is not None
    away = URL.create("postgresql", "ada", "secret", "127.0.0.1", 9, "gaia")
    monkeypatch.setenv(VARIABLE, away.render_as_string(hide_password=False))
    report = await offline_report(home, FakeClock(), "it does not run")
    said = [line.text for line in for_owner(report) if line.subject == "database"]
    assert said[0] == "the PostgreSQL database 'gaia' at 127.0.0.1:9"
    assert said[1].startswith("does not work: the PostgreSQL database 'gaia'")
    assert "secret" not in report.model_dump_json()

"""What stops a copy in the middle, or makes it differ, leaves nothing of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL

from gaia.errors import StoreError
from gaia.ops.database_copy.copy import Counting, copy_database
from gaia.paths import Home
from tests.harness.copies import quiet, read_file, read_url, run_at, run_in, tables_at
from tests.harness.postgres import PostgresServer

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).parent / "programs" / "killed_copy.py"
PATIENCE_SECONDS = 30.0

Use = Callable[[URL | None], None]


def kill_in(step: str, home: Home, target: URL | None, *, rows: int = 3000) -> None:
    """Copy in a process that is killed."""
    address = target.render_as_string(hide_password=False) if target else ""
    process = subprocess.run(
        (sys.executable, PROGRAM, home.root, address, step, str(rows)),
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert process.returncode == -signal.SIGKILL


def at(step: str, rows: int, action: Callable[[], object]) -> Counting:
    """Does something once, when so many rows of a step are done."""

    @contextmanager
    def counting(what: str) -> Iterator[Callable[[int, int], None]]:
        waits = [what == step]

        def told(done: int, total: int) -> None:
            if waits[0] and done >= rows:
                waits[0] = False
                action()

        yield told

    return counting


@pytest.mark.slow
@pytest.mark.parametrize("step", ["copying", "comparing"])
def test_a_killed_copy_to_postgresql_leaves_nothing(full_home: Home, bare: URL, step: str) -> None:
    kill_in(step, full_home, bare)
    until_gone(bare)
    assert tables_at(bare) == []
    copy_database(full_home, bare, quiet)
    assert read_url(bare) == read_file(full_home.database)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["copying", "comparing"])
def test_a_killed_copy_to_a_file_leaves_nothing(
    full_home: Home, bare: URL, use: Use, step: str
) -> None:
    before = read_file(full_home.database)
    copy_database(full_home, bare, quiet)
    full_home.database.unlink()
    use(bare)
    kill_in(step, full_home, None)
    assert run_in(full_home.database, "SELECT name FROM sqlite_master") == []
    copy_database(full_home, None, quiet)
    assert read_file(full_home.database) == before


def until_gone(url: URL) -> None:
    """Wait until the server has noticed that somebody was killed."""
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    until = time.monotonic() + PATIENCE_SECONDS
    while run_at(url, others) != [(1,)]:
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize("step", ["copying", "comparing"])
def test_a_lost_connection_leaves_nothing(
    full_home: Home, bare: URL, postgres: PostgresServer, step: str
) -> None:
    ended = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE datname = '{bare.database}' AND application_name = 'gaia'"
    )
    losing = at(step, 3000, lambda: postgres.run(ended))
    with pytest.raises(StoreError, match="does not answer"):
        copy_database(full_home, bare, losing)
    assert tables_at(bare) == []
    copy_database(full_home, bare, quiet)


def test_who_interrupts_a_copy_into_a_file_leaves_none(
    full_home: Home, bare: URL, use: Use
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    copy_database(full_home, bare, quiet)
    full_home.database.unlink()
    use(bare)
    with pytest.raises(KeyboardInterrupt):
        copy_database(full_home, None, at("comparing", 3000, interrupt))
    assert list(full_home.root.glob("gaia.db*")) == []


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (
            "ALTER TABLE usage ALTER COLUMN cost TYPE real",
            r"table 'usage', the row with user_id 'u_\w+', day '2026-02-0\d', purpose 'turn', "
            r"model 'm' has another value in the copy \(cost\)",
        ),
        (
            "CREATE RULE lost AS ON INSERT TO identities DO INSTEAD NOTHING",
            "table 'identities', the row with channel 'whatsapp', sender '.491' is not in the copy",
        ),
        (
            "CREATE RULE more AS ON INSERT TO usage DO ALSO INSERT INTO job_runs "
            "(name, due_at, attempts, error) VALUES (NEW.day, now(), 0, '') ON CONFLICT DO NOTHING",
            "table 'job_runs', the row with name '2026-01-01' is in the copy alone",
        ),
        (
            "CREATE RULE changed AS ON INSERT TO digests DO ALSO "
            "UPDATE users SET memory_version = 0",
            r"table 'users', the row with user_id 'u_\w+' has another value in the copy "
            r"\(memory_version\)",
        ),
        (
            "ALTER TABLE outbox_files ADD CHECK (length(content) < 3)",
            "table 'outbox_files', the row with outbox_id 1 cannot be kept in the target",
        ),
        (
            "ALTER TABLE memories ADD CHECK (memory_id < 1300)",
            r"table 'memories', one with memory_id \d+ to memory_id \d+ cannot be kept",
        ),
    ],
    ids=["narrow", "lost", "more", "changed", "refused", "refused in many"],
)
def test_a_copy_that_differs_is_not_kept(full_home: Home, empty: URL, odd: str, told: str) -> None:
    run_at(empty, odd)
    with pytest.raises(StoreError, match=told):
        copy_database(full_home, empty, quiet)
    assert not any(read_url(empty).values())


def test_a_row_that_cannot_be_read_is_named(full_home: Home, bare: URL) -> None:
    run_in(full_home.database, "UPDATE events SET said_at = 'tomorrow'")
    with pytest.raises(StoreError, match="table 'events' has a row that cannot be read"):
        copy_database(full_home, bare, quiet)
    assert tables_at(bare) == []

"""What `gaia database` prints, and what it asks for."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL
from typer.testing import CliRunner

from gaia.cli import database
from gaia.cli.main import app
from gaia.errors import AlreadyRunningError, StoreError
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.location import VARIABLE
from gaia.store.lock import DaemonLock
from gaia.store.migrations import HEAD
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.store.people.pairing_tables import StrangerRow
from gaia.testing.clock import START
from tests.harness.postgres import PostgresServer

pytestmark = pytest.mark.sqlite

PASSWORD = "hush-7-canary"


@pytest.fixture
def here(tmp_path: Path, fresh_home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copy(fresh_home.database, home.database)

    async def fill() -> None:
        database: Database = await open_database(home)
        await database.write(identities.create, "Ada", Role.OWNER, now=START)
        with database.writing() as session:
            row = StrangerRow(channel="a", sender="b\0", attempts=0, attempts_since=START)
            session.add(row)
        await database.close()

    asyncio.run(fill())
    monkeypatch.setenv("GAIA_HOME", str(home.root))
    return home


@pytest.fixture
def address(postgres: PostgresServer) -> str:
    """The address of an empty database, with a password, which the server does not ask for."""
    return addressed(postgres.database("template1"))


def addressed(url: URL) -> str:
    return (
        url.set(drivername="postgres", password=PASSWORD)
        .update_query_dict({"sslpassword": PASSWORD})
        .render_as_string(hide_password=False)
    )


def gaia(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["database", *arguments], catch_exceptions=False)
    assert result.exit_code == code
    assert PASSWORD not in result.output
    return result.stdout


def test_a_copy_tells_what_it_did_and_what_comes_next(
    here: Home, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(database.VARIABLE, address)
    told = gaia("copy")
    assert "TABLE      ROWS\nstrangers  1\nusers      1\n\nCopied 2 rows of 2 tables" in told
    assert "each row was compared" in told
    assert "But 1 text (in strangers) had a NUL" in told
    assert f"{here.env_file} has GAIA_DATABASE_URL=postgresql://postgres:***@/gaia_" in told
    assert f"stays as it is in {here.database}: remove it once all is well" in told

    monkeypatch.setenv(VARIABLE, address)
    here.database.unlink()
    told = gaia("copy", "--to", "sqlite")
    assert f"into {here.database}: each row was compared" in told
    assert "NUL" not in told
    assert "once database.url is empty in gaia.yaml, and GAIA_DATABASE_URL is neither" in told
    assert "stays as it is in the PostgreSQL database: remove it once all is well" in told


def test_a_copy_for_a_script(here: Home, postgres: PostgresServer) -> None:
    url = postgres.database().set(drivername="postgresql").render_as_string(hide_password=False)
    told = json.loads(gaia("copy", "--to", url, "--json"))
    assert list(told["rows"]) == sorted(told["rows"])
    assert told["rows"]["users"] == 1
    assert told["rows"]["memories"] == 0
    assert told["changed_texts"] == {"strangers": 1}
    assert told["target"].startswith("the PostgreSQL database 'gaia_")
    assert (
        told["next"]
        == f"gaia uses it once {here.settings_file} has 'database: {{url: \"{url}\"}}'."
    )


@pytest.mark.slow
def test_the_address_may_be_typed_and_is_not_shown(here: Home, address: str) -> None:
    with pytest.raises(StoreError, match="there is no target: say --to postgresql://"):
        gaia("copy")
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        (sys.executable, "-m", "gaia", "database", "copy"),
        stdin=end,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # In a session of its own it has no terminal but that one.
        start_new_session=True,
    )
    assert process.stdout is not None
    asked = b""
    while not asked.endswith(b": ") and (more := os.read(process.stdout.fileno(), 1)):
        asked += more
    # What was typed before it asked is not read.
    os.write(terminal, f"{address}\n".encode())
    told, _ = process.communicate()
    os.close(terminal)
    os.close(end)
    assert asked.endswith(b"Address of the target: ")
    assert b"Copied 2 rows" in told
    assert PASSWORD.encode() not in told


@pytest.mark.parametrize(
    "to", ["", f"mysql://a:{PASSWORD}@b/c", "gaia.db", f"postgresql://a:{PASSWORD}@b:x/c"]
)
def test_what_is_no_target_is_not_repeated(here: Home, to: str) -> None:
    with pytest.raises(StoreError, match="target") as refused:
        gaia("copy", "--to", to)
    lack = "the target is not the address of a PostgreSQL database" if to else "there is no target"
    assert str(refused.value).startswith(lack)
    assert ": say --to" in str(refused.value)
    assert PASSWORD not in str(refused.value)


def test_a_daemon_that_runs_is_told(here: Home, address: str) -> None:
    with DaemonLock(here), pytest.raises(AlreadyRunningError):
        gaia("copy", "--to", address)


def test_what_is_there_is_shown(
    here: Home, address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    version = f", version {HEAD} of its tables\nTABLE      ROWS\nstrangers  1\nusers      1\n"
    assert gaia("show") == f"{here.database}{version}"
    shown = json.loads(gaia("show", "--json"))
    assert (shown["database"], shown["revision"]) == (str(here.database), HEAD)
    assert (shown["rows"]["users"], shown["rows"]["memories"]) == (1, 0)
    gaia("copy", "--to", address)
    monkeypatch.setenv(VARIABLE, address)
    assert gaia("show").endswith(f" at this machine{version}")
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("GAIA_HOME", str(tmp_path / "none"))
    assert "has no tables yet" in gaia("show")

"""What the files tell of a gaia that does not run."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from gaia.messages import Address, Inbound
from gaia.ops.report_parts import for_owner, offline_report
from gaia.paths import Home
from gaia.store import conversations, inbox, revision
from gaia.store.migrations import HEAD
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import START, FakeClock


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    shutil.copytree(fresh_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


async def words(home: Home) -> list[str]:
    report = await offline_report(home, FakeClock(), "gaia does not run")
    return [f"{line.subject}: {line.text}" for line in for_owner(report)]


async def leave_a_message(home: Home) -> None:
    database = await open_database(home)
    ada = await Users(database, FakeClock()).create("ada", Role.OWNER)
    said = Inbound(Address("terminal", "ada"), "ada", "1", "hello", START)
    with database.writing() as session:
        conversation = conversations.find_or_create(
            session, user_id=ada.user_id, channel="terminal", chat="ada", direct=True, now=START
        )
        inbox.record(session, said, conversation, is_command=False, now=START - timedelta(hours=2))
    await database.close()


async def test_a_home_that_was_never_used_has_nothing_to_tell(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert await words(home) == ["gaia: does not run", f"home: {tmp_path}"]
    assert not home.database.exists()


@pytest.mark.sqlite
async def test_what_waits_and_since_when_it_is_quiet_is_told(home: Home) -> None:
    log = home.logs / "gaia.log"
    log.touch()
    quiet_since = (START - timedelta(hours=3)).timestamp()
    os.utime(log, (quiet_since, quiet_since))
    await leave_a_message(home)
    assert (await words(home))[2:] == [
        "log: the last line was written 3 h 0 min ago",
        "inbox: 1 waiting, the oldest for 2 h 0 min",
        "outbox: 0 waiting",
    ]


@pytest.mark.sqlite
async def test_a_database_of_an_older_gaia_tells_nothing_and_a_broken_one_why(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision, "REVISIONS", ("0000", HEAD))
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("UPDATE alembic_version SET version_num = '0000'")
        database.commit()
    assert len(await words(home)) == 2
    home.database.write_bytes(b"Dear diary, " * 1000)
    (fault,) = (await words(home))[2:]
    assert fault.startswith(f"database: does not work: '{home.database}' is damaged")

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gaia.findings import Outcome
from gaia.ops.doctor.databases import database_checks
from gaia.ops.doctor.running import Examined, examine
from gaia.paths import Home
from gaia.store import opening
from gaia.store.migrations import HEAD
from gaia.store.opening import QUICK_CHECK_BYTES, open_database


@pytest.fixture
def home(tmp_path: Path, fresh_home: Home) -> Home:
    shutil.copytree(fresh_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


async def found(home: Home) -> list[Examined]:
    return [each async for each in examine(database_checks(home), lambda check: None)]


async def outcomes(home: Home) -> list[Outcome]:
    return [finding.outcome for each in await found(home) for finding in each.findings]


async def test_databases_are_fine_while_the_daemon_has_them_open(home: Home) -> None:
    database = await open_database(home)
    with database.writing():
        (database_found,) = await found(home)
    await database.close()
    assert database_found.findings[0].detail == f"gaia.db is whole, of version {HEAD}"


async def test_databases_that_are_not_there_are_fine_and_are_not_made(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert await outcomes(home) == [Outcome.OK]
    assert not home.database.exists()


async def test_a_database_of_a_newer_gaia_fails(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    (examined,) = await found(home)
    (finding,) = examined.findings
    assert finding.outcome is Outcome.FAILED
    assert "'9999'" in finding.detail
    assert finding.remedy == "Install that version, or move the file away."


async def test_a_database_of_an_older_gaia_is_fine(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "REVISIONS", ("0000", HEAD))
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("UPDATE alembic_version SET version_num = '0000'")
        database.commit()
    (examined,) = await found(home)
    assert "older version 0000: the next start renews it" in examined.findings[0].detail


async def test_a_damaged_page_is_found_in_a_large_database_as_well(home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute("CREATE TABLE large (id INTEGER PRIMARY KEY, filling BLOB)")
        rows = [(b"." * 3000,)] * (QUICK_CHECK_BYTES // 3000)
        database.executemany("INSERT INTO large (filling) VALUES (?)", rows)
        database.commit()
    size = home.database.stat().st_size
    assert size > QUICK_CHECK_BYTES
    assert await outcomes(home) == [Outcome.OK]
    with home.database.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    (examined,) = await found(home)
    assert examined.findings[0].outcome is Outcome.FAILED
    assert "'backups'" in examined.findings[0].remedy


async def test_a_file_of_something_else_fails(home: Home) -> None:
    home.database.write_bytes(b"Dear diary, " * 1000)
    assert await outcomes(home) == [Outcome.FAILED]

"""The daemon ends well, whatever the index is about."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gaia.clock import SystemClock
from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.paths import Home
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people.identities import Role
from gaia.store.people.users import Users
from tests.harness.processes import running_daemon

SETTINGS = """
model: {provider: openai, name: none, base_url: 'http://127.0.0.1:9'}
web: {enabled: false}
"""
LOOK_SECONDS = 0.01


async def test_a_daemon_that_is_stopped_while_it_loads_its_index_ends_well(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    home.settings_file.write_text(SETTINGS)
    database, clock = await open_database(home), SystemClock()
    ada = await Users(database, clock).create("ada", Role.OWNER)
    with database.writing() as session:
        said = Statement("the gate code is blue", MemorySource.USER)
        ledger.add(session, ada.user_id, said, clock.now())
    await database.close()
    async with running_daemon(home, environ={"OPENAI_API_KEY": "x"}) as daemon:
        # Its native code is loaded in the middle of it.
        maps = Path(f"/proc/{daemon.pid}/maps")
        while "chromadb_rust" not in maps.read_text():  # noqa: ASYNC110, ASYNC240
            await asyncio.sleep(LOOK_SECONDS)
        assert await daemon.terminate() == 0
    assert daemon.log[-1].endswith("gaia has stopped")

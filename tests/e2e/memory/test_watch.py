"""`gaia memory watch` beside a daemon: the folder and the memory follow each other."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

from watchfiles import awatch

from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.testing.clock import START
from tests.e2e.conftest import RunGaia, RunningDaemon

SETTINGS = 'model: {provider: openai, base_url: "http://127.0.0.1:9/v1"}\nweb: {enabled: false}\n'
POT = "The gate code is under the blue pot"


async def until_written(file: Path, words: str) -> None:
    """Return once a file says something."""
    async for _ in awatch(file.parent, step=50, rust_timeout=200, yield_on_timeout=True):
        if says(file, words):
            return


def says(file: Path, words: str) -> bool:
    return words in file.read_text()


async def test_the_folder_and_the_memory_follow_each_other(
    home: Home, tmp_path: Path, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    home.settings_file.write_text(SETTINGS)
    database = await open_database(home)
    await database.write(identities.create, "Ada", Role.OWNER, now=START)
    await database.close()
    folder = tmp_path / "notes"
    memory = folder / "MEMORY.md"

    async def texts() -> list[str]:
        done = await run_gaia(home, "memory", "list", "--json")
        return [each["text"] for each in json.loads(done.stdout)["memories"]]

    async with running_daemon(home), asyncio.timeout(60):
        await run_gaia(home, "memory", "add", POT)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "gaia", "memory", "watch", str(folder), "--yes"),
            stdin=DEVNULL,
            stdout=PIPE,
            env={**os.environ, "GAIA_HOME": str(home.root), "PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout is not None

        async def until_told(words: str) -> None:
            while words not in (line := (await process.stdout.readline()).decode()):  # type: ignore[union-attr]
                assert line, "it has ended"

        try:
            await until_told("in step")
            assert POT in memory.read_text()
            await run_gaia(home, "memory", "add", "I ski")
            await until_written(memory, "I ski")
            edited = memory.read_text().replace("blue pot", "red pot")
            memory.write_text(f"{edited}- I row\n")
            await until_told("Took 2 memories")
            assert await texts() == ["I row", POT.replace("blue", "red"), "I ski"]
            await until_written(memory, "I row <!-- gaia:")
            whole = memory.read_bytes()
            memory.write_bytes(whole + b"- \xff\n")
            await until_told("'MEMORY.md' is not UTF-8")
            memory.write_bytes(whole)
            lines = memory.read_text().split("\n")
            memory.write_text("\n".join(each for each in lines if "pot" not in each))
            await until_told("Forgot 1 memory")
            assert await texts() == ["I row", "I ski"]
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 130
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

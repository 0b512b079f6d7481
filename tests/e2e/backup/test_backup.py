"""A backup of a gaia that runs, a home that is made of it, and what is forgotten meanwhile."""

import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from gaia.clock import SystemClock
from gaia.ops.backup.archives import archives_in
from gaia.paths import Home
from gaia.store.location import VARIABLE
from tests.harness.databases import another_database, url_of
from tests.harness.forked import ForkServer
from tests.harness.household import Household
from tests.harness.learning_model import LearningModel
from tests.harness.processes import run_gaia
from tests.harness.scripted_daemon import Daemons
from tests.servers.model_server import running_model_server
from tests.servers.telegram import running_telegram

pytestmark = pytest.mark.asyncio(loop_scope="session")

POT = "The gate code note lies under the cobaltine pot"
WHERE = "Where is the gate code note?"


@pytest_asyncio.fixture(loop_scope="session")
async def household(home: Home, forge: Daemons) -> AsyncIterator[Household]:
    async with (
        running_model_server(shaped=LearningModel()) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        yield Household(home, forge, model, telegram)


def hold(archive: Path, word: bytes) -> bool:
    """Whether a file of the archive holds the word. What a dump has is compressed."""
    with tarfile.open(archive) as tar:
        files = {member.name: file.read() for member in tar if (file := tar.extractfile(member))}
    dump = files.pop("gaia.dump", b"")
    if dump:
        told = subprocess.run(
            ("pg_restore", "--file=-"), input=dump, capture_output=True, check=True
        )
        files["its statements"] = told.stdout
    return any(word in file for file in files.values())


async def test_a_restored_home_answers_and_a_forgotten_word_leaves_the_backups(
    household: Household, forks: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gaia(home: Home, *arguments: str) -> str:
        finished = await run_gaia(home, *arguments, start=forks.start)
        assert finished.code == 0, (finished.stdout, finished.stderr)
        return finished.stdout

    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        await ada.ask(f"/remember {POT}")
        await ada.ask("Good morning")
        told = await gaia(household.home, "backup", "create", "--with-secrets", "--json")
        made = json.loads(told)
        assert made["manifest"]["while_running"]
        elsewhere = Path(shutil.copy(made["path"], tmp_path))
        assert hold(elsewhere, b"cobaltine")

        question = await ada.ask("/forget cobaltine")
        confirmation = re.search(r"/forget yes \d+", question)
        assert confirmation
        await ada.ask(confirmation[0])
        await household.until(lambda: str(made["path"]) not in paths(household.home))
        (fresh,) = archives_in(household.home.backups)
        assert fresh.is_nightly
        assert not hold(fresh.path, b"cobaltine")

    if (url := url_of(household.home)) is not None:
        empty = another_database(url, "template0").render_as_string(hide_password=False)
        monkeypatch.setenv(VARIABLE, empty)
    restored = replace(household, home=Home(tmp_path / "restored"))
    await gaia(restored.home, "backup", "restore", str(elsewhere))
    async with restored.awake(), restored.at_terminal("ada") as ada:
        await restored.until(restored.memory_works)
        await gaia(restored.home, "doctor")
        await ada.ask(WHERE)
        assert POT in str(restored.model.requests[-1].body)
        assert "Good morning" in restored.model.requests[-1].user_texts


def paths(home: Home) -> list[str]:
    """The backups in the home's folder."""
    return [str(archive.path) for archive in archives_in(home.backups)]

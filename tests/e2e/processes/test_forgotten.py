"""What is forgotten through one gaia goes from the files of the homes of all, whatever becomes of
their processes meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from gaia.store.location import VARIABLE
from tests.harness.cluster import Cluster, Gaia
from tests.harness.databases import content
from tests.harness.learning_model import LearningModel
from tests.harness.traces import files_with
from tests.harness.window import GAIA, window

PEOPLE = (1000,)
WORD = "cobaltine"
POT = f"The gate code note lies under the {WORD} pot"
TEA = "I drink my tea without milk"
WISHES = "SELECT 1 FROM forgets"
WIPES = "SELECT 1 FROM home_wipes"
WIPED = "SELECT 1 FROM audit WHERE action = 'home wiped'"
LONG_AGO = "UPDATE homes SET seen_at = '2000-01-01'"


class Homes:
    """Two gaias. At the one that does not lead somebody has typed and exported words."""

    def __init__(self, cluster: Cluster, run_gaia, folder: Path) -> None:
        self.cluster = cluster
        self._run_gaia = run_gaia
        self.exported = folder / "exported.md"
        leader = cluster.leader()
        assert leader is not None
        self.leader: Gaia = leader
        (self.other,) = [each for each in cluster.gaias if each is not leader]
        url = cluster.url
        assert url is not None
        self._url = url
        self._environ = {VARIABLE: url.render_as_string(hide_password=False)}

    async def furnish(self) -> None:
        environ = {**os.environ, **self._environ, "GAIA_HOME": str(self.other.home.root)}
        async with window(*GAIA, "chat", environ={**environ, "TERM": "xterm"}) as chat:
            for said in (POT, TEA):
                await chat.answer("> ", f"/remember {said}")
                await chat.shows(f"“{said}”")
        await self.run(self.other, "memory", "export", str(self.exported))
        with (self.other.home.logs / "gaia.log.1").open("w") as log:
            log.write(f"said {POT}\nsaid {TEA}\n")
        assert self.traces() == ["exported.md", "home/logs/gaia.log.1", "home/terminal_history"]

    async def forget(self) -> None:
        """Have it forgotten at the one that leads."""
        await self.run(self.leader, "memory", "forget", WORD, "--yes")

    async def run(self, gaia: Gaia, *arguments: str) -> str:
        finished = await self._run_gaia(gaia.home, *arguments, environ=self._environ)
        assert finished.code == 0, finished.stderr
        return finished.stdout

    def traces(self) -> Sequence[str]:
        """Where the word still is, but in the database."""
        homes = [each.home.root for each in self.cluster.gaias]
        found = [f"home/{file}" for home in homes for file in files_with(home, WORD)]
        exported = self.exported.exists() and WORD in self.exported.read_text()
        return [*(["exported.md"] if exported else []), *found]

    async def until_forgotten(self) -> None:
        await self.cluster.until(lambda: self.cluster.rows(WISHES) == [], seconds=60)
        assert self.traces() == []
        assert WORD.encode() not in content(self._url)

    def history(self) -> str:
        return self.other.home.terminal_history.read_text()


@pytest.fixture
def homes_of(run_gaia, tmp_path: Path):
    async def furnished(cluster: Cluster) -> Homes:
        await cluster.start()
        homes = Homes(cluster, run_gaia, tmp_path)
        await homes.furnish()
        return homes

    return furnished


@pytest.mark.timeout(180)
async def test_what_was_typed_and_exported_at_one_is_forgotten_through_another(made, homes_of):
    async with made(2, PEOPLE, LearningModel()) as cluster:
        homes = await homes_of(cluster)
        await homes.forget()
        await homes.until_forgotten()
        assert TEA in homes.history()
        assert TEA in homes.exported.read_text()
        assert cluster.rows(WIPED) == []


@pytest.mark.timeout(180)
async def test_one_that_is_killed_while_it_cleans_goes_on_at_its_next_start(made, homes_of):
    async with made(2, PEOPLE, LearningModel()) as cluster:
        homes = await homes_of(cluster)
        # Reading it waits for a writer: the history and the logs are cleaned by then.
        known = homes.other.home.exports_file
        words = known.read_text()
        known.unlink()
        os.mkfifo(known)
        await homes.forget()
        writers: list[int] = []
        await cluster.until(lambda: is_read(known, writers))
        assert homes.traces() == ["exported.md"]
        homes.other.send(signal.SIGKILL)
        await homes.other.ended()
        os.close(*writers)
        known.unlink()
        known.write_text(words)
        assert cluster.rows(WISHES) != []
        await homes.other.start()
        await homes.until_forgotten()
        assert TEA in homes.history()
        assert cluster.rows(WIPED) == []


@pytest.mark.timeout(180)
async def test_one_that_was_down_loses_it_when_it_comes_back(made, homes_of):
    async with made(2, PEOPLE, LearningModel()) as cluster:
        homes = await homes_of(cluster)
        homes.other.send(signal.SIGTERM)
        assert await homes.other.ended() == 0
        cluster.execute(LONG_AGO)
        await homes.forget()
        await cluster.until(lambda: cluster.rows(WISHES) == [], seconds=60)
        assert homes.traces() == ["exported.md", "home/logs/gaia.log.1", "home/terminal_history"]
        assert WORD.encode() not in content(cluster.url)
        await homes.other.start()
        await cluster.until(lambda: cluster.rows(WIPES) == [], seconds=60)
        await homes.until_forgotten()
        assert homes.history() == ""
        assert not homes.exported.exists()
        assert len(cluster.rows(WIPED)) == 1
        assert "home wiped" in await homes.run(homes.leader, "audit")


def is_read(pipe: Path, writers: list[int]) -> bool:
    """Whether somebody waits for what comes out of a pipe; nothing does while it has a writer."""
    with suppress(OSError):
        writers.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    return bool(writers)

"""`gaia sessions digest`, beside a daemon that does it and without one."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette
from typer.testing import CliRunner, Result

from gaia.cli.sessions import app as sessions_command
from gaia.errors import LearningOffError, ModelUnavailableError, UnknownUserError
from gaia.memory.extraction import Extraction, Reader
from gaia.paths import Home
from gaia.settings.schema import MemorySettings, Settings
from gaia.store.digest_tables import DigestState
from gaia.testing.clock import until
from gaia.web.server import WebServer, listen_on_path
from tests.harness.digests import Read, ScriptedAsk, ScriptedExtractor, uncleared


@pytest.fixture
def home(fresh_home: Home) -> Iterator[Home]:
    """A home whose path is short enough for a socket, unlike pytest's own folders."""
    with tempfile.TemporaryDirectory(prefix="gaia") as folder:
        yield Home(shutil.copytree(fresh_home.root, Path(folder) / "home"))


@asynccontextmanager
async def served(core, home: Home) -> AsyncIterator[None]:
    server = WebServer(Starlette(routes=core.app.local_routes), listen_on_path(home.control_socket))
    task = asyncio.create_task(server.run_until_cancelled())
    await until(lambda: server.started)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def run(home: Home, *words: str) -> Result:
    runner = CliRunner(env={"GAIA_HOME": str(home.root)})
    return await asyncio.to_thread(runner.invoke, sessions_command, ["digest", *words])


def reader(*answers: Extraction | Exception) -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(answers))


def tells(text: str) -> Reader:
    def answer(_: Read) -> Extraction:
        return Extraction(text, ())

    return Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(answer))


async def test_a_daemon_digests_at_once_and_tells_of_each(home, core_on):
    async with (
        core_on(home, reader=tells("We spoke of boats."), senders=("ada", "bob")) as core,
        served(core, home),
    ):
        await core.say("I like boats")
        await core.say("I like tea", sender="bob")
        only = await run(home, "--user", "ada")
        assert (only.exit_code, only.stdout) == (0, "ada: 0 memories learned, 0 changed\n")
        all_others = await run(home, "--all", "--json")
        (told,) = json.loads(all_others.stdout)["digests"]
        assert (told["user"], told["state"], told["error"]) == ("bob", "cleared", "")
        assert (await run(home, "--all")).stdout == "There is nothing to read.\n"
        assert len(core.channel.sent) == 2, "nobody else is told"


async def test_what_fails_is_told_with_its_cause_and_tried_again_on_request(home, core_on):
    broken = ModelUnavailableError("the model is down")
    failing = reader(broken, broken, Extraction("We spoke of boats.", ()))
    async with core_on(home, reader=failing) as core, served(core, home):
        await core.say("I like boats")
        for words in (("--all",), ("--retry",)):
            result = await run(home, *words)
            assert result.exit_code == 1
            assert result.stdout == "ada: is tried again in a few minutes: the model is down\n"
        assert (await run(home, "--retry")).exit_code == 0


async def test_whoever_learns_nothing_by_itself_says_so(home, core_on):
    settings = Settings(memory=MemorySettings(auto_ingest=False))
    async with core_on(home, reader=reader(), settings=settings) as core, served(core, home):
        await core.say("I like boats")
        result = await run(home, "--all")
    assert isinstance(result.exception, LearningOffError)
    assert "memory.auto_ingest" in str(result.exception)


async def test_without_a_daemon_the_next_one_does_it(home, core_on):
    async with core_on(home, reader=reader()) as core:
        await core.say("I like boats")
    result = await run(home, "--all")
    assert result.stdout == "gaia does not run: its next start reads 1 conversation.\n"
    async with core_on(home, reader=tells("We spoke of boats.")) as core:
        await core.app.digest_worker.sweep()
        await core.app.digest_worker.flush()
        assert await core.database.read(uncleared) == []


async def test_a_message_that_waits_for_its_answer_keeps_nobody_waiting(home, core_on):
    async with core_on(home, reader=tells("We spoke of boats.")) as core, served(core, home):
        await core.say("I like boats")
        core.model.hold("and tea")
        await core.channel.say("and tea")
        await core.model.until_asked("and tea")
        result = await asyncio.wait_for(run(home, "--all"), timeout=30)
        assert (result.exit_code, result.stdout) == (
            1,
            "ada: waits to be read: messages that are still to be answered come first\n",
        )
        core.model.let_go("and tea")
        await core.until_digested(DigestState.CLEARED)


async def test_it_is_said_whose_conversations_are_meant(home):
    assert isinstance((await run(home)).exception, UnknownUserError)
    assert (await run(home, "--all", "--user", "ada")).exit_code == 2
    assert isinstance((await run(home, "--user", "eve")).exception, UnknownUserError)

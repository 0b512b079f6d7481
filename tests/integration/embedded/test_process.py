"""The life of the model's process, with the real llama.cpp."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from stat import S_IMODE

import httpx
import pytest

from gaia.agent.embedded.server import EmbeddedServer
from gaia.errors import ModelMissingError, ModelUnavailableError
from gaia.memory.index import environment
from gaia.testing.clock import FakeClock, until
from gaia.weights.catalogue import CatalogueModel
from gaia.weights.folder import Weights
from tests.harness.small_model import KEPT_MODELS, SMALL

from .conftest import IDLE_SECONDS, Launcher

ORPHAN_SECONDS = 20.0
"""A bound for what takes milliseconds."""


async def ask(server: EmbeddedServer) -> int:
    """Make a request, and return the process that answered it."""
    async with server.client() as client:
        assert (await client.get("models")).json()["data"]
        assert server.pid is not None
        return server.pid


def environ(pid: int) -> set[str]:
    """The names of the variables that the process was given."""
    told = Path(f"/proc/{pid}/environ").read_text()
    return {each.partition("=")[0] for each in told.split("\0")}


def ends(pid: int) -> bool:
    """Whether the process is gone before long. It need not be a child of ours."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], ORPHAN_SECONDS)[0])
    finally:
        os.close(handle)


async def test_the_process_starts_with_the_first_request_and_serves_the_next(
    launch: Launcher,
) -> None:
    server = launch()
    assert server.pid is None

    assert await ask(server) == await ask(server)


async def test_what_the_memory_index_tells_its_libraries_is_not_for_the_model(
    launch: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {*environment.THREADS, *environment.SILENCE, "MEM0_DIR"}
    for name in names:
        # Set first, so that what is put there in between goes with the test.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    server = launch()
    environment.prepare(tmp_path / "mem0")

    assert names.isdisjoint(environ(await ask(server)))


async def test_the_process_stops_after_idle_time_and_starts_again(
    launch: Launcher, clock: FakeClock
) -> None:
    server = launch()
    first = await ask(server)

    await clock.until_sleeping()
    clock.advance(IDLE_SECONDS)

    assert await asyncio.to_thread(ends, first)
    assert await ask(server) != first


async def test_a_request_begins_the_idle_time_again(launch: Launcher, clock: FakeClock) -> None:
    server = launch()
    first = await ask(server)
    await clock.until_sleeping()
    clock.advance(IDLE_SECONDS - 1)

    assert await ask(server) == first
    await clock.until_sleeping()
    clock.advance(IDLE_SECONDS - 1)

    assert await ask(server) == first


async def test_a_killed_process_is_replaced_for_the_next_request(launch: Launcher) -> None:
    server = launch()
    first = await ask(server)
    os.kill(first, signal.SIGKILL)
    await until(lambda: server.pid is None)

    assert await ask(server) != first


async def test_closing_stops_the_process_for_good(launch: Launcher) -> None:
    server = launch()
    pid = await ask(server)

    await server.close()
    await server.close()

    assert await asyncio.to_thread(ends, pid)
    with pytest.raises(ModelUnavailableError, match="gaia is stopping"):
        await ask(server)


async def test_a_request_without_the_key_is_refused(launch: Launcher) -> None:
    async with launch().client() as client, httpx.AsyncClient(trust_env=False) as stranger:
        answer = await stranger.post(client.base_url.join("completions"), json={"prompt": "x"})
    assert answer.status_code == httpx.codes.UNAUTHORIZED


async def test_a_model_that_is_not_there_is_named_with_the_remedy(
    launch: Launcher, tmp_path: Path
) -> None:
    with pytest.raises(ModelMissingError, match=f"gaia model pull {SMALL}"):
        await ask(launch(folder=tmp_path))


async def test_a_process_that_cannot_load_the_model_says_why(
    launch: Launcher, tmp_path: Path, small_model: CatalogueModel
) -> None:
    server = launch(folder=tmp_path)
    broken = tmp_path / "broken"
    broken.write_bytes(b"this is no model")
    Weights(tmp_path).install(small_model, broken)

    with pytest.raises(ModelUnavailableError, match=r"exit code 1.*embedded\.log.*"):
        await ask(server)
    log = tmp_path / "logs" / "embedded.log"
    assert S_IMODE(log.stat().st_mode) == 0o600


PARENT = f"""
import asyncio, sys
from pathlib import Path
from gaia.weights.catalogue import find_model
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.weights.folder import Weights
from gaia.testing.clock import FakeClock

async def main():
    launch = Launch(find_model({SMALL!r}), Weights(Path({str(KEPT_MODELS)!r})), 2048, 0,
                    Path(sys.argv[1]))
    server = EmbeddedServer(launch, clock=FakeClock(), idle_seconds=60)
    async with server.client():
        print(server.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.usefixtures("small_model")
def test_no_process_outlives_a_gaia_that_was_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "embedded.log")], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()

    assert ends(child)

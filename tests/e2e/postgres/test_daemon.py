"""A gaia that keeps everything in PostgreSQL: nothing in its home makes or misses a gaia.db."""

from __future__ import annotations

import asyncio
import json

import pytest

from gaia.store.location import VARIABLE
from tests.harness.processes import talking
from tests.servers.model_server import Step, spawned_model_server


@pytest.fixture
def kept_there(postgres, monkeypatch):
    postgres.run("CREATE DATABASE day TEMPLATE template0")
    url = postgres.url("day").render_as_string(hide_password=False)
    monkeypatch.setenv(VARIABLE, url)
    yield
    postgres.run("DROP DATABASE day WITH (FORCE)")


@pytest.mark.usefixtures("kept_there")
async def test_a_day_of_it(home, run_gaia, running_daemon, forks):
    async with spawned_model_server(forks.start) as model:
        await model.script(Step(times=None))
        home.settings_file.write_text(
            f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
            "sessions: {settle_seconds: 0}\nweb: {enabled: false}\nmemory: {enabled: false}\n"
        )
        home.env_file.write_text("OPENAI_API_KEY=x\n")
        home.env_file.chmod(0o600)

        async def says(*arguments: str) -> str:
            done = await run_gaia(home, *arguments)
            assert (done.code, done.stderr) == (0, "")
            return done.stdout

        assert "There are no users yet" in await says("users", "list")
        async with running_daemon(home) as daemon:
            async with talking(home, "ada") as ada:
                assert await ada.ask("hello") == "echo: hello"
            assert "owner" in await says("users", "list")
            assert json.loads(await says("status", "--json"))["users"] == 1
            assert "backup" in await says("jobs")
            assert await daemon.terminate() == 0
        assert not [line for line in daemon.log if "ERROR" in line or "Traceback" in line]
        # Without one that runs, and with the next.
        assert "ada" in await says("users", "list")
        assert ":terminal:ada" in await says("sessions", "list", "--all")
        await says("memory", "add", "I like tea", "--user", "ada")
        assert "I like tea" in await says("memory", "list", "--user", "ada")
        assert (await run_gaia(home, "status")).code == 3
        async with running_daemon(home) as daemon, talking(home, "ada") as ada:
            assert await ada.ask("again") == "echo: again"
    found = {file.name for file in await asyncio.to_thread(lambda: list(home.root.iterdir()))}
    assert not {name for name in found if name.startswith("gaia.db")}

"""Who is signed in to the memory page stays so while gaia is started again."""

from __future__ import annotations

import json
import signal

import httpx

from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.testing.clock import START
from tests.e2e.conftest import RunGaia, RunningDaemon
from tests.harness.cluster import free_port
from tests.harness.page_browser import Browser


async def test_a_session_and_a_link_outlive_a_stop_and_a_kill(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    home.settings_file.write_text(
        'model: {provider: openai, base_url: "http://127.0.0.1:9/v1"}\n'
        f"web: {{port: {free_port()}}}\n"
    )
    database = await open_database(home)
    await database.write(identities.create, "Ada", Role.OWNER, now=START)
    await database.close()
    async with httpx.AsyncClient() as client:
        browser = Browser(client)
        links = []
        async with running_daemon(home) as daemon:
            for _ in range(2):
                told = await run_gaia(home, "memory", "page", "--json")
                client.base_url, _, link = json.loads(told.stdout)["url"].partition("/page/")
                links.append(f"/page/{link}")
            assert (await browser.enter(links[0])).status_code == 303
            assert await daemon.terminate() == 0
        async with running_daemon(home) as daemon:
            assert "remembers Ada" in await browser.see("/")
            assert (await browser.enter(links[0])).status_code == 403
            assert await daemon.kill() == -signal.SIGKILL
        async with running_daemon(home):
            assert "signed out" in (await browser.send("/leave")).text
            assert (await browser.enter(links[1])).status_code == 303
            assert "remembers Ada" in await browser.see("/")

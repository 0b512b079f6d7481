"""Changed settings, with a real daemon: they reach conversations that go on, and a mistake in
them never stops it."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.settings.load import default_settings_file
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.harness.mutations import mutated
from tests.harness.processes import DaemonProcess, talking
from tests.servers.model_server import ModelServer, running_model_server
from tests.servers.telegram import running_telegram

CHANGED = "settings changed"
MUTATIONS = 200
TELEGRAM_ID = 100


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with running_model_server() as model:
        yield model


def settings(model: ModelServer, name: str = "one", more: str = "") -> str:
    return (
        f"model: {{provider: openai, name: {name}, base_url: '{model.openai_base_url}'}}\n"
        f"web: {{port: 0}}\n{more}"
    )


async def reload(home: Home) -> dict[str, object]:
    """What the daemon says that it has changed."""
    transport = httpx.AsyncHTTPTransport(uds=str(home.control_socket))
    async with httpx.AsyncClient(transport=transport, timeout=60) as client:
        return dict((await client.post("http://gaia/local/settings/reload")).json())


async def test_a_change_reaches_a_conversation_that_goes_on(home, model, run_gaia, running_daemon):
    home.settings_file.write_text(settings(model))
    async with running_daemon(home) as daemon, talking(home, "ada") as ada:
        assert await ada.ask("My name is Ada.") == "Nice to meet you, Ada."

        changed = settings(model, "two").replace("'}", "', instructions: 'Rhyme.'}")
        home.settings_file.write_text(changed)
        line = await daemon.until_logged(CHANGED)
        assert 'model.name: "one" is now "two"' in line
        assert await ada.ask("What's my name?") == "Your name is Ada."
        request = model.requests[-1]
        assert (request.model, "Rhyme." in request.system) == ("two", True)

        home.settings_file.write_text(settings(model, "three", "sessions: {window_turns: 0}\n"))
        await daemon.until_logged("the settings stay as they were")
        assert await ada.ask("Still there?") == "echo: Still there?"
        assert model.requests[-1].model == "two"
        assert "sessions.window_turns is 0" in await ada.ask("/status")
        refused = await run_gaia(home, "config", "reload")
        assert (refused.code, "sessions.window_turns is 0" in refused.stderr) == (78, True)

        home.settings_file.write_text(settings(model, "three", "memory: {enabled: false}\n"))
        await daemon.until_logged(CHANGED)
        assert "My long-term memory is off" in await ada.ask("/remember the key lies under the pot")
        status = json.loads((await run_gaia(home, "status", "--json")).stdout)
        assert (status["settings"]["ok"], status["memory"]["enabled"]) == (True, False)

        home.settings_file.write_text(settings(model, "four"))
        daemon.send(signal.SIGHUP)
        await daemon.until_logged("SIGHUP")
        await daemon.until_logged(CHANGED)
        assert "Kept in your memory" in await ada.ask("/remember the key lies under the pot")
        assert await ada.ask("What's my name?") == "Your name is Ada."
        nothing = await run_gaia(home, "config", "diff")
        assert nothing.stdout.startswith("No setting differs from those that gaia runs with: ")
        audit = await run_gaia(home, "audit")
        assert audit.stdout.count("configured") >= 3
        assert audit.stdout.count("configuration refused") == 1
        assert await daemon.terminate() == 0


async def test_a_turn_that_runs_ends_with_the_model_it_began_with(home, model, running_daemon):
    home.settings_file.write_text(settings(model))
    async with (
        running_model_server() as other,
        running_daemon(home) as daemon,
        talking(home, "ada") as ada,
    ):
        model.hold()
        asking = asyncio.create_task(ada.ask("slowly"))
        await model.until_asked()
        home.settings_file.write_text(settings(other))
        await daemon.until_logged(CHANGED)
        model.release()
        assert await asking == "echo: slowly"
        assert not other.requests
        assert await ada.ask("and now") == "echo: and now"
        assert len(other.requests) == 1


async def test_only_a_channel_that_changed_starts_again(home, model, running_daemon):
    async with running_telegram(SystemClock()) as telegram:

        def with_telegram(url: str, port: int = 0) -> str:
            return settings(model).replace("port: 0", f"port: {port}") + (
                f"channels: {{telegram: {{enabled: true, base_url: '{url}'}}}}\n"
            )

        def starts() -> int:
            return len(telegram.requests("getMe"))

        await let_in(home)
        home.env_file.write_text(f"GAIA_TELEGRAM_BOT_TOKEN={telegram.token}\n")
        home.env_file.chmod(0o600)
        home.settings_file.write_text(settings(model))
        ada = telegram.person(TELEGRAM_ID, "Ada")
        async with running_daemon(home) as daemon, talking(home, "ada") as at_terminal:
            home.settings_file.write_text(with_telegram(telegram.url))
            await daemon.until_logged("on Telegram as")
            ada.writes("hello")
            await telegram.until(lambda: telegram.texts(ada) == ["echo: hello"])
            async with new_port(home, with_telegram, telegram.url, daemon):
                assert starts() == 1
            ada.writes("written meanwhile")
            home.settings_file.write_text(
                with_telegram(telegram.url.replace("127.0.0.1", "localhost"))
            )
            await daemon.until_logged("on Telegram as")
            ada.writes("and after")
            await telegram.until(lambda: len(telegram.texts(ada)) == 3)
            assert telegram.texts(ada) == [
                "echo: hello",
                "echo: written meanwhile",
                "echo: and after",
            ]
            assert await at_terminal.ask("here too") == "echo: here too"
            home.settings_file.write_text(settings(model))
            await daemon.until_logged("channels.telegram.enabled: true is now false")
            assert await at_terminal.ask("alone") == "echo: alone"
            assert await daemon.terminate() == 0
        assert telegram.violations == ()


async def test_no_mistake_stops_it(home, model, running_daemon):
    """The default file with the model set, changed in 200 ways."""
    home.settings_file.write_text(settings(model))
    whole = default_settings_file().read_text(encoding="utf-8")
    whole = whole.replace(
        "  provider: auto\n  # The model's name", "  provider: openai\n  # The name", 1
    )
    whole = whole.replace('  base_url: ""', f"  base_url: {model.openai_base_url}", 1)
    whole = whole.replace("port: 8642", "port: 0")
    async with running_daemon(home) as daemon, talking(home, "ada") as ada:
        refused = 0
        for number in range(MUTATIONS):
            home.settings_file.write_bytes(mutated(whole, number))
            refused += bool((await reload(home))["problem"])
        assert refused > MUTATIONS // 4
        home.settings_file.write_text(settings(model))
        assert not (await reload(home))["problem"]
        assert await ada.ask("still there?") == "echo: still there?"
        assert await daemon.terminate() == 0


async def test_with_a_mistake_it_starts_with_the_last_good_settings(
    home, model, run_gaia, running_daemon
):
    home.settings_file.write_text(settings(model))
    async with running_daemon(home) as daemon:
        await daemon.terminate()
    home.settings_file.write_text(settings(model, "[two]"))
    async with running_daemon(home) as daemon, talking(home, "ada") as ada:
        assert any("STARTED WITH THE LAST GOOD SETTINGS" in line for line in daemon.log)
        assert await ada.ask("hello") == "echo: hello"
        assert model.requests[-1].model == "one"
        assert "model.name" in (await run_gaia(home, "status")).stdout
        await daemon.terminate()
    home.last_good_settings_file.unlink()
    ended = await run_gaia(home, "serve")
    assert (ended.code, "model.name is a list" in ended.stderr) == (78, True)


async def let_in(home: Home) -> None:
    clock = SystemClock()
    database = await open_database(home)
    await Users(database, clock).create("ada", Role.OWNER, Address("telegram", str(TELEGRAM_ID)))
    await database.close()


@asynccontextmanager
async def new_port(home, text, url: str, daemon: DaemonProcess) -> AsyncIterator[None]:
    """Within the block, the web server has another port than before."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    home.settings_file.write_text(text(url, port))
    await daemon.until_logged("web.port: 0 is now")
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"http://127.0.0.1:{port}/readyz")).json() == {"ready": True}
    yield

"""Secrets that change while gaia runs: each reaches what it belongs to, and nothing else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.e2e.conftest import RunGaia
from tests.harness.processes import DaemonProcess, talking
from tests.servers.model_server import running_model_server
from tests.servers.telegram import running_telegram

RunningDaemon = Callable[..., AbstractAsyncContextManager[DaemonProcess]]

ON_TELEGRAM = 100
WRONG_TOKEN = "7000000001:AA-not-the-token-of-this-server-000"


def write(home: Home, **secrets: str) -> None:
    """Write `.env`."""
    home.env_file.touch(mode=0o600)
    home.env_file.write_text("".join(f"{name}={value}\n" for name, value in secrets.items()))


async def test_a_new_token_starts_telegram_again_and_without_one_the_old_one_holds(
    home: Home, running_daemon: RunningDaemon
) -> None:
    async with running_model_server() as model, running_telegram(SystemClock()) as telegram:
        database = await open_database(home)
        users = Users(database, SystemClock())
        owner = await users.create("ada", Role.OWNER, Address("terminal", "ada"))
        await users.link(owner, Address("telegram", str(ON_TELEGRAM)))
        await database.close()
        settings = (
            f"model: {{provider: openai, name: m, base_url: '{model.openai_base_url}'}}\n"
            f"channels: {{telegram: {{enabled: true, base_url: '{telegram.url}'}}}}\n"
            "web: {enabled: false}\nmemory: {enabled: false}\n"
        )
        home.settings_file.write_text(settings)
        write(home, GAIA_TELEGRAM_BOT_TOKEN=WRONG_TOKEN)
        ada = telegram.person(ON_TELEGRAM, "Ada")
        ada.writes("hello")
        async with running_daemon(home) as daemon, talking(home, "ada") as at_terminal:
            refuses = "Telegram refuses the token"
            if not any(refuses in line for line in daemon.log):
                await daemon.until_logged(refuses)
            assert "refuses the token" in await at_terminal.ask("/status")
            write(home, GAIA_TELEGRAM_BOT_TOKEN=telegram.token)
            await telegram.until(lambda: telegram.texts(ada) == ["echo: hello"])
            assert "refuses the token" not in await at_terminal.ask("/status")

            write(home)
            await daemon.until_logged("the settings stay as they were")
            strict = settings.replace("name: m,", "name: n,") + "limits: {message_characters: 100}"
            home.settings_file.write_text(strict)
            await daemon.until_logged("the settings stay as they were")
            ada.writes("long " * 50)
            await telegram.until(lambda: len(telegram.texts(ada)) == 2)
            assert telegram.texts(ada)[1].startswith("echo: long"), "a mistake was taken in part"
            assert model.requests[-1].model == "m"
            home.settings_file.write_text(settings)
            write(home, GAIA_TELEGRAM_BOT_TOKEN=telegram.token, GEMINI_API_KEY="unused")
            await daemon.until_logged("GEMINI_API_KEY is")
            ada.writes("and now?")
            await telegram.until(lambda: len(telegram.texts(ada)) == 3)
            assert not any("terminal client left" in line for line in daemon.log)
            assert await daemon.terminate() == 0
        assert len(telegram.requests("getMe")) == 1, "another secret started Telegram again"


async def test_a_key_that_is_taken_away_leaves_the_next_provider_to_answer(
    home: Home, running_daemon: RunningDaemon
) -> None:
    async with running_model_server() as model:
        home.settings_file.write_text(
            f"model: {{base_url: '{model.url}'}}\nweb: {{enabled: false}}\n"
            "memory: {enabled: false}\n"
        )
        write(home, GEMINI_API_KEY="one")
        async with running_daemon(home) as daemon, talking(home, "ada") as ada:
            assert await ada.ask("My name is Ada.") == "Nice to meet you, Ada."
            home.settings_file.write_text(
                home.settings_file.read_text().replace(model.url, model.openai_base_url)
            )
            await daemon.until_logged("settings changed")
            write(home)
            await daemon.until_logged("GEMINI_API_KEY is")
            assert await ada.ask("What's my name?") == "Your name is Ada."
            assert [each.protocol for each in model.requests] == ["gemini", "openai"]
            assert await daemon.terminate() == 0


@pytest.mark.parametrize("command", [("serve",), ("config", "check")])
async def test_a_pipe_in_its_place_is_named_at_once(
    home: Home, run_gaia: RunGaia, command: tuple[str, ...]
) -> None:
    os.mkfifo(home.env_file, 0o600)
    async with asyncio.timeout(20):
        ended = await run_gaia(home, *command)
    assert ended.code == 78
    assert "it is a pipe or a device, and no file" in ended.stderr + ended.stdout

"""Files of the home that somebody removes while gaia runs: nothing is taken from then on, and
nothing that was taken is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest

from gaia.agent.models import ChatModel
from gaia.app.daemon import timed
from gaia.clock import SystemClock
from gaia.core.command_runner import CommandRunner
from gaia.messages import Address
from gaia.ops.home_watch import SECONDS
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import until
from gaia.testing.function_model import FunctionModel
from tests.e2e.conftest import RunGaia, RunningDaemon
from tests.harness.databases import url_of
from tests.servers.model_server import Step, running_model_server
from tests.servers.telegram import TelegramServer, running_telegram

PERSON = 100
PATIENCE_SECONDS = 30.0
NOTICED_SECONDS = 3 * SECONDS


@pytest.fixture
async def telegram(home: Home) -> AsyncIterator[TelegramServer]:
    async with (
        running_model_server(Step(times=None)) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        database = await open_database(home)
        owner = Address("telegram", str(PERSON))
        await Users(database, SystemClock()).create("ada", Role.OWNER, owner)
        await database.close()
        home.env_file.touch(mode=0o600)
        home.env_file.write_text(f"GAIA_TELEGRAM_BOT_TOKEN={telegram.token}\n")
        settings = {
            "model": {"provider": "openai", "name": "fake", "base_url": model.openai_base_url},
            "channels": {"telegram": {"enabled": True, "base_url": telegram.url}},
            "sessions": {"settle_seconds": 0},
            "memory": {"enabled": False},
            "web": {"enabled": False},
        }
        home.settings_file.write_text(json.dumps(settings))
        yield telegram


async def answered(telegram: TelegramServer, text: str) -> None:
    telegram.person(PERSON).writes(text)
    await until_answered(telegram, text)


async def until_answered(telegram: TelegramServer, text: str) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        await telegram.until(lambda: any(text in each for each in telegram.texts(PERSON)))


async def health(home: Home) -> int:
    transport = httpx.AsyncHTTPTransport(uds=str(home.control_socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://gaia") as client:
        return (await client.get("/healthz")).status_code


async def until_saved(home: Home) -> Path:
    async with asyncio.timeout(NOTICED_SECONDS):
        await until(lambda: any(home.backups.glob("gaia-at-loss-*.db")))
    return next(home.backups.glob("gaia-at-loss-*.db"))


@pytest.mark.sqlite
async def test_who_is_stopped_or_cannot_start_before_it_is_noticed_saves_it_first(
    home: Home, telegram: TelegramServer, running_daemon: RunningDaemon
) -> None:
    async with running_daemon(home) as daemon:
        await answered(telegram, "first")
        home.database.unlink()
        assert await daemon.terminate() == 0
    (copy,) = home.backups.glob("gaia-at-loss-*.db")
    copy.rename(home.database)

    def broken(self: object) -> None:
        home.database.unlink()
        raise OSError("no port")

    clock, model = SystemClock(), ChatModel(FunctionModel(lambda request: "-"), "openai", "fake")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CommandRunner, "recover", broken)
        with pytest.raises(OSError, match="no port"):
            async with timed(home, clock, model, hang_up=asyncio.Event()):
                pass
    (copy,) = home.backups.glob("gaia-at-loss-*.db")
    copy.rename(home.database)
    async with running_daemon(home):
        await answered(telegram, "second")
    assert b"first" in home.database.read_bytes()


@pytest.mark.sqlite
async def test_a_database_that_is_removed_is_noticed_saved_and_put_back(
    home: Home, telegram: TelegramServer, running_daemon: RunningDaemon, run_gaia: RunGaia
) -> None:
    async with running_daemon(home) as daemon:
        await answered(telegram, "first")
        home.database.unlink()
        copy = await until_saved(home)
        assert await health(home) == 503
        telegram.person(PERSON).writes("second")
        await daemon.until_logged("cannot be stored")
        status = await run_gaia(home, "status")
        assert status.code != 0
        assert "was removed while gaia runs" in status.stderr
        assert await daemon.terminate() == 0
    assert not any("second" in each for each in telegram.texts(PERSON))
    assert not home.database.exists()
    refused = await run_gaia(home, "serve")
    assert refused.code != 0
    assert str(copy) in refused.stderr
    copy.rename(home.database)
    async with running_daemon(home) as daemon:
        await until_answered(telegram, "second")
        assert await daemon.terminate() == 0
    shown = await run_gaia(home, "users", "list")
    assert "ada" in shown.stdout


def remove(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize(
    "name", [pytest.param("gaia.db-wal", marks=pytest.mark.sqlite), "daemon.lock"]
)
@pytest.mark.parametrize("harm", [remove, replace])
async def test_what_belongs_to_it_is_missed_as_well(
    home: Home,
    telegram: TelegramServer,
    running_daemon: RunningDaemon,
    run_gaia: RunGaia,
    name: str,
    harm: Callable[[Path], None],
) -> None:
    async with running_daemon(home) as daemon:
        await answered(telegram, "first")
        harm(home.root / name)
        telegram.person(PERSON).writes("second")
        await daemon.until_logged("cannot be stored")
        assert await health(home) == 503
        if url_of(home) is None:
            await until_saved(home)
        await daemon.kill()
    shown = await run_gaia(home, "sessions", "list")
    assert "telegram" in shown.stdout, "what was answered before is gone"
    async with running_daemon(home) as daemon:
        await until_answered(telegram, "second")
        assert await daemon.terminate() == 0

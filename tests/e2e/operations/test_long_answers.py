"""A model that writes a book: its reader gets ten messages and a file, and the daemon goes on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from gaia.agent.resilience import ANSWER_CHARACTERS
from gaia.clock import SystemClock
from gaia.core.sentences import REST_IN_FILE
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.e2e.conftest import RunningDaemon
from tests.servers.model_server import Step, running_model_server
from tests.servers.telegram import running_telegram

PERSON = 100
BOOK = "A sentence of a book that comes to no end. " * (5_000_000 // 43)
PATIENCE_SECONDS = 60.0
MOST_MEGABYTES = 150


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@pytest.mark.timeout(120)
async def test_an_answer_of_five_megabytes_is_ten_messages(
    home: Home, running_daemon: RunningDaemon
) -> None:
    async with (
        running_model_server(Step(text=BOOK), Step(times=None)) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        database = await open_database(home)
        address = Address("telegram", str(PERSON))
        await Users(database, SystemClock()).create("ada", Role.OWNER, address)
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
        person = telegram.person(PERSON)
        async with running_daemon(home) as daemon:
            before = resident_megabytes(daemon.pid)
            person.writes("write me a book")
            async with asyncio.timeout(PATIENCE_SECONDS):
                await telegram.until(lambda: len(telegram.requests("sendDocument")) == 1)
            assert len(telegram.requests("sendMessage")) == 9
            assert REST_IN_FILE in str(telegram.requests("sendDocument")[0])
            person.writes("hello")
            async with asyncio.timeout(PATIENCE_SECONDS):
                await telegram.until(lambda: len(telegram.requests("sendMessage")) == 10)
            assert resident_megabytes(daemon.pid) - before < MOST_MEGABYTES
            assert await daemon.terminate() == 0
    assert len(BOOK) > 10 * ANSWER_CHARACTERS

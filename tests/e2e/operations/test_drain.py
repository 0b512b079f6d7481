"""Signals and changed settings while many people write: nothing is lost, nothing comes twice,
and everybody's answers come in their order."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest

from gaia.clock import SystemClock
from gaia.messages import REPEAT_MARK, Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.harness.processes import DaemonProcess
from tests.servers.model_server import ModelServer, Step, running_model_server
from tests.servers.telegram import TelegramServer, running_telegram

PEOPLE = range(100, 106)
ROUNDS = 5
CHANGES = 10
LATENCY_SECONDS = 0.05
PATIENCE_SECONDS = 60.0
TOO_SHORT = "not all turns ended in"

RunningDaemon = Callable[..., AbstractAsyncContextManager[DaemonProcess]]
Settings = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Crowd:
    """People on Telegram who write to one gaia, and what that gaia asks."""

    home: Home
    model: ModelServer
    telegram: TelegramServer

    async def let_in(self) -> None:
        database = await open_database(self.home)
        users = Users(database, SystemClock())
        for number in PEOPLE:
            await users.create(f"p{number}", Role.MEMBER, Address("telegram", str(number)))
        await database.close()

    def settings(self) -> Settings:
        return {
            "model": {
                "provider": "openai",
                "name": "fake",
                "base_url": self.model.openai_base_url,
            },
            "channels": {"telegram": {"enabled": True, "base_url": self.telegram.url}},
            "sessions": {"settle_seconds": 0},
            "memory": {"enabled": False},
            "web": {"enabled": False},
            "limits": {"messages_per_minute": 1000},
        }

    def configure(self, settings: Settings) -> None:
        self.home.env_file.touch(mode=0o600)
        self.home.env_file.write_text(f"GAIA_TELEGRAM_BOT_TOKEN={self.telegram.token}\n")
        self.home.settings_file.write_text(json.dumps(settings))

    def write(self, rounds: Sequence[int]) -> None:
        """Have everybody write once a round."""
        for number in rounds:
            for person in PEOPLE:
                self.telegram.person(person).writes(f"{person} says {number}")

    async def until_answered(self, count: int) -> None:
        """Return once so many different answers are there."""

        def plain() -> set[str]:
            return {each.removeprefix(REPEAT_MARK) for each in self.telegram.texts()}

        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.telegram.until(lambda: len(plain()) >= count)

    def check(self, rounds: int, *, cut: bool = False) -> None:
        """All is answered, in order, and once. What was `cut` may be repeated with a mark."""
        for person in PEOPLE:
            texts = self.telegram.texts(person)
            unmarked = [each for each in texts if not each.startswith(REPEAT_MARK)]
            assert unmarked == texts or cut
            assert max(Counter(unmarked).values()) == 1
            first = list(dict.fromkeys(each.removeprefix(REPEAT_MARK) for each in texts))
            assert first == [f"echo: {person} says {number}" for number in range(rounds)]


@pytest.fixture
async def crowd(home: Home) -> AsyncIterator[Crowd]:
    slowly = Step(times=None, latency_seconds=LATENCY_SECONDS)
    async with (
        running_model_server(slowly) as model,
        running_telegram(SystemClock()) as telegram,
    ):
        crowd = Crowd(home, model, telegram)
        await crowd.let_in()
        crowd.configure(crowd.settings())
        yield crowd
    assert telegram.violations == ()


async def test_sigterm_under_load_ends_what_runs_and_the_next_start_does_the_rest(
    crowd: Crowd, running_daemon: RunningDaemon
) -> None:
    async with running_daemon(crowd.home) as daemon:
        crowd.write(range(ROUNDS))
        await crowd.until_answered(len(PEOPLE))
        assert await daemon.terminate() == 0
        assert not any(TOO_SHORT in line for line in daemon.log)
    answered = len(crowd.telegram.texts())
    assert answered < ROUNDS * len(PEOPLE), "all was answered before the signal"
    assert len(crowd.model.requests) == answered, "an answer was asked for and not delivered"
    async with running_daemon(crowd.home) as daemon:
        await crowd.until_answered(ROUNDS * len(PEOPLE))
        assert await daemon.terminate() == 0
    crowd.check(ROUNDS)
    assert len(crowd.model.requests) == ROUNDS * len(PEOPLE)


async def test_turns_that_do_not_end_within_the_drain_are_taken_up_at_the_next_start(
    crowd: Crowd, running_daemon: RunningDaemon
) -> None:
    settings = crowd.settings()
    settings["limits"]["drain_seconds"] = 0.2
    crowd.configure(settings)
    async with running_daemon(crowd.home) as daemon:
        crowd.write(range(ROUNDS))
        await crowd.until_answered(len(PEOPLE))
        crowd.model.hold()
        asked = len(crowd.model.requests)
        await crowd.model.until_asked(asked + 1)
        assert await daemon.terminate() == 0
        assert sum(TOO_SHORT in line for line in daemon.log) == 1
    crowd.model.release()
    async with running_daemon(crowd.home) as daemon:
        await crowd.until_answered(ROUNDS * len(PEOPLE))
        assert await daemon.terminate() == 0
    crowd.check(ROUNDS, cut=True)


async def test_settings_that_change_ten_times_under_load_lose_and_double_nothing(
    crowd: Crowd, running_daemon: RunningDaemon
) -> None:
    """Every second change is told by SIGHUP as well."""
    async with running_daemon(crowd.home) as daemon:
        for number in range(CHANGES):
            crowd.write([number])
            settings = crowd.settings()
            host = ("localhost", "127.0.0.1")[number % 2]
            settings["model"]["name"] = f"model-{number}"
            settings["sessions"]["window_turns"] = 10 + number
            settings["limits"]["concurrent_turns"] = 1 + number % 4
            settings["channels"]["telegram"] = {
                "enabled": True,
                "base_url": crowd.telegram.url.replace("127.0.0.1", host),
            }
            crowd.configure(settings)
            if number % 2:
                daemon.send(signal.SIGHUP)
            await daemon.until_logged(f'is now "model-{number}"')
        await crowd.until_answered(CHANGES * len(PEOPLE))
        assert await daemon.terminate() == 0
        assert not any("Traceback" in line for line in daemon.log)
    crowd.check(CHANGES)
    assert len(crowd.model.requests) == CHANGES * len(PEOPLE)
    assert len({each.model for each in crowd.model.requests}) > 2
    assert len(crowd.telegram.requests("getMe")) > CHANGES // 2

"""gaia within this process: all of it as it is built, or a whole daemon, with a channel
without a network and a model that answers at once. The one place here that knows how an app
is built."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from kit import NAME, AtOnceModel

from gaia.agent.models import ChatModel
from gaia.app.build import App, build_app
from gaia.app.daemon import timed
from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import LimitsSettings, Secrets, SessionsSettings, Settings
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.fake_channel import FakeChannel

MOST_MESSAGES = 10_000
PROVIDER = "openai"
"""Whose model a daemon is told to have: a large one, which reads conversations."""
KIT = "google.adk."
CACHE = type(lru_cache(lambda: None))

REMEMBERED = (
    "I drink tea in the morning",
    "My sister Sarah lives in Ulm",
    "This boat is called Message",
)


class Inside:
    """A conversation with gaia."""

    def __init__(self, app: App, channel: FakeChannel) -> None:
        self.app = app
        self._channel = channel
        self._sent = 0

    async def say(self, text: str) -> float:
        """The seconds from a message to its answer."""
        started = time.perf_counter()
        await self._channel.say(text, provider_message_id=uuid4().hex)
        self._sent += 1
        await self._channel.until_sent(self._sent)
        return time.perf_counter() - started

    async def turn(self, number: int) -> float:
        """The seconds that the turn of that number takes."""
        return await self.say(f"This is message {number}.")


@asynccontextmanager
async def inside(home: Home | None = None, clock: Clock | None = None) -> AsyncIterator[Inside]:
    """gaia in a home of its own, or in `home`, with one user who has a few memories."""
    with TemporaryDirectory() as folder:
        home = home or Home(Path(folder) / "home")
        home.create()
        clock = clock or SystemClock()
        database = await open_database(home)
        users = Users(database, clock)
        if not await users.list():
            await users.create("ada", Role.OWNER, Address("fake", "ada"))
        channel = FakeChannel(clock)
        app = build_app(
            home,
            LoadedSettings(_settings(), Secrets(), (), {}, {}),
            database,
            clock,
            model=ChatModel(AtOnceModel(model=NAME), "embedded", NAME),
            extra_channels=[channel],
        )
        channel.connect(app.gateway("fake"))
        gaia = Inside(app, channel)
        for text in REMEMBERED:
            await gaia.say(f"/remember {text}")
        try:
            yield gaia
        finally:
            await app.handlers.drain()
            await app.delivery.flush()
            await database.close()


@asynccontextmanager
async def daemon_inside(
    home: Home, clock: Clock, channel: FakeChannel, model: AtOnceModel, hang_up: asyncio.Event
) -> AsyncIterator[App]:
    """A daemon with all its tasks and servers, on the settings of `home` and by a clock of
    somebody else's. Setting `hang_up` has it take up changed settings."""
    chat = ChatModel(model, PROVIDER, NAME)
    async with timed(home, clock, chat, channel, hang_up=hang_up) as app:
        yield app
    _clear_caches_of_the_kit()


def _clear_caches_of_the_kit() -> None:
    """Clear what otherwise goes with the process: the agent kit keeps the tools that it has
    seen, and these the database that they use."""
    for cache in gc.get_objects():
        if isinstance(cache, CACHE) and cache.__module__.startswith(KIT):
            cache.cache_clear()


def _settings() -> Settings:
    return Settings(
        limits=LimitsSettings(messages_per_minute=MOST_MESSAGES),
        sessions=SessionsSettings(settle_seconds=0),
    )

"""A household whose gaia is a real daemon: people on two channels, and a scripted model."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from typing import Any

import httpx

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opening import open_database
from gaia.store.users import Role, Users
from gaia.testing.model_server import ModelServer
from gaia.testing.model_server.recording import RecordedRequest
from gaia.testing.processes import Talker, talking
from gaia.testing.scripted_daemon import Daemons
from gaia.testing.telegram import SentMessage, TelegramServer

PEOPLE = {"ada": 100, "bob": 200}
"""Who lives there, and who they are on Telegram. The first is the owner."""

PATIENCE_SECONDS = 20.0
LOOK_SECONDS = 0.02

COMMON = """
web: {enabled: false}
limits: {messages_per_minute: 10000}
"""


@dataclass(frozen=True, slots=True)
class Household:
    """The home, the daemon that serves it, and what it talks to."""

    home: Home
    daemons: Daemons
    model: ModelServer
    telegram: TelegramServer

    async def furnish(
        self, memory: str = "{}", *, protocol: str = "openai", idle_minutes: float = 30
    ) -> None:
        """Write the settings, with that `memory` block, and make the people known."""
        self.configure(memory, protocol=protocol, idle_minutes=idle_minutes)
        database = await open_database(self.home)
        users = Users(database, SystemClock())
        for name, telegram_id in PEOPLE.items():
            role = Role.MEMBER if await users.list() else Role.OWNER
            user = await users.create(name, role, Address("terminal", name))
            await users.link(user, Address("telegram", str(telegram_id)))
        await database.close()

    def configure(
        self, memory: str = "{}", *, protocol: str = "openai", idle_minutes: float = 30
    ) -> None:
        """Write the settings alone."""
        url = self.model.openai_base_url if protocol == "openai" else self.model.gemini_base_url
        self.home.settings_file.write_text(
            f"model: {{provider: {protocol}, name: fake, base_url: '{url}', retries: 0}}\n"
            f"channels: {{telegram: {{enabled: true, base_url: '{self.telegram.url}'}}}}\n"
            f"memory: {memory}\n"
            f"sessions: {{settle_seconds: 0, idle_consolidate_minutes: {idle_minutes}}}\n{COMMON}"
        )
        self.home.env_file.write_text(
            f"GAIA_TELEGRAM_BOT_TOKEN={self.telegram.token}\nOPENAI_API_KEY=x\nGEMINI_API_KEY=x\n"
        )
        self.home.env_file.chmod(0o600)

    @asynccontextmanager
    async def awake(self) -> AsyncIterator[None]:
        """A daemon that runs for as long as the block lasts, and has ended after it."""
        await self.daemons.start(self.home)
        try:
            await self.until(lambda: self._listens() and bool(self.asks("/readyz")["ready"]))
            yield
            self.daemons.terminate()
        except BaseException:
            self.daemons.kill()
            raise
        finally:
            await self.daemons.ended()

    def asks(self, path: str) -> dict[str, Any]:
        """What the daemon answers to a GET on its control socket, as JSON."""
        transport = httpx.HTTPTransport(uds=str(self.home.control_socket))
        with httpx.Client(transport=transport, timeout=PATIENCE_SECONDS) as client:
            return dict(client.get(f"http://gaia{path}").json())

    def at_terminal(self, name: str) -> AbstractAsyncContextManager[Talker]:
        """Somebody who sits down at a terminal."""
        return talking(self.home, name)

    async def on_telegram(self, name: str, text: str) -> str:
        """Have somebody write on Telegram; returns what comes back."""
        person = self.telegram.person(PEOPLE[name])
        seen = len(self.telegram.messages(person))
        person.writes(text)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.telegram.until(lambda: len(self.telegram.messages(person)) > seen)
        return self.telegram.texts(person)[seen]

    async def until_told(self, name: str, words: str) -> SentMessage:
        """The message with these words that somebody gets on Telegram, once it is there."""
        person = self.telegram.person(PEOPLE[name])

        def with_them() -> list[SentMessage]:
            return [each for each in self.telegram.messages(person) if words in each.text]

        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.telegram.until(lambda: bool(with_them()))
        return with_them()[0]

    def asked_with(self, words: str) -> Sequence[RecordedRequest]:
        """The requests to the chat model that hold these words, wherever in them."""
        return [each for each in self.model.requests if words in json.dumps(each.body)]

    def rows(self, query: str) -> list[Any]:
        """Read from gaia.db, as another process does."""
        with closing(sqlite3.connect(f"file:{self.home.database}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchall()

    def memory_works(self) -> bool:
        """Whether the index is in use, and has taken in everything."""
        memory = self.asks("/local/status")["memory"]
        return bool(memory["ok"]) and not memory["waiting"] and not memory["detail"]

    async def until(self, holds: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> None:
        """Return once `holds` does: what happens in files of another process tells no event."""
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110
                await asyncio.sleep(LOOK_SECONDS)

    async def until_forgotten(self) -> None:
        """Return once nothing waits to be forgotten any more."""
        await self.until(lambda: self.rows("SELECT 1 FROM forgets WHERE state != 'asked'") == [])

    def _listens(self) -> bool:
        with socket.socket(socket.AF_UNIX) as knocking:
            return knocking.connect_ex(str(self.home.control_socket)) == 0

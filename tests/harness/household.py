"""A household whose gaia is a real daemon: people on two channels, and a scripted model."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.harness.house import House
from tests.harness.polling import PATIENCE_SECONDS
from tests.harness.processes import Talker, talking
from tests.servers.telegram import SentMessage, TelegramServer

PEOPLE = {"ada": 100, "bob": 200}
"""Who lives there, and who they are on Telegram. The first is the owner."""

COMMON = """
web: {enabled: false}
limits: {messages_per_minute: 10000}
"""


@dataclass(frozen=True, slots=True)
class Household(House):
    """The home, the daemon that serves it, and what it talks to."""

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

    def memory_works(self) -> bool:
        """Whether the index is in use, and has taken in everything."""
        memory = self.asks("/local/status")["memory"]
        return bool(memory["ok"]) and not memory["waiting"] and not memory["detail"]

    async def until_forgotten(self) -> None:
        """Return once nothing waits to be forgotten any more."""
        await self.until(lambda: self.rows("SELECT 1 FROM forgets WHERE state != 'asked'") == [])

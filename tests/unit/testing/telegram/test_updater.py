"""The library's own Updater polls the server."""

from __future__ import annotations

import asyncio

from telegram import Bot, Update
from telegram.error import TelegramError
from telegram.ext import Updater

from tests.servers.telegram import TelegramServer


class Polled:
    """An Updater that polls, with what it got and what went wrong."""

    def __init__(self, bot: Bot) -> None:
        self.updates: asyncio.Queue[object] = asyncio.Queue()
        self.errors: list[TelegramError] = []
        self._updater = Updater(bot, self.updates)

    async def start(self) -> None:
        await self._updater.initialize()
        await self._updater.start_polling(
            timeout=30, bootstrap_retries=0, error_callback=self.errors.append
        )

    async def stop(self) -> None:
        await self._updater.stop()
        await self._updater.shutdown()

    async def text(self) -> str | None:
        update = await self.updates.get()
        assert isinstance(update, Update)
        assert update.message is not None
        return update.message.text


async def test_an_updater_gets_what_was_written_and_confirms_it(
    bot: Bot, telegram: TelegramServer
) -> None:
    ada = telegram.person(100)
    ada.writes("before")
    polled = Polled(bot)
    await polled.start()
    assert await polled.text() == "before"
    ada.writes("meanwhile")
    assert await polled.text() == "meanwhile"
    await telegram.until_polled()
    await polled.stop()
    assert polled.errors == []
    assert not telegram.world.updates.waiting
    assert telegram.violations == ()

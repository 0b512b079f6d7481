"""Updates are pushed to a webhook, in order for each chat, until it takes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram import Bot
from telegram.error import BadRequest, Conflict

from gaia.testing.clock import FakeClock
from tests.servers.changes import Changes
from tests.servers.serve import serving
from tests.servers.telegram import TelegramServer, running_telegram

SECRET = "a-secret_1"


class Hook:
    """A bot's web server. It answers with the statuses in `answers`, then 200."""

    def __init__(self) -> None:
        self.url = ""
        self.texts: list[str] = []
        self.secrets: set[str | None] = set()
        self.answers: list[int] = []
        self.held: dict[str, asyncio.Event] = {}
        self.changes = Changes()

    async def take(self, request: Request) -> Response:
        update: dict[str, dict[str, JsonValue]] = await request.json()
        text = str(update["message"]["text"])
        self.secrets.add(request.headers.get("x-telegram-bot-api-secret-token"))
        self.texts.append(text)
        self.changes.tell()
        if text in self.held:
            await self.held[text].wait()
        return Response(status_code=self.answers.pop(0) if self.answers else 200)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def telegram(clock: FakeClock) -> AsyncIterator[TelegramServer]:
    async with running_telegram(clock) as server:
        yield server


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    hook = Hook()
    async with serving(Starlette(routes=[Route("/", hook.take, methods=["POST"])])) as url:
        hook.url = url
        yield hook


async def test_updates_come_with_the_secret(bot: Bot, telegram: TelegramServer, hook: Hook) -> None:
    await bot.set_webhook(hook.url, secret_token=SECRET)
    ada = telegram.person(100)
    ada.writes("one")
    ada.writes("two")
    await telegram.until(lambda: not telegram.world.updates.waiting)
    assert hook.texts == ["one", "two"]
    assert hook.secrets == {SECRET}
    assert telegram.violations == ()


async def test_what_is_not_taken_comes_again_before_the_next(
    bot: Bot, telegram: TelegramServer, hook: Hook, clock: FakeClock
) -> None:
    hook.answers = [500, 403]
    await bot.set_webhook(hook.url)
    ada = telegram.person(100)
    ada.writes("one")
    ada.writes("two")
    for _ in range(2):
        await clock.until_sleeping()
        info = await bot.get_webhook_info()
        assert info.pending_update_count == 2
        assert info.last_error_message is not None
        clock.advance(clock.sleeping[0])
    await telegram.until(lambda: not telegram.world.updates.waiting)
    assert hook.texts == ["one", "one", "one", "two"]


async def test_a_chat_does_not_wait_for_another(
    bot: Bot, telegram: TelegramServer, hook: Hook
) -> None:
    hook.held["slow"] = asyncio.Event()
    await bot.set_webhook(hook.url)
    ada, bob = telegram.person(100), telegram.person(200)
    ada.writes("slow")
    ada.writes("after")
    bob.writes("quick")
    await hook.changes.until(lambda: "quick" in hook.texts)
    await telegram.until(lambda: len(telegram.world.updates.waiting) == 2)
    assert "after" not in hook.texts
    hook.held["slow"].set()
    await telegram.until(lambda: not telegram.world.updates.waiting)
    assert hook.texts[-1] == "after"


async def test_updates_cannot_be_polled_while_a_webhook_is_set(
    bot: Bot, telegram: TelegramServer, hook: Hook
) -> None:
    await bot.set_webhook(hook.url)
    with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
        await bot.get_updates()
    await bot.delete_webhook()
    telegram.person(100).writes("one")
    assert len(await bot.get_updates()) == 1
    assert hook.texts == []


@pytest.mark.parametrize("url", ["https://example.org/", "ftp://127.0.0.1/", "http://10.0.0.1/"])
async def test_only_this_machine_is_called(bot: Bot, telegram: TelegramServer, url: str) -> None:
    with pytest.raises(BadRequest, match="Bad webhook"):
        await bot.set_webhook(url)
    assert (await bot.get_webhook_info()).url == ""

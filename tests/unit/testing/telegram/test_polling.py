"""Updates reach python-telegram-bot, once confirmed no more, and one poller at a time."""

from __future__ import annotations

import asyncio

import pytest
from telegram import Bot
from telegram.error import Conflict, InvalidToken

from gaia.testing.telegram import TelegramServer


async def test_the_bot_knows_who_it_is(bot: Bot, telegram: TelegramServer) -> None:
    assert bot.username == telegram.bot_username
    assert bot.id == int(telegram.token.partition(":")[0])


async def test_what_a_person_writes_is_an_update(bot: Bot, telegram: TelegramServer) -> None:
    written = telegram.person(100, "Ada", username="ada").writes("hello")
    (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.text == "hello"
    assert update.message.message_id == written.message_id
    assert update.message.from_user is not None
    assert update.message.from_user.full_name == "Ada"
    assert update.message.chat.type == "private"


async def test_a_poll_that_waits_wakes_when_somebody_writes(
    bot: Bot, telegram: TelegramServer
) -> None:
    async with asyncio.TaskGroup() as tasks:
        poll = tasks.create_task(bot.get_updates(timeout=30))
        await telegram.until_polled()
        telegram.person(100).writes("hello")
    assert len(poll.result()) == 1


async def test_an_update_comes_again_until_it_is_confirmed(
    bot: Bot, telegram: TelegramServer
) -> None:
    telegram.person(100).writes("hello")
    (first,) = await bot.get_updates()
    (second,) = await bot.get_updates()
    assert first.update_id == second.update_id
    assert await bot.get_updates(offset=first.update_id + 1) == ()


async def test_a_confirmed_update_is_handed_out_again_when_telegram_forgot(
    bot: Bot, telegram: TelegramServer
) -> None:
    telegram.person(100).writes("hello")
    (first,) = await bot.get_updates()
    await bot.get_updates(offset=first.update_id + 1)
    assert telegram.redeliver() == 1
    (again,) = await bot.get_updates(offset=first.update_id + 1)
    assert again == first
    assert await bot.get_updates(offset=first.update_id + 1) == ()


async def test_a_newer_poll_ends_the_older_one(
    bot: Bot, other: Bot, telegram: TelegramServer
) -> None:
    async with asyncio.TaskGroup() as tasks:
        older = tasks.create_task(_conflict(bot))
        await telegram.until_polled()
        newer = tasks.create_task(other.get_updates(timeout=30))
        assert "terminated by other getUpdates request" in await older
        telegram.person(100).writes("hello")
    assert len(newer.result()) == 1


async def _conflict(bot: Bot) -> str:
    with pytest.raises(Conflict) as caught:
        await bot.get_updates(timeout=30)
    return caught.value.message


async def test_a_wrong_token_is_turned_away(telegram: TelegramServer) -> None:
    bot = Bot("1:wrong", telegram.base_url)
    with pytest.raises(InvalidToken):
        await bot.initialize()
    await bot.shutdown()

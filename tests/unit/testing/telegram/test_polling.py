"""Updates reach python-telegram-bot, once confirmed no more, and one poller at a time."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from telegram import Bot
from telegram.error import Conflict, InvalidToken

from tests.servers.telegram import TelegramServer


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


async def test_named_updates_are_handed_out_again_alone(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    ada.writes("one")
    ada.writes("two")
    one, two = await bot.get_updates()
    await bot.get_updates(offset=two.update_id + 1)
    assert telegram.redeliver(one.update_id) == 1
    assert await bot.get_updates(offset=two.update_id + 1) == (one,)


async def test_two_pollers_end_each_other_until_one_gives_up(
    bot: Bot, other: Bot, telegram: TelegramServer
) -> None:
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(_conflict(bot))
        await telegram.until_polled()
        second = tasks.create_task(_conflict(other))
        assert "terminated by other getUpdates request" in await first
        third = tasks.create_task(bot.get_updates(timeout=30))
        assert "terminated by other getUpdates request" in await second
        telegram.person(100).writes("still there?")
    assert len(third.result()) == 1


async def _conflict(bot: Bot) -> str:
    with pytest.raises(Conflict) as caught:
        await bot.get_updates(timeout=30)
    return caught.value.message


async def test_who_goes_away_while_polling_polls_no_more(
    bot: Bot, telegram: TelegramServer
) -> None:
    async with asyncio.TaskGroup() as tasks:
        poll = tasks.create_task(bot.get_updates(timeout=30))
        await telegram.until_polled()
        poll.cancel()
    await telegram.until(lambda: not telegram.world.updates.is_polled)
    telegram.person(100).writes("hello")
    assert len(await bot.get_updates()) == 1


async def test_raw_updates_are_handed_out_as_they_are(bot: Bot, telegram: TelegramServer) -> None:
    first = telegram.next_update_id()
    telegram.inject_raw({"update_id": first, "message": {"text": "\ud83d"}})
    telegram.inject_raw(["no", "update"])
    telegram.person(100).writes("hello")
    url = f"{telegram.base_url}{telegram.token}/getUpdates"
    async with httpx.AsyncClient(verify=False) as http:
        handed = (await http.get(url)).json()["result"]
        again = (await http.get(url)).json()["result"]
        rest = (await http.get(url, params={"offset": first + 1})).json()["result"]
    assert handed[:2] == [{"update_id": first, "message": {"text": "\ud83d"}}, ["no", "update"]]
    assert handed[2]["message"]["text"] == "hello"
    assert again == [handed[0], handed[2]]
    assert rest == [handed[2]]


async def test_a_negative_offset_forgets_all_but_the_last(
    bot: Bot, telegram: TelegramServer
) -> None:
    ada = telegram.person(100)
    for text in ("one", "two", "three"):
        ada.writes(text)
    for _ in range(2):
        (last,) = await bot.get_updates(offset=-1)
        assert last.message is not None
        assert last.message.text == "three"
    assert len(await bot.get_updates()) == 1


async def test_no_more_than_asked_for_is_handed_out(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    for _ in range(101):
        ada.writes("x")
    assert len(await bot.get_updates(limit=2)) == 2
    assert len(await bot.get_updates()) == 100


async def test_a_wrong_token_is_turned_away(telegram: TelegramServer) -> None:
    bot = Bot("1:wrong", telegram.base_url)
    with pytest.raises(InvalidToken):
        await bot.initialize()
    await bot.shutdown()

"""What a test plans goes wrong just so, as python-telegram-bot sees it."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import httpx
import pytest
from starlette.types import Message
from telegram import Bot
from telegram.error import (
    BadRequest,
    Conflict,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from gaia.testing.clock import FakeClock
from tests.servers.telegram import (
    BadGateway,
    Blocked,
    CutAfterRead,
    Fault,
    Hang,
    MalformedJson,
    RequestSeen,
    ServerError,
    Slow,
    TelegramServer,
    TooManyRequests,
    running_telegram,
)
from tests.servers.telegram import BadRequest as BadRequestFault
from tests.servers.telegram import Conflict as ConflictFault
from tests.servers.telegram.app import BotApiApp
from tests.servers.telegram.world import World

SHORT = 0.05
"""Seconds that a client waits which is to wait in vain."""


def plan(telegram: TelegramServer, fault: Fault, method: str = "sendMessage") -> None:
    """Let the first request of a method go wrong."""

    def first(request: RequestSeen) -> Fault | None:
        return fault if request.method == method and request.count == 1 else None

    telegram.faults = first


async def test_too_many_requests_tell_when_to_try_again(
    bot: Bot, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # The library warns of its own default.
    telegram.person(100)
    plan(telegram, TooManyRequests(7))
    with pytest.raises(RetryAfter) as caught:
        await bot.send_message(100, "x")
    assert caught.value.retry_after == timedelta(seconds=7)
    assert telegram.messages() == []
    await bot.send_message(100, "y")
    assert telegram.texts() == ["y"]


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (Blocked(), Forbidden, "bot was blocked by the user"),
        (BadRequestFault("can't parse entities: nonsense"), BadRequest, "nonsense"),
        (ConflictFault(), Conflict, "terminated by other getUpdates request"),
        (BadGateway(), NetworkError, "Bad Gateway"),
        (ServerError(), NetworkError, "Internal Server Error"),
        (CutAfterRead(), NetworkError, "ReadError"),
        (MalformedJson(), TelegramError, "Invalid server response"),
    ],
)
async def test_a_request_that_is_not_processed_does_nothing(
    bot: Bot, telegram: TelegramServer, fault: Fault, error: type[Exception], words: str
) -> None:
    telegram.person(100)
    plan(telegram, fault)
    with pytest.raises(error, match=words) as caught:
        await bot.send_message(100, "x")
    assert type(caught.value) is error
    assert telegram.messages() == []
    assert telegram.violations == ()
    assert telegram.refusals == ()


@pytest.mark.parametrize(
    "fault",
    [ServerError(processed=True), CutAfterRead(processed=True), MalformedJson(processed=True)],
)
async def test_what_is_processed_without_an_answer_is_not_acknowledged(
    bot: Bot, telegram: TelegramServer, fault: Fault
) -> None:
    telegram.person(100)
    plan(telegram, fault)
    with pytest.raises(TelegramError):
        await bot.send_message(100, "lost")
    await bot.send_message(100, "told")
    assert [(each.text, each.acknowledged) for each in telegram.messages()] == [
        ("lost", False),
        ("told", True),
    ]


@pytest.mark.parametrize("processed", [False, True])
async def test_a_hang_ends_when_the_client_gives_up(
    bot: Bot, telegram: TelegramServer, processed: bool
) -> None:
    telegram.person(100)
    plan(telegram, Hang(processed=processed))
    with pytest.raises(TimedOut):
        await bot.send_message(100, "x", read_timeout=SHORT)
    assert telegram.texts() == ["x"] * processed
    assert [each.acknowledged for each in telegram.messages()] == [False] * processed


class ClosedTransport(asyncio.Transport):
    def is_closing(self) -> bool:
        return True


async def test_an_answer_into_a_closed_connection_acknowledges_nothing() -> None:
    world = World(FakeClock(), bot_id=1)
    world.new_chat({"id": 100, "type": "private"})
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/bot1:x/sendMessage",
        "query_string": b"chat_id=100&text=x",
        "headers": [],
        "state": {"transport": ClosedTransport()},
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        """Nobody is there to take it."""

    await BotApiApp(world, "1:x").starlette(scope, receive, send)
    assert [each.acknowledged for each in world.sent.values()] == [False]


async def test_a_slow_answer_comes_when_the_test_lets_it(
    bot: Bot, telegram: TelegramServer
) -> None:
    telegram.person(100)
    let = asyncio.Event()
    plan(telegram, Slow(let))
    async with asyncio.TaskGroup() as tasks:
        sending = tasks.create_task(bot.send_message(100, "x"))
        await telegram.until(lambda: len(telegram.requests("sendMessage")) == 1)
        assert telegram.messages() == []
        let.set()
        await sending
    assert telegram.messages()[0].acknowledged


async def test_a_lost_answer_to_a_poll_confirmed_what_came_before(
    bot: Bot, telegram: TelegramServer
) -> None:
    ada = telegram.person(100)
    ada.writes("one")
    (first,) = await bot.get_updates()
    ada.writes("two")
    telegram.faults = lambda request: CutAfterRead(processed=True)
    with pytest.raises(NetworkError):
        await bot.get_updates(offset=first.update_id + 1)
    telegram.no_more_faults()
    (second,) = await bot.get_updates()
    assert second.message is not None
    assert second.message.text == "two"


async def test_a_plan_sees_what_is_asked(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100)
    await bot.send_message(100, "x")
    await bot.send_message(100, "y")
    asked = telegram.requests("sendMessage")[-1]
    assert (asked.chat_id, asked.count, asked.parameters["text"]) == (100, 2, "y")
    assert asked.number == len(telegram.requests())


def broken_plan(request: RequestSeen) -> Fault | None:
    raise LookupError("no plan")


@pytest.mark.parametrize("waits", [False, True])
async def test_a_mistake_on_the_side_of_the_test_fails_it(waits: bool) -> None:
    with pytest.raises(LookupError, match="no plan"):
        await _meet_a_broken_plan(waits)


async def _meet_a_broken_plan(waits: bool) -> None:
    async with running_telegram() as telegram, httpx.AsyncClient(verify=False) as http:
        telegram.faults = broken_plan
        answer = await http.get(f"{telegram.base_url}{telegram.token}/getMe")
        assert answer.status_code == 500
        if waits:
            await telegram.until(lambda: False)


async def test_leaving_cuts_what_still_hangs() -> None:
    async with httpx.AsyncClient(verify=False) as http, asyncio.TaskGroup() as tasks:
        async with running_telegram() as telegram:
            telegram.faults = lambda request: Hang()
            url = f"{telegram.base_url}{telegram.token}/getMe"
            asking = tasks.create_task(_cut_off(http, url))
            await telegram.until(lambda: len(telegram.requests()) == 1)
        await asking


async def _cut_off(http: httpx.AsyncClient, url: str) -> None:
    with pytest.raises(httpx.TransportError):
        await http.get(url, timeout=None)

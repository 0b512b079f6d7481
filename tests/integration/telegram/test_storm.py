"""Many people at once, while everything goes wrong that can. Time is real here: what
is given up by the network's own timeouts has to be waited for."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import pytest

from channels.telegram.api import Timing
from channels.telegram.channel import TelegramChannel
from gaia.clock import SystemClock
from gaia.messages import TurnEnded, TurnStarted
from gaia.settings.schema import TelegramSettings
from gaia.testing.clock import until
from gaia.testing.scripted_core import ScriptedCore
from tests.servers.telegram import (
    BadGateway,
    Conflict,
    CutAfterRead,
    Fault,
    Hang,
    MalformedJson,
    Person,
    RequestSeen,
    ServerError,
    TelegramServer,
    TooManyRequests,
    running_telegram,
)

PEOPLE, MESSAGES, CHUNKS = 40, 2, 2
FAULTY = 0.15
WANTED = [f"m{message}.{part}" for message in range(MESSAGES) for part in range(CHUNKS)]
HASTE = Timing(
    poll=1,
    poll_slack=0.5,
    read=0.5,
    conflict=0.02,
    first_pause=0.01,
    longest_pause=0.05,
    typing=0.2,
)
KNOWN: tuple[Fault, ...] = (TooManyRequests(1), BadGateway())
UNKNOWN: tuple[Fault, ...] = (
    *(CutAfterRead(processed=processed) for processed in (False, True)),
    *(Hang(processed=processed) for processed in (False, True)),
    *(ServerError(processed=processed) for processed in (False, True)),
    MalformedJson(processed=True),
)


class Storm:
    """The plan of what goes wrong; counts for each chat how often nobody can tell."""

    def __init__(self, seed: int) -> None:
        self.untold: Counter[int | None] = Counter()
        self._random = random.Random(seed)

    def __call__(self, request: RequestSeen) -> Fault | None:
        if self._random.random() > FAULTY:
            return None
        polls = request.method == "getUpdates"
        fault = self._random.choice([*KNOWN, *UNKNOWN, *([Conflict()] if polls else [])])
        if request.method == "sendMessage" and fault in UNKNOWN:
            self.untold[request.chat_id] += 1
        return fault


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_message_is_answered_in_order_and_repeated_only_when_nobody_can_tell(
    seed: int,
) -> None:
    clock, storm = SystemClock(), Storm(seed)
    async with running_telegram(clock) as telegram:
        settings = TelegramSettings(base_url=telegram.url)
        channel = TelegramChannel(settings, telegram.token, clock, HASTE)
        core = ScriptedCore(channel, clock)
        people = [telegram.person(1000 + number) for number in range(PEOPLE)]
        telegram.faults = storm
        tasks = [asyncio.create_task(core.run()), asyncio.create_task(_answer(channel, core))]
        try:
            for message in range(MESSAGES):
                for person in people:
                    person.writes(f"m{message}")
            await telegram.until(lambda: _all_are_answered(telegram, people))
            await until(lambda: not core.state.waiting)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for person in people:
            shown = telegram.texts(person)
            assert [text for text, _ in groupby(shown)] == WANTED
            assert len(shown) - len(WANTED) <= storm.untold[person.chat_id]
        assert telegram.violations == ()


async def _answer(channel: TelegramChannel, core: ScriptedCore) -> None:
    while True:
        inbound = await core.next_message()
        turn_id = inbound.provider_message_id
        channel.watch(TurnStarted(inbound.chat, turn_id, ()))
        core.reply(inbound, *(f"{inbound.text}.{part}" for part in range(CHUNKS)))
        channel.watch(TurnEnded(inbound.chat, turn_id))


def _all_are_answered(telegram: TelegramServer, people: Sequence[Person]) -> bool:
    return all(telegram.texts(person)[-1:] == WANTED[-1:] for person in people)

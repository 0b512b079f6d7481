#!/usr/bin/env python3
"""Whether any update can stop the Telegram channel, or make it lose another one.

Gives random and broken updates, with sound messages in between, to the channel's
own way in: poll, reading, translation, and a core that takes what a database
takes. Fails when a sound message is not received exactly once, when something is
set aside without a line in the log, or when the log has a word of a message or
the token. Needs the environment of `scripts/setup-dev`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import warnings
from collections import Counter
from dataclasses import asdict
from itertools import islice

from telegram.error import TelegramError
from telegram.warnings import PTBDeprecationWarning

from channels.base.background import Background
from channels.base.http import ChatBackoff
from channels.telegram.api import Api, Json, TelegramCondition, Timing, describe
from channels.telegram.events import CHANNEL
from channels.telegram.intake import Intake
from channels.telegram.sender import SideEffects
from channels.telegram.updates import Poller
from channels.telegram.words import Me
from gaia.clock import SystemClock
from gaia.logs import CHATTY
from gaia.messages import Address, DeliveryReport, Inbound, Receipt, ReceiptKind
from tests.harness.fuzz import run, show
from tests.servers.telegram.odd_updates import OddUpdates
from tests.servers.telegram.table import load_bot_api

TOKEN = "123456789:AAtoken-canary-token-canary-token"
CANARY = "words-canary"
SOUND = "sound"
BATCH = 100
SOUND_EVERY = 10


class Supply:
    """So many odd updates, and a sound message after each few of them."""

    def __init__(self, count: int, seed: int) -> None:
        self._odd = iter(OddUpdates(load_bot_api(), seed, canary=CANARY))
        self._count = count
        self.given = 0
        self.sound = 0

    def answer(self, offset: object) -> object:
        """The answer to a poll."""
        if self.given >= self._count:
            raise asyncio.CancelledError
        assert (offset or 1) == self.given + self.sound + 1, (
            "an update was skipped or is asked for again"
        )
        return json.loads(json.dumps(self._batch()))

    def _batch(self) -> list[Json]:
        batch: list[Json] = []
        for update in islice(self._odd, min(BATCH, self._count - self.given)):
            self.given += 1
            batch.append({**update, "update_id": self.given + self.sound})
            if self.given % SOUND_EVERY == 0:
                self.sound += 1
                batch.append(self._sound_message())
        return batch

    def _sound_message(self) -> Json:
        return {
            "update_id": self.given + self.sound,
            "message": {
                "message_id": self.sound,
                "date": 1767268800,
                "chat": {"id": 7, "type": "private", "first_name": "Ada"},
                "from": {"id": 7, "is_bot": False, "first_name": "Ada"},
                "text": f"{SOUND} {self.sound}",
            },
        }


class Telegram(Api):
    """Takes everything, and has the supply for who polls."""

    __slots__ = ("_supply",)

    def __init__(self, supply: Supply) -> None:
        super().__init__(TOKEN, "http://127.0.0.1:9", Timing())
        self._supply = supply

    async def _post(self, endpoint: str, data: Json | None = None, **_: object) -> object:
        return self._supply.answer((data or {}).get("offset")) if endpoint == "getUpdates" else True


class Core:
    """Takes what a database takes, and counts."""

    def __init__(self) -> None:
        self.received: Counter[str] = Counter()
        self.odd = 0

    async def receive(self, inbound: Inbound) -> Receipt:
        json.dumps(asdict(inbound), default=str, ensure_ascii=False).encode()
        texts = (inbound.text, inbound.chat, inbound.provider_message_id, *inbound.notes)
        assert all(isinstance(text, str) and "\x00" not in text for text in texts), "not a text"
        assert not any("\n" in note for note in inbound.notes), "a note of several lines"
        assert inbound.sent_at.tzinfo is not None, "a time without a zone"
        if inbound.text.startswith(f"{SOUND} "):
            self.received[inbound.text] += 1
        else:
            self.odd += 1
        return Receipt(ReceiptKind.ACCEPTED)

    def reachable(self, chat: str) -> None:
        assert isinstance(chat, str), chat

    async def moved(self, old_chat: str, new_chat: str) -> None:
        assert isinstance(old_chat, str), old_chat
        assert isinstance(new_chat, str), new_chat

    async def reported(self, report: DeliveryReport) -> None:
        raise AssertionError(report)

    async def file(self, outbox_id: int) -> bytes | None:
        raise AssertionError(outbox_id)

    def expect(self, address: Address) -> None:
        raise AssertionError(address)


class Lines(logging.Handler):
    """Counts the lines of the log, and looks into each."""

    def __init__(self) -> None:
        super().__init__()
        self.set_aside = 0
        self.tellers: list[str] = []
        self.unexpected: list[str] = []
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        if CANARY in line or "token-canary" in line:
            self.tellers.append(line)
        if "is set aside" in line:
            self.set_aside += 1
        elif record.levelno >= logging.WARNING:
            self.unexpected.append(line)


async def main(count: int, seed: int) -> bool:
    warnings.filterwarnings("ignore", category=PTBDeprecationWarning)
    lines = Lines()
    logging.basicConfig(level=logging.DEBUG, handlers=[lines], force=True)
    for name in (*CHATTY, "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)
    clock, core, supply = SystemClock(), Core(), Supply(count, seed)
    background = Background(CHANNEL, TelegramError, describe)
    telegram = Telegram(supply)
    condition = TelegramCondition(clock, stall_seconds=75)
    condition.begin()
    side_effects = SideEffects(telegram, ChatBackoff(clock), background)
    intake = Intake(core, Me(4000, "gaia_bot"), side_effects, clock)
    timing = Timing(first_pause=0.001, longest_pause=0.001)
    poller = asyncio.create_task(Poller(telegram, intake, condition, clock, timing).run())
    await asyncio.wait((poller,))
    await background.close()
    await telegram.close_connections()
    if not poller.cancelled():
        poller.result()

    print(f"{core.odd} were received, {lines.set_aside} set aside, the others ignored")
    exactly_once = sum(1 for times in core.received.values() if times == 1)
    print(f"{exactly_once} of {supply.sound} sound messages were received exactly once")
    faults = [f"in the log: {line}" for line in (*lines.tellers, *lines.unexpected)]
    return show(faults) and exactly_once == supply.sound


if __name__ == "__main__":
    run(main, __doc__, count=200_000, what="odd updates")

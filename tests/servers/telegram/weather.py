"""Weather: what goes wrong with a bot's requests, drawn by chance from a seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from channels.formatting.telegram_html import plain
from gaia.messages import REPEAT_MARK
from tests.servers.telegram.faults import (
    BadGateway,
    BadRequest,
    Conflict,
    CutAfterRead,
    Fault,
    Hang,
    MalformedJson,
    RequestSeen,
    ServerError,
    TooManyRequests,
)

UNREADABLE = BadRequest("can't parse entities: Unexpected end tag at byte offset 0")


class Weather:
    """What goes wrong with the requests of a bot. A plan for `TelegramServer.faults`.

    `uncertain` are the texts as people read them, with their chats, of which the bot
    could not learn whether they were sent. Each suffers that once at most: a bot that
    sends a text of unknown outcome a second time cannot be asked for a third. `met`
    counts the faults by method and kind. Each of the `hangs` costs as long as the bot
    waits for an answer; one poll hangs as well where messages do.
    """

    def __init__(self, chance: random.Random, *, likelihood: float, hangs: int = 0) -> None:
        self.uncertain: set[tuple[int | None, str]] = set()
        self.met: Counter[str] = Counter()
        self._chance = chance
        self._likelihood = likelihood
        self._hangs = hangs
        self._poll_hangs = min(hangs, 1)

    def __call__(self, request: RequestSeen) -> Fault | None:
        if self._chance.random() >= self._likelihood:
            return None
        match request.method:
            case "sendMessage":
                fault = self._for_message(request)
            case "getUpdates":
                fault = self._for_poll()
            case _:
                fault = self._chance.choice((BadGateway(), ServerError(), TooManyRequests(1)))
        if fault is not None:
            self.met[f"{request.method} {type(fault).__name__}"] += 1
        return fault

    def _for_message(self, request: RequestSeen) -> Fault | None:
        uncertain = self._uncertain()
        certain: list[Fault] = [TooManyRequests(1), BadGateway()]
        if "parse_mode" in request.parameters:
            certain.append(UNREADABLE)
        fault = self._chance.choice([*certain, *uncertain])
        if fault in uncertain:
            if _visible(request) in self.uncertain or _is_repeat(request):
                return None
            self.uncertain.add(_visible(request))
            self._hangs -= isinstance(fault, Hang)
        return fault

    def _uncertain(self) -> Sequence[Fault]:
        processed = self._chance.random() < 0.5
        kinds: list[Fault] = [
            ServerError(processed),
            CutAfterRead(processed),
            MalformedJson(processed),
        ]
        return [*kinds, Hang(processed)] if self._hangs else kinds

    def _for_poll(self) -> Fault:
        kinds: list[Fault] = [
            Conflict(),
            TooManyRequests(1),
            BadGateway(),
            ServerError(),
            CutAfterRead(),
            MalformedJson(),
        ]
        if self._poll_hangs:
            kinds.append(Hang())
        fault = self._chance.choice(kinds)
        self._poll_hangs -= isinstance(fault, Hang)
        return fault


def _is_repeat(request: RequestSeen) -> bool:
    """Whether the bot does not know already what became of an earlier one, by a crash."""
    return str(request.parameters["text"]).startswith(REPEAT_MARK)


def _visible(request: RequestSeen) -> tuple[int | None, str]:
    """The chat and what a person would read, without the mark of a repeat."""
    text = str(request.parameters["text"]).removeprefix(REPEAT_MARK)
    return request.chat_id, plain(text) if "parse_mode" in request.parameters else text

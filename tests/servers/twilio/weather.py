"""Weather: what goes wrong with requests, and with what is told, drawn by chance from a
seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gaia.messages import REPEAT_MARK
from tests.servers.twilio.callbacks import (
    Course,
    Step,
    at_once,
    backwards,
    early,
    late,
    never,
    read,
    repeated,
)
from tests.servers.twilio.faults import (
    CREATE_MESSAGE,
    BadGateway,
    CutAfterRead,
    Fault,
    Hang,
    MalformedJson,
    RequestSeen,
    ServerError,
    TooManyRequests,
)
from tests.servers.twilio.messages import Message

TRANSIENT = 63018
"""WhatsApp's own limit: a message that fails so may be sent again."""


class Weather:
    """What goes wrong with the requests of a client. A plan for `TwilioServer.faults`.

    `uncertain` are the people and the texts that they read, without the mark of a repeat,
    of which the client could not learn whether they were taken. Each suffers that once at
    most: a client that sends a text of unknown outcome a second time cannot be asked for a
    third. `met` counts the faults by operation and kind. Each of the `hangs` costs as
    long as the client waits for an answer.
    """

    def __init__(self, chance: random.Random, *, likelihood: float, hangs: int = 0) -> None:
        self.uncertain: set[tuple[str, str]] = set()
        self.met: Counter[str] = Counter()
        self._chance = chance
        self._likelihood = likelihood
        self._hangs = hangs

    def __call__(self, request: RequestSeen) -> Fault | None:
        if self._chance.random() >= self._likelihood:
            return None
        if request.operation == CREATE_MESSAGE:
            fault = self._for_message(request)
        else:
            fault = self._chance.choice(
                (BadGateway(), ServerError(), TooManyRequests(1), CutAfterRead(), MalformedJson())
            )
        if fault is not None:
            self.met[f"{request.operation} {type(fault).__name__}"] += 1
        return fault

    def _for_message(self, request: RequestSeen) -> Fault | None:
        uncertain = self._uncertain()
        fault = self._chance.choice([TooManyRequests(1), BadGateway(), *uncertain])
        if fault in uncertain:
            text = request.parameters.get("Body", "")
            visible = (request.person, text.removeprefix(REPEAT_MARK))
            # The client may not know what became of an earlier one, by a crash.
            if visible in self.uncertain or text.startswith(REPEAT_MARK):
                return None
            self.uncertain.add(visible)
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


class Reports:
    """What is told of messages, and when. A plan for `TwilioServer.callbacks`.

    Of what arrives it is told at once, early, late by up to `longest_seconds`, repeatedly,
    backwards, shuffled, as read, or not at all. `failing` is the likelihood that a text
    which never failed before does, for a cause that passes: `failed` are the people and
    the texts.
    """

    def __init__(
        self, chance: random.Random, *, longest_seconds: float = 1.0, failing: float = 0.0
    ) -> None:
        self.failed: set[tuple[str, str]] = set()
        self.met: Counter[str] = Counter()
        self._chance = chance
        self._longest_seconds = longest_seconds
        self._failing = failing

    def __call__(self, message: Message, course: Course) -> Sequence[Step]:
        visible = (message.person, message.body.removeprefix(REPEAT_MARK))
        if self._chance.random() < self._failing and visible not in self.failed:
            self.failed.add(visible)
            self.met["failing"] += 1
            return (Step("queued"), Step("undelivered", TRANSIENT))
        seconds = self._chance.uniform(0, self._longest_seconds)
        plans = {
            "at once": at_once,
            "early": early,
            "late": late(seconds),
            "repeated": repeated,
            "backwards": backwards,
            "shuffled": self._shuffled,
            "read": read,
            "never": never,
        }
        name = self._chance.choice([*plans])
        self.met[name] += 1
        return plans[name](message, course)

    def _shuffled(self, message: Message, course: Course) -> Sequence[Step]:
        """In any order, some twice, some early and some late."""
        steps = [*course, *self._chance.sample(course, self._chance.randint(0, len(course)))]
        self._chance.shuffle(steps)
        return [
            replace(
                step,
                early=self._chance.random() < 0.3,
                after=self._chance.choice((0, self._chance.uniform(0, self._longest_seconds))),
            )
            for step in steps
        ]

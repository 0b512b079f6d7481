"""Whether the model works, how often it was asked and how long it takes, as its calls tell."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import ceil

from gaia.messages import Health

LATEST = 100
"""The latency is that of this many answers."""


@dataclass(frozen=True, slots=True)
class Calls:
    """How often the model was asked, and how often it failed for good. One that was given
    up, by `/stop` for example, was made and did not fail."""

    made: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds from a question to the end of its answer, retries included: of the `last`
    answer, of the middle one of the latest, and of the one that only one in twenty of
    them was slower than."""

    last: float
    median: float
    p95: float


class ModelHealth:
    """The calls of a model since it was set up, and its last error. Written by
    `ResilientLlm`; read by the status, the doctor and the metrics."""

    def __init__(self) -> None:
        self.last_error: datetime | None = None
        self.cause = ""
        """The last error in one line, without a key. It stays after a success."""
        self._works = True
        self.was_tried = False
        """Whether a call came to an end, good or bad, since the model was set up."""
        self.calls = Calls()
        """Since the model was set up: at the start, or by a change of the settings."""
        self._day: date | None = None
        self._today = Calls()
        self._answers: deque[float] = deque(maxlen=LATEST)

    @property
    def latency(self) -> Latency | None:
        """How long the latest answers in chats took; None before the first. Background work,
        a digest or a profile, is left out: it is longer by its nature."""
        if not self._answers:
            return None
        in_order = sorted(self._answers)
        return Latency(self._answers[-1], _quantile(in_order, 0.5), _quantile(in_order, 0.95))

    def calls_on(self, at: datetime) -> Calls:
        """The calls of the day of that moment, by the machine's time zone; none of a day
        other than that of the last call."""
        return self._today if at.astimezone().date() == self._day else Calls()

    def asked(self, at: datetime) -> None:
        """Say that a call begins."""
        self._count(at, made=1)

    def answered(self, seconds: float | None = None) -> None:
        """Say that a call was answered, and after which time, if somebody waited for it."""
        self._works = self.was_tried = True
        if seconds is not None:
            self._answers.append(seconds)

    def failed(self, at: datetime, cause: str) -> None:
        """Say that a call failed, retries included."""
        self.last_error = at
        self.cause = cause
        self._works, self.was_tried = False, True
        self._count(at, failed=1)

    def report(self) -> Health:
        """Bad when the latest call failed; good before the first call."""
        return Health(ok=True) if self._works else Health(ok=False, detail=self.cause)

    def _count(self, at: datetime, *, made: int = 0, failed: int = 0) -> None:
        today = self.calls_on(at)
        self._day = at.astimezone().date()
        self._today = Calls(today.made + made, today.failed + failed)
        self.calls = Calls(self.calls.made + made, self.calls.failed + failed)


def _quantile(in_order: Sequence[float], share: float) -> float:
    """The nearest rank: the smallest one that `share` of them does not exceed."""
    return in_order[ceil(share * len(in_order)) - 1]

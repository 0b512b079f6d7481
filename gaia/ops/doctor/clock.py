"""Whether this machine's clock is right, by what hosts say that were asked anyway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime

from gaia.findings import Check, Finding, failed, ok, skipped
from gaia.ops.words import duration
from gaia.ports import Clock

NAME = "clock"
TOLERANCE = timedelta(minutes=2)
"""TLS, Twilio's signatures and reminders stand so much."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What time a host said it was, and how far this machine's clock is ahead of that."""

    host: str
    ahead: timedelta


class Times:
    """Collects the times that hosts tell. One of them may be wrong: the one that is nearest
    to this machine's counts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: list[_Told] = []

    def heard(self, host: str, date: str) -> None:
        """Note the header `Date` of a host's answer, which has just come."""
        try:
            time = parsedate_to_datetime(date)
        except ValueError:
            return
        aware = time if time.tzinfo else time.replace(tzinfo=UTC)
        self._told.append(_Told(host, self._clock.now() - aware))

    def check(self) -> Check:
        """The check, to be run after those that ask hosts."""
        return Check(NAME, self._look)

    async def _look(self) -> Sequence[Finding]:
        if not self._told:
            return [skipped("nobody was asked who would have told the time")]
        nearest = min(self._told, key=lambda told: abs(told.ahead))
        if abs(nearest.ahead) <= TOLERANCE:
            return [ok(f"right by that of {nearest.host}")]
        off = duration(abs(nearest.ahead).total_seconds())
        side = "ahead of" if nearest.ahead > timedelta() else "behind"
        return [
            failed(
                f"this machine's clock is {off} {side} that of {nearest.host}",
                "Have it set over the network: timedatectl set-ntp true",
            )
        ]

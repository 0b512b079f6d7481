"""How Telegram is: what its errors say of the channel as a whole."""

from __future__ import annotations

from telegram.error import Conflict, InvalidToken, TelegramError

from channels import condition
from channels.telegram.faults import describe
from gaia.ports import Clock


class Condition(condition.Condition):
    """What is known of the channel at the moment. `stall_seconds` is None for webhooks."""

    def __init__(self, clock: Clock, *, stall_seconds: float | None) -> None:
        super().__init__(
            "Telegram", clock, stall_seconds=stall_seconds, stalled="polling has stalled"
        )

    def failed(self, exc: TelegramError) -> None:
        """A request that has to succeed did not."""
        match exc:
            case InvalidToken() | Conflict():
                self.troubled(describe(exc))
            case _:
                self.unreachable(describe(exc))

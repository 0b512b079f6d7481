"""What the core tells whoever counts: what came in, how turns end, what becomes of chunks.

Neither names nor words: a channel, a kind, a time.
"""

from __future__ import annotations

from typing import Protocol

from gaia.core.outcomes import GiveUp, Repeat, TryAgain, Verdict, Wait
from gaia.messages import ReceiptKind
from gaia.store.tables import InboxState


class Observer(Protocol):
    """Hears of what happens, at once: none of its methods may block or raise."""

    def received(self, channel: str, kind: ReceiptKind) -> None:
        """A message came, and that became of it."""
        ...

    def turn_ended(self, state: InboxState, seconds: float) -> None:
        """A turn came to an end, or to one that is tried again, after so long."""
        ...

    def chunk(self, channel: str, outcome: str) -> None:
        """A chunk was sent, its provider told of it, or it was not delivered."""
        ...


class Unobserved:
    """Nobody counts."""

    def received(self, channel: str, kind: ReceiptKind) -> None:
        pass

    def turn_ended(self, state: InboxState, seconds: float) -> None:
        pass

    def chunk(self, channel: str, outcome: str) -> None:
        pass


def outcome_of(verdict: Verdict) -> str:
    """What became of a chunk that was not delivered, in a word."""
    match verdict:
        case TryAgain():
            return "refused"
        case Wait():
            return "waiting"
        case Repeat():
            return "unknown"
        case GiveUp():
            return "given_up"

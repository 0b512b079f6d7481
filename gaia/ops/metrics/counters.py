"""What happens, counted since gaia started. Implements `core.observing.Observer`."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from gaia.messages import ReceiptKind
from gaia.store.tables import InboxState

SECONDS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300)
"""Bounds of the buckets: from a command's pace to an embedded model's."""


class Counters:
    """Counters in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._received = Counter(
            "gaia_messages_received",
            "Messages that came, by channel and what became of them on receipt.",
            ["channel", "receipt"],
            registry=self.registry,
        )
        self._turns = Counter(
            "gaia_turns", "Turns, by how they ended.", ["outcome"], registry=self.registry
        )
        self._turn_seconds = Histogram(
            "gaia_turn_duration_seconds",
            "How long turns took, from their beginning to the reply in the outbox.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self._chunks = Counter(
            "gaia_chunks",
            "Chunks of replies, by channel and what became of them.",
            ["channel", "outcome"],
            registry=self.registry,
        )

    def received(self, channel: str, kind: ReceiptKind) -> None:
        self._received.labels(channel, kind.value).inc()

    def turn_ended(self, state: InboxState, seconds: float) -> None:
        self._turns.labels("retried" if state is InboxState.QUEUED else state.value).inc()
        self._turn_seconds.observe(seconds)

    def chunk(self, channel: str, outcome: str) -> None:
        self._chunks.labels(channel, outcome).inc()

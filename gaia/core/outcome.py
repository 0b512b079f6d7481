"""How a run of a turn ends: with an answer, for another try, or without either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from gaia.core import sentences
from gaia.errors import (
    ModelFruitlessError,
    ModelMissingError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnreachableError,
)
from gaia.store.batches import Batch
from gaia.store.sessions import StoredEvent
from gaia.store.tables import InboxState

FAILURES = 3
"""A turn that failed so often is dead."""

FIRST_RETRY = timedelta(seconds=2)
HOPELESS = (
    ModelFruitlessError,
    ModelMissingError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnreachableError,
)
"""Failures that another try soon would only repeat."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run of a turn ended. `reply` goes out; `retry` says when to try again. `said`
    is what had been said of its answer when it was stopped, and `events` are what the session
    is to tell of it."""

    state: InboxState
    reply: str | None = None
    retry: timedelta | None = None
    said: str = sentences.STOPPED_MARK
    events: Sequence[StoredEvent] = ()

    @property
    def answer(self) -> str:
        """The answer as the conversation has it, of a turn that came to its end."""
        return self.said if self.reply is None else self.reply


def failure_outcome(exc: Exception, batch: Batch, *, is_owner: bool) -> Outcome:
    """Whether a failed turn is tried again, or is dead and the user is told: an owner of
    gaia what to do about it."""
    if batch.failures + 1 < FAILURES and not isinstance(exc, HOPELESS):
        return Outcome(InboxState.QUEUED, retry=FIRST_RETRY * 3**batch.failures)
    return Outcome(InboxState.DEAD, sentences.failed(exc, batch.turn_id, to_owner=is_owner))

"""The turn that log lines belong to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_turn_id: ContextVar[str | None] = ContextVar("turn_id", default=None)


@contextmanager
def turn_in_log(turn_id: str | None) -> Iterator[None]:
    """Stamp the log lines written within the block, and by its tasks, with the turn's id."""
    token = _turn_id.set(turn_id)
    try:
        yield
    finally:
        _turn_id.reset(token)


def present_turn() -> str | None:
    """The turn that this task works for."""
    return _turn_id.get()

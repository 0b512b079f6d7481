"""Patience that ends with calls that block."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gaia.clock import within
from gaia.errors import IndexUnavailableError
from gaia.ports import Clock
from gaia.threads import DaemonThreadPool

PATIENCE_SECONDS = 180.0
"""How long a step may take: loading everything from a slow card takes a minute."""

T = TypeVar("T")


class TimedPool:
    """A pool whose calls are given up in the end. `what` they are about is for people."""

    def __init__(self, pool: DaemonThreadPool, clock: Clock, *, what: str) -> None:
        self._pool = pool
        self._clock = clock
        self._what = what

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns or raises.

        Raises:
            IndexUnavailableError: It takes too long, or an earlier one still does.
        """
        if self._pool.stuck:
            raise IndexUnavailableError(f"{self._what} hangs: if it stays so, restart gaia")
        try:
            return await within(self._clock, PATIENCE_SECONDS, self._pool.run(call))
        except TimeoutError as exc:
            raise IndexUnavailableError(
                f"{self._what} took longer than {PATIENCE_SECONDS:.0f} s"
            ) from exc

    def close(self) -> None:
        """Let the threads end once they are idle."""
        self._pool.close()

"""What a backup tells of itself while it is being made, read or restored."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Is told of steps and bytes, from whatever thread does the work. An exception that it
    raises ends the work, which leaves nothing behind."""

    def step(self, what: str) -> None:
        """Another thing is begun, such as "copying gaia.db"."""
        ...

    def bytes_done(self, done: int, total: int) -> None:
        """So much of the present step is done."""
        ...


class Silent:
    """Nobody looks on."""

    def step(self, what: str) -> None:
        """Nobody is told."""

    def bytes_done(self, done: int, total: int) -> None:
        """Nobody is told."""

"""Python's search for garbage, put off while a process starts.

What is imported stays: to look through it again and again takes a fifth of a start.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Search nothing meanwhile, and what has come until the end never."""
    with building():
        yield
        gc.freeze()


@contextmanager
def building() -> Iterator[None]:
    """Search nothing meanwhile."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

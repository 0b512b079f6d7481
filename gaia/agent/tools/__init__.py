"""The tools the model may call, one module each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from gaia.agent.tools.calculator import calculate
from gaia.agent.tools.world_clock import WorldClock
from gaia.ports import Clock

Tool = Callable[..., dict[str, Any] | Awaitable[dict[str, Any]]]
"""A function, plain or async, whose name, docstring and signature ADK shows to the model."""


def built_in_tools(clock: Clock) -> Sequence[Tool]:
    """The tools that every turn has."""
    return (WorldClock(clock).current_time, calculate)

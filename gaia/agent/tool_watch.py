"""Watches the tools of a turn: which failed for a cause that another call would meet again, and
which worked. A tool that fails ends no turn: the model is told, and answers without it.
"""

from __future__ import annotations

import logging
from typing import Any

import httpx
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from gaia.store.tool_failures import ToolFates

logger = logging.getLogger(__name__)

PASSING = (TimeoutError, ConnectionError, httpx.TransportError)
"""Failures that may be over with the next call."""


class ToolWatch(BasePlugin):
    """Notes how the tools of one turn fared."""

    def __init__(self) -> None:
        super().__init__("tool_watch")
        self.failed: dict[str, str] = {}
        self.worked: set[str] = set()

    @property
    def fates(self) -> ToolFates:
        """How they fared so far."""
        return ToolFates(self.failed, self.worked)

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: dict[str, Any],
    ) -> dict[str, Any] | None:
        if tool.name not in self.failed:
            self.worked.add(tool.name)
        return None

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: Exception,
    ) -> dict[str, Any] | None:
        # Its own words may be those of the person.
        cause = type(error).__name__
        logger.error("the tool %s failed: %s", tool.name, cause)
        if not isinstance(error, PASSING):
            self.failed[tool.name] = cause
            self.worked.discard(tool.name)
        return {"error": f"the tool failed ({cause}): answer without it"}

"""How many calls of tools a turn may make: further ones are answered without the tool."""

from __future__ import annotations

from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

NO_MORE = (
    "That was one call of a tool too many for this message; none is made any more. Answer "
    "now, with what you know, and say what you could not look up or do."
)


class ToolCap(BasePlugin):
    """Lets one turn make `most` calls of tools. Each of several that the model wants at
    once counts. A model that does not listen ends with `limits.model_calls_per_turn`."""

    def __init__(self, most: int) -> None:
        super().__init__("tool_cap")
        self._most = most
        self._calls = 0

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        self._calls += 1
        return {"error": NO_MORE} if self._calls > self._most else None

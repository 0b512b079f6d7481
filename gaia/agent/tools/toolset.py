"""Toolset: the tools of all turns, made ready for the agent kit once."""

from __future__ import annotations

from collections.abc import Sequence

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool

from gaia.agent.tools import Tool


class Toolset(BaseToolset):
    """Implements the kit's `BaseToolset`. Given functions, the kit would take each one's
    signature and docstring apart at every request."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        super().__init__()
        self._prepared: list[BaseTool] = [FunctionTool(each) for each in tools]

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        return self._prepared

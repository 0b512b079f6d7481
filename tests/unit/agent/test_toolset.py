"""Toolset: the tools are the same ones at every request, and declared as the kit would."""

from __future__ import annotations

from google.adk.tools.function_tool import FunctionTool

from gaia.agent.tools import built_in_tools
from gaia.agent.tools.toolset import Toolset
from gaia.testing.clock import FakeClock


async def test_the_tools_are_prepared_once_and_declared_as_the_functions_are() -> None:
    functions = built_in_tools(FakeClock())
    toolset = Toolset(functions)
    first = await toolset.get_tools()
    assert [id(each) for each in first] == [id(each) for each in await toolset.get_tools()]
    assert [each._get_declaration() for each in first] == [
        FunctionTool(function)._get_declaration() for function in functions
    ]

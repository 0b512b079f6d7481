"""The flow: a request holds what was said and the tools, as the agent kit would offer them."""

from __future__ import annotations

from google.adk.agents.run_config import RunConfig
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.function_tool import FunctionTool

from gaia.agent.flow import TurnAgent, run
from gaia.agent.plugins import Capture
from gaia.agent.tools import Tool, built_in_tools
from gaia.sessions.service import TurnSession, stopped_turn
from gaia.store.sessions import SessionKey
from gaia.testing.clock import FakeClock
from gaia.testing.function_model import FunctionModel

KEY = SessionKey("ada", "telegram", "7", 1)
TOOLS = built_in_tools(FakeClock())


async def requested(*tools: Tool) -> LlmRequest:
    """What a second turn asks the model."""
    agent, capture = TurnAgent(FunctionModel(lambda request: "-"), tools), Capture()
    session = TurnSession(KEY, stopped_turn("t1", "one", "two"))
    told = [each async for each in run(agent, session, [capture], "three", RunConfig())]
    assert [each.author for each in told] == ["user", "gaia"]
    assert list(session.added) == told
    assert capture.request is not None
    return capture.request


async def test_a_request_holds_all_that_was_said() -> None:
    contents = (await requested()).contents
    assert [(each.role, each.parts[0].text) for each in contents if each.parts] == [
        ("user", "one"),
        ("model", "two"),
        ("user", "three"),
    ]


async def test_tools_are_declared_as_the_kit_would() -> None:
    request = await requested(*TOOLS)
    by_the_kit = LlmRequest()
    by_the_kit.append_tools([FunctionTool(each) for each in TOOLS])
    assert request.config.tools == by_the_kit.config.tools
    assert set(request.tools_dict) == {each.__name__ for each in TOOLS}


async def test_without_tools_none_are_declared() -> None:
    assert not (await requested()).config.tools

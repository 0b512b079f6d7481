"""A tool that fails is told of until it works again, and ends no turn."""

from __future__ import annotations

import pytest

from gaia.agent.tools.calculator import calculate
from gaia.testing.function_model import ToolCall
from tests.harness.tool_script import ToolScript


class Broken:
    """Fails like a tool that somebody wrote."""

    def __init__(self, error: Exception) -> None:
        self.error: Exception | None = error

    def __call__(self, expression: str) -> dict[str, str]:
        """Calculate.

        Args:
            expression: What.
        """
        if self.error is not None:
            raise self.error
        return calculate(expression)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Broken:
    tool = Broken(KeyError("a word of somebody"))
    tool.__name__ = "calculate"  # type: ignore[attr-defined]
    return tool


def asks_for_a_sum(request):
    results = [
        part.function_response for part in request.contents[-1].parts if part.function_response
    ]
    if results:
        return str(results[0].response)
    if "sum" in str(request.contents[-1]):
        return ToolCall("calculate", {"expression": "1 + 1"})
    return "I see."


def with_tool(core, tool) -> None:
    agent = core.app.answering.agent.value
    agent._tools = [*(each for each in agent._tools if each.__name__ != "calculate"), tool]


def told(core) -> str:
    return str(core.model.requests[-1].contents)


async def test_it_is_told_until_it_works_again(running_core, broken, caplog):
    async with running_core(asks_for_a_sum, provider="openai") as core:
        with_tool(core, broken)
        assert "the tool failed (KeyError)" in await core.say("a sum")
        await core.say("hello")
        assert "The tool calculate fails: KeyError." in told(core)
        broken.error = None
        await core.say("a sum")
        await core.say("hello")
        assert "The tool calculate fails" not in told(core)
    assert "a word of somebody" not in caplog.text


async def test_what_may_be_over_with_the_next_call_is_not_kept(running_core, broken):
    broken.error = TimeoutError("too slow")
    async with running_core(asks_for_a_sum, provider="openai") as core:
        with_tool(core, broken)
        assert "the tool failed (TimeoutError)" in await core.say("a sum")
        await core.say("hello")
        assert "The tool calculate fails" not in told(core)


async def test_nobody_is_told_of_anothers(running_core, broken):
    async with running_core(asks_for_a_sum, provider="openai", senders=("ada", "bob")) as core:
        with_tool(core, broken)
        await core.say("a sum")
        await core.say("hello", sender="bob")
        assert "The tool calculate fails" not in told(core)


async def test_a_tool_that_the_model_made_up_fails_nobody(running_core, caplog):
    script = ToolScript()
    made_up = "get_weather\n</context> my secret"
    script.plan("the weather", ToolCall(made_up, {}))
    async with running_core(script, provider="openai") as core:
        assert "there is no such tool" in await core.say("the weather")
        await core.say("hello")
        assert " fails:" not in told(core)
        assert "my secret" not in caplog.text


async def test_a_tool_that_is_not_given_any_more_is_not_told_of(running_core, broken):
    async with running_core(asks_for_a_sum, provider="openai") as core:
        with_tool(core, broken)
        await core.say("a sum")
        core.app.answering.agent.value._tools = []
        await core.say("hello")
        assert "The tool calculate fails" not in told(core)

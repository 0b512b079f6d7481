"""Calls of tools beyond a turn's number are answered, and not made."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.events import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from gaia.agent.plugins import NO_MORE, ToolCap
from gaia.testing.function_model import Answer, FunctionModel, ToolCall, ToolCalls

CALL = ToolCall("count")
THREE_AT_ONCE = ToolCalls([CALL, CALL, CALL])


class Bench:
    """A turn of a model that answers with these, one after the other; `made` calls of its
    tool were made."""

    def __init__(self, most: int, *answers: Answer) -> None:
        script = iter(answers)
        self.made = 0
        self.model = FunctionModel(lambda request: next(script))
        self._most = most

    async def run(self) -> list[Event]:
        def count() -> dict[str, Any]:
            self.made += 1
            return {"count": self.made}

        agent = LlmAgent(name="gaia", model=self.model, tools=[count])
        sessions = InMemorySessionService()
        await sessions.create_session(app_name="gaia", user_id="u", session_id="s")
        runner = Runner(
            app=App(name="gaia", root_agent=agent, plugins=[ToolCap(self._most)]),
            session_service=sessions,
        )
        answers = runner.run_async(
            user_id="u",
            session_id="s",
            new_message=types.UserContent("hi"),
            run_config=RunConfig(max_llm_calls=10),
        )
        return [event async for event in answers]

    def results(self) -> list[str]:
        """What the model read of its calls in the last request."""
        return _results(self.model.requests[-1])


def _results(request: LlmRequest) -> list[str]:
    return [
        "no more" if NO_MORE in str(part.function_response.response) else "made"
        for content in request.contents
        for part in content.parts or []
        if part.function_response
    ]


async def test_calls_one_after_the_other_are_made_up_to_the_number() -> None:
    bench = Bench(2, CALL, CALL, CALL, "done")
    events = await bench.run()
    assert bench.made == 2
    assert bench.results() == ["made", "made", "no more"]
    assert events[-1].content == types.Content(role="model", parts=[types.Part(text="done")])


async def test_calls_that_are_wanted_at_once_count_each() -> None:
    bench = Bench(4, THREE_AT_ONCE, THREE_AT_ONCE, "done")
    await bench.run()
    assert bench.made == 4
    assert bench.results() == [*["made"] * 4, "no more", "no more"]

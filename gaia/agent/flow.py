"""How the agent kit runs a turn of gaia's: one agent, one model, a set of tools.

The kit's own runner and flow serve much that gaia has no use for: agents that hand over to
each other, workflows, planners, code that is run, logins of tools. They ask about each of
these at every request, and what they need for them takes some 20 MB.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from copy import copy

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.invocation_context import InvocationContext, new_invocation_context_id
from google.adk.agents.run_config import RunConfig
from google.adk.events import Event
from google.adk.flows.llm_flows import basic
from google.adk.flows.llm_flows._base_llm_processor import BaseLlmRequestProcessor
from google.adk.flows.llm_flows.base_llm_flow import BaseLlmFlow
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.telemetry.context import ContentCapturingMode, TelemetryConfig
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from pydantic import PrivateAttr

from gaia.agent.tools import Tool
from gaia.sessions.service import AGENT_NAME, TurnSession

WORDLESS = TelemetryConfig(
    capture_message_content=ContentCapturingMode.NO_CONTENT,
    genai_semconv_stability_opt_in="stable",
)
"""Keeps what is said out of traces; the kit has it in them unless it is told. The other form
of traces takes the whole request apart, though nothing of it is told."""


class RequestWriter(BaseLlmRequestProcessor):
    """Writes a part of a request."""

    @abstractmethod
    def write(self, context: InvocationContext, request: LlmRequest) -> None:
        """Write it."""

    async def run_async(
        self, invocation_context: InvocationContext, llm_request: LlmRequest
    ) -> AsyncGenerator[Event, None]:
        self.write(invocation_context, llm_request)
        no_events: Sequence[Event] = ()
        for event in no_events:
            yield event


class Conversation(RequestWriter):
    """What was said, as it is kept; gaia's plugins make of it what the provider takes. Nobody
    may change what is in there: it is held for later turns."""

    name = "contents"

    def write(self, context: InvocationContext, request: LlmRequest) -> None:
        said = (event.content for event in context.session.events)
        request.contents = [each for each in said if each is not None and each.parts]


class Tools(RequestWriter):
    """Tools that the model may call. They are made ready once: the kit would take each
    function's signature and docstring apart every time."""

    name = "agent_tools"

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._prepared: Sequence[BaseTool] = [FunctionTool(each) for each in tools]
        self._offer = LlmRequest()
        self._offer.append_tools([*self._prepared])

    def write(self, context: InvocationContext, request: LlmRequest) -> None:
        context.canonical_tools_cache = [*self._prepared]
        request.tools_dict.update(self._offer.tools_dict)
        request.config.tools = copy(self._offer.config.tools)


class TurnFlow(BaseLlmFlow):
    """Asks the model with the conversation and the tools, and runs the tools that it calls."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self.request_processors = [basic.request_processor, Conversation()]
        self.tool_request_processors = [tools]


class TurnAgent(BaseAgent):
    """An agent that runs turns by `TurnFlow`, any number of them at once."""

    _flow: BaseLlmFlow = PrivateAttr()
    _asks: LlmAgent = PrivateAttr()

    def __init__(self, model: BaseLlm, tools: Sequence[Tool]) -> None:
        super().__init__(name=AGENT_NAME)
        self._flow = TurnFlow(Tools(tools))
        self._asks = LlmAgent(name=AGENT_NAME, model=model)

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        context = ctx.model_copy(update={"agent": self._asks})
        async with aclosing(self._flow.run_async(context)) as events:
            async for event in events:
                yield event


async def run(
    agent: TurnAgent,
    session: TurnSession,
    plugins: Sequence[BasePlugin],
    text: str,
    config: RunConfig,
) -> AsyncGenerator[Event, None]:
    """Run the turn that a message begins, and yield its events, the message first. All but
    the parts of an answer that is being written are added to the session."""
    said = types.UserContent(text)
    context = InvocationContext(
        session_service=session,
        session=session.whole,
        agent=agent,
        invocation_id=new_invocation_context_id(),
        user_content=said,
        run_config=config.model_copy(update={"telemetry": WORDLESS}),
        plugin_manager=PluginManager([*plugins]),
    )
    asked = Event(author="user", invocation_id=context.invocation_id, content=said)
    yield await _added(asked, session, config)
    async with aclosing(agent.run_async(context)) as events:
        async for event in events:
            yield await _added(event, session, config)


async def _added(event: Event, session: TurnSession, config: RunConfig) -> Event:
    event.custom_metadata = {**(config.custom_metadata or {}), **(event.custom_metadata or {})}
    return await session.append_event(session.whole, event)

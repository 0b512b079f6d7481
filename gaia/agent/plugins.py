"""What gaia adds to ADK's model requests, and learns from the answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import httpx
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from gaia.agent.enclosures import Enclosure, enclosed_parts
from gaia.agent.prompt import turn_begins
from gaia.agent.responses import TokenCount
from gaia.store.tool_failures import ToolFates
from gaia.store.usage import TURN, Tariff, Usage

logger = logging.getLogger(__name__)

WINDOW_STEP = 10
"""The replay window moves by so many turns at a time, so that the prompt's
prefix, and with it the provider's cache, lasts for several turns."""

NO_MORE = (
    "That was one call of a tool too many for this message; none is made any more. Answer "
    "now, with what you know, and say what you could not look up or do."
)
"""What the model is answered in the place of a tool that it may not call any more."""

PASSING = (TimeoutError, ConnectionError, httpx.TransportError)
"""Failures of a tool that may be over with the next call."""

WriteContext = Callable[[Sequence[str]], str]


class Meter(BasePlugin):
    """Counts the calls of `model`, and their tokens, of one turn, whatever becomes of it."""

    def __init__(self) -> None:
        super().__init__("meter")
        self.model = ""
        self.tariff = Tariff.SETTINGS
        self._calls = 0
        self._tokens = TokenCount()

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        self._calls += 1
        self._tokens.begin()

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> None:
        self._tokens.hear(llm_response)

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> None:
        self._tokens.hear_error(error)

    def usage(self) -> Usage:
        """What was counted, for the purpose `turn`."""
        return Usage(self.model, TURN, self._calls, *self._tokens.total, self.tariff)


class Instructions(BasePlugin):
    """Tells the model `text` and nothing else: the kit adds a line about an agent, which a
    small model repeats."""

    def __init__(self, text: str) -> None:
        super().__init__("instructions")
        self._text = text

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        llm_request.config.system_instruction = self._text


class TurnContext(BasePlugin):
    """Puts the turn's files and its context after the user's text, in the request
    alone: in each one of the turn, also between tool calls, and in all the same.

    `write` makes the context, once, from the texts that the first request holds before
    the user's own.
    """

    def __init__(self, write: WriteContext, enclosures: Sequence[Enclosure] = ()) -> None:
        super().__init__("turn_context")
        self._write = write
        self._enclosed = enclosed_parts(enclosures)
        self._parts: list[types.Part] = []

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        contents = llm_request.contents
        for position in turn_begins(contents)[-1:]:
            if not self._parts:
                context = self._write(list(_texts(contents[:position])))
                written = [types.Part(text=context)] if context else []
                self._parts = [*self._enclosed, *written]
            parts = contents[position].parts or []
            contents[position] = types.Content(role="user", parts=[*parts, *self._parts])


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


class ToolWatch(BasePlugin):
    """Notes how the tools of one turn fared: which failed for a cause that another call would
    meet again, and which worked. A tool that fails ends no turn: the model is told, and answers
    without it."""

    def __init__(self) -> None:
        super().__init__("tool_watch")
        self._failed: dict[str, str] = {}
        self._worked: set[str] = set()

    @property
    def fates(self) -> ToolFates:
        """How they fared so far."""
        return ToolFates(self._failed, self._worked)

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: dict[str, Any],
    ) -> None:
        if tool.name not in self._failed:
            self._worked.add(tool.name)

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: Exception,
    ) -> dict[str, Any] | None:
        if type(tool) is BaseTool:
            # The kit stands it in for a name that the model has made up.
            logger.warning("the model called a tool that it was not given")
            return {"error": "there is no such tool: answer without it"}
        # Its own words may be those of the person.
        cause = type(error).__name__
        logger.error("the tool %s failed: %s", tool.name, cause)
        if not isinstance(error, PASSING):
            self._failed[tool.name] = cause
            self._worked.discard(tool.name)
        return {"error": f"the tool failed ({cause}): answer without it"}


class Capture(BasePlugin):
    """Keeps the request that ADK builds, and answers it in the model's place."""

    def __init__(self) -> None:
        super().__init__("capture")
        self.request: LlmRequest | None = None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse:
        self.request = llm_request
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="-")]))


def replay_window(turns: int) -> ContextFilterPlugin:
    """ADK's plugin, set to the present turn and `turns` before it."""
    return ContextFilterPlugin(
        num_invocations_to_keep=turns + 1, custom_filter=drop_leading_fragment
    )


def replayed_turns(earlier_turns: int, window_turns: int) -> int:
    """How many of the `earlier_turns` a request replays: `window_turns`, and up to
    `WINDOW_STEP - 1` more, so that the first of them stays the same for a while."""
    surplus = max(earlier_turns - window_turns, 0)
    return window_turns + surplus % WINDOW_STEP


def drop_leading_fragment(contents: list[types.Content]) -> list[types.Content]:
    """Drop what precedes the first thing the user said: the rest of a turn
    whose beginning was not read."""
    return contents[next(iter(turn_begins(contents)), 0) :]


def _texts(contents: Sequence[types.Content]) -> Iterator[str]:
    """What the model reads in `contents`: words, and what tools were told and answered."""
    for content in contents:
        for part in content.parts or []:
            call, result = part.function_call, part.function_response
            yield from _strings([part.text, call and call.args, result and result.response])


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            yield from _strings([*value.values()])
        case list():
            for each in value:
                yield from _strings(each)

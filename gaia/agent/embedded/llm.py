"""The embedded model as ADK sees it: a request goes in, responses come out.

The process speaks OpenAI's protocol, and is asked as any other host is that does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import httpx
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.embedded.conversation import Bounds, fitting, own_words
from gaia.agent.embedded.repetition import unrepeated
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.agent.embedded.sums import worked_out
from gaia.agent.remote.completions import CompletionsLlm
from gaia.agent.remote.errors import HostError
from gaia.errors import ModelUnavailableError
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.schema import EmbeddedSettings
from gaia.weights.catalogue import find_model
from gaia.weights.folder import Weights


def connect(name: str, settings: EmbeddedSettings, home: Home, clock: Clock) -> EmbeddedLlm:
    """The model called `name`; its process starts with the first request.

    Raises:
        ModelMissingError: The catalogue has no such model, or it is not installed.
    """
    model, weights = find_model(name), Weights(home.models)
    weights.require(model)
    launch = Launch(
        model=model,
        weights=weights,
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        log=home.logs / "embedded.log",
    )
    server = EmbeddedServer(launch, clock=clock, idle_seconds=settings.idle_minutes * 60)
    return EmbeddedLlm(name, server, Bounds(settings.context_tokens, settings.max_reply_tokens))


class EmbeddedLlm(BaseLlm):
    """A model of the catalogue in a process of its own. Its owner calls `close` once."""

    _server: EmbeddedServer
    _bounds: Bounds

    def __init__(self, name: str, server: EmbeddedServer, bounds: Bounds) -> None:
        super().__init__(model=name)
        self._server = server
        self._bounds = bounds

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities(output_schema_and_tools=False)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the answer: pieces of its text if `stream`, then all of it.

        Raises:
            ModelMissingError: The model is not installed.
            ModelUnavailableError: Its process does not start, or broke off.
            HostError: It refused the request.
        """
        said = own_words(llm_request.contents[-1]) if llm_request.contents else ""
        if (result := worked_out(said)) is not None:
            finish = types.FinishReason.STOP
            yield LlmResponse(content=types.ModelContent(result), finish_reason=finish)
            return
        request = await asyncio.to_thread(fitting, llm_request, self._bounds)
        async with aclosing(unrepeated(request, lambda one: self._ask(one, stream))) as answer:
            async for response in answer:
                yield response

    async def warm(self, llm_request: LlmRequest) -> None:
        """Start the process and let it read what requests like this begin with.

        Raises:
            ModelError: As for an answer.
        """
        request = await asyncio.to_thread(fitting, llm_request, self._bounds)
        request.config.max_output_tokens = 1
        # What it refuses now it refuses again when it is asked, and that is told.
        with suppress(HostError):
            async with aclosing(self._ask(request, stream=False)) as answer:
                async for _ in answer:
                    pass

    async def close(self) -> None:
        """Stop the process. Idempotent."""
        await self._server.close()

    async def _ask(self, request: LlmRequest, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """One request. Leaving the loop early makes the process give it up."""
        try:
            async with self._server.client() as client:
                llm = CompletionsLlm(self.model, client)
                async with aclosing(llm.generate_content_async(request, stream)) as answer:
                    async for response in answer:
                        yield response
        except httpx.HTTPError as exc:
            raise ModelUnavailableError(
                f"the embedded model's process broke off ({type(exc).__name__}); it is started "
                "anew for the next request"
            ) from exc

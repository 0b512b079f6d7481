"""embedded: how much a warm prefix saves the embedded model, and its speed."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from figures import Figure, resident_megabytes
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.embedded.conversation import Bounds
from gaia.agent.embedded.llm import EmbeddedLlm
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.clock import SystemClock
from gaia.errors import ModelError
from gaia.paths import find_home
from gaia.settings.providers import DEFAULT_NAMES
from gaia.weights.catalogue import find_model
from gaia.weights.folder import Weights
from tests.harness.small_model import KEPT_MODELS, pull_small_model

INSTRUCTIONS = "You are a friendly assistant. You answer in a few plain sentences. " * 20
CONTEXT = 2048
QUESTION = "Tell me about the sea."


async def measure(quick: bool) -> Sequence[Figure]:
    """The figures of the model that gaia takes by itself, none where it is not installed; in
    short those of the small one that the tests have."""
    model, weights = find_model(DEFAULT_NAMES["embedded"]), Weights(find_home().models)
    if quick:
        model, weights = await asyncio.to_thread(pull_small_model), Weights(KEPT_MODELS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "embedded.log"
            return await _bench(Launch(model, weights, CONTEXT, 0, log), 8 if quick else 96)
    except ModelError as exc:
        print(exc, file=sys.stderr)
        return []


@dataclass(frozen=True, slots=True)
class Measured:
    text: str
    first_seconds: float
    seconds: float
    prompt_tokens: int
    read_tokens: int
    answer_tokens: int


async def _answer(llm: EmbeddedLlm, *said: str) -> Measured:
    contents = [
        types.Content(role=("user", "model")[number % 2], parts=[types.Part(text=text)])
        for number, text in enumerate(said)
    ]
    config = types.GenerateContentConfig(system_instruction=INSTRUCTIONS)
    began = perf_counter()
    first: float | None = None
    last = LlmResponse()
    async for response in llm.generate_content_async(
        LlmRequest(contents=contents, config=config), stream=True
    ):
        last = response
        first = perf_counter() - began if first is None else first
    usage, content = last.usage_metadata, last.content
    assert usage is not None
    assert content is not None
    assert first is not None
    prompt = usage.prompt_token_count or 0
    return Measured(
        text="".join(part.text or "" for part in content.parts or []),
        first_seconds=first,
        seconds=perf_counter() - began,
        prompt_tokens=prompt,
        read_tokens=prompt - (usage.cached_content_token_count or 0),
        answer_tokens=usage.candidates_token_count or 0,
    )


async def _bench(launch: Launch, most_tokens: int) -> Sequence[Figure]:
    server = EmbeddedServer(launch, clock=SystemClock(), idle_seconds=900)
    llm = EmbeddedLlm(launch.model.name, server, Bounds(CONTEXT, most_tokens))
    try:
        began = perf_counter()
        async with server.client():
            started = perf_counter() - began
        cold = await _answer(llm, QUESTION)
        warm = await _answer(llm, QUESTION, cold.text, "And the sky?")
        memory = resident_megabytes(server.pid) if server.pid else 0.0
    finally:
        await llm.close()
    writing = (cold.answer_tokens - 1) / (cold.seconds - cold.first_seconds)
    return [
        Figure(f"{launch.model.name}: start", started, "s"),
        Figure("first token, cold", cold.first_seconds, "s", warm.first_seconds, "warm"),
        Figure("read, warm", warm.read_tokens, "tokens", warm.prompt_tokens, "whole"),
        Figure("reading", cold.read_tokens / cold.first_seconds, "tokens a second"),
        Figure("writing", writing, "tokens a second"),
        Figure("resident, with the weights", memory, "MB"),
    ]

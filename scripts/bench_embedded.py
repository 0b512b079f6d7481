"""Measure the embedded model: how much a warm prefix saves, and its speed.

Usage: python scripts/bench_embedded.py [NAME]

Ratios compare across machines; the absolute numbers are this machine's.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.embedded.catalogue import find_model
from gaia.agent.embedded.conversation import Bounds
from gaia.agent.embedded.llm import EmbeddedLlm
from gaia.agent.embedded.server import EmbeddedServer, Launch
from gaia.agent.embedded.weights import Weights
from gaia.agent.providers import DEFAULT_NAMES
from gaia.clock import SystemClock
from gaia.errors import ModelError
from gaia.paths import find_home

INSTRUCTIONS = "You are a friendly assistant. You answer in a few plain sentences. " * 20
QUESTION = "Tell me about the sea."


@dataclass(frozen=True, slots=True)
class Measured:
    text: str
    first_seconds: float
    seconds: float
    prompt_tokens: int
    read_tokens: int
    answer_tokens: int


async def measure(llm: EmbeddedLlm, *said: str) -> Measured:
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


def resident_megabytes(pid: int) -> float | None:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1000


async def bench(name: str, log: Path) -> None:
    launch = Launch(find_model(name), Weights(find_home().models), 8192, 0, log)
    server = EmbeddedServer(launch, clock=SystemClock(), idle_seconds=900)
    llm = EmbeddedLlm(name, server, Bounds(8192, 96))
    try:
        began = perf_counter()
        async with server.client():
            started = perf_counter() - began
        cold = await measure(llm, QUESTION)
        warm = await measure(llm, QUESTION, cold.text, "And the sky?")
        memory = resident_megabytes(server.pid) if server.pid else None
    finally:
        await llm.close()
    print(f"model                         {name}")
    print(f"start                         {started:.1f} s")
    print(f"cold: first token             {cold.first_seconds:.2f} s, {cold.prompt_tokens} tokens")
    print(f"warm: first token             {warm.first_seconds:.2f} s, {warm.prompt_tokens} tokens")
    print(f"cold / warm, first token      {cold.first_seconds / warm.first_seconds:.1f}")
    print(f"warm: share read anew         {warm.read_tokens / warm.prompt_tokens:.0%}")
    print(f"reading                       {cold.read_tokens / cold.first_seconds:.0f} tokens/s")
    writing = (cold.answer_tokens - 1) / (cold.seconds - cold.first_seconds)
    print(f"writing                       {writing:.0f} tokens/s")
    if memory is not None:
        print(f"memory, the weights among it  {memory:.0f} MB")


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else DEFAULT_NAMES["embedded"]
    try:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(bench(name, Path(folder) / "embedded.log"))
    except ModelError as exc:
        print(exc, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

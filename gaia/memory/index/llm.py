"""The model of `memory.llm`, where it is another than the one that answers: it is asked by mem0's
clients.

They block, so that each call has a thread, of two at most; one that does not answer in time is
waited for no longer. Most of them tell nobody what a call has cost: tokens are estimated.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import partial

from gaia.errors import IndexUnavailableError, ModelTimeoutError, ModelUnavailableError
from gaia.memory.extraction import Answer
from gaia.memory.index.factories import Llm
from gaia.memory.search.recall import tokens as tokens_of
from gaia.store.usage import Tariff, Usage
from gaia.threads import DaemonThreadPool

JSON = {"type": "json_object"}


class Mem0Ask:
    """Implements `AskModel` over a chat model of mem0, which is opened at the first call."""

    is_small = False
    most_tokens = None
    tariff = Tariff.UNKNOWN

    def __init__(self, open_llm: Callable[[], Llm], name: str, *, seconds: float) -> None:
        self.name = name
        self._open_llm = open_llm
        self._seconds = seconds
        self._llm: Llm | None = None
        self._threads = DaemonThreadPool("memory-llm", threads=2)

    async def __call__(
        self, instructions: str, text: str, shape: Mapping[str, object], *, purpose: str
    ) -> Answer:
        """The answer; the shape is told in words, which every model understands.

        Raises:
            ModelTimeoutError: It took longer than `seconds`.
            ModelUnavailableError: The client cannot be made, or did not answer.
        """
        told = f"{instructions}\n\n{_in_words(shape)}"
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._threads.run(partial(self._generate, told, text))
        except TimeoutError as exc:
            raise ModelTimeoutError(
                f"memory.llm, {self.name}, took longer than {self._seconds:g} s: it is asked again"
            ) from exc
        tokens_in, tokens_out = round(tokens_of(told + text)), round(tokens_of(answer))
        used = Usage(self.name, purpose, 1, tokens_in, tokens_out, self.tariff)
        return Answer(answer, used)

    def _generate(self, instructions: str, text: str) -> str:
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": text},
        ]
        try:
            llm = self._llm or self._open_llm()
            self._llm = llm
            return str(llm.generate_response(messages, response_format=JSON) or "")
        except IndexUnavailableError as exc:
            raise ModelUnavailableError(str(exc)) from exc
        except Exception as exc:
            # Without the client's own words: they may quote the key, or the conversation.
            raise ModelUnavailableError(
                f"memory.llm, {self.name}, did not answer ({type(exc).__name__}): it is asked again"
            ) from exc


def _in_words(shape: Mapping[str, object]) -> str:
    schema = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object of this JSON schema, and nothing else: {schema}"

"""The chat model for those who block: mem0 asks it from a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from gaia.agent.models import ChatModel

ROLES = {"user": "user", "assistant": "model"}
"""The roles of the chat protocol, as the model's request has them; `system` is apart."""


class BlockingModel:
    """Implements `gaia.memory.index.chat.Ask`. Its loop must run, in another thread."""

    def __init__(self, model: ChatModel, loop: asyncio.AbstractEventLoop) -> None:
        self._model = model
        self._loop = loop

    def __call__(self, messages: Sequence[Mapping[str, str]], *, wants_json: bool) -> str:
        """The answer to messages of the roles `system`, `user` and `assistant`.

        Raises:
            ModelError: The model gave no answer.
        """
        answering = self._answer(_request(messages, wants_json=wants_json))
        return asyncio.run_coroutine_threadsafe(answering, self._loop).result()

    async def _answer(self, request: LlmRequest) -> str:
        pieces = [
            part.text
            async for response in self._model.llm.generate_content_async(request)
            for part in (response.content.parts or [] if response.content else [])
            if part.text and not part.thought
        ]
        return "".join(pieces)


def _request(messages: Sequence[Mapping[str, str]], *, wants_json: bool) -> LlmRequest:
    told = [message["content"] for message in messages if message["role"] == "system"]
    return LlmRequest(
        contents=[
            types.Content(role=ROLES[message["role"]], parts=[types.Part(text=message["content"])])
            for message in messages
            if message["role"] in ROLES
        ],
        config=types.GenerateContentConfig(
            system_instruction="\n\n".join(told) or None,
            response_mime_type="application/json" if wants_json else None,
        ),
    )

"""What keeps a small model from saying its last answer again: it is asked once more.

It imitates its own answers, and one that once was said to two messages would be said to
all that follow.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.agent.embedded.conversation import own_words, words
from gaia.agent.tokens import used_tokens, with_more

Ask = Callable[[LlmRequest], AsyncGenerator[LlmResponse, None]]


async def unrepeated(request: LlmRequest, ask: Ask) -> AsyncGenerator[LlmResponse, None]:
    """Yield the answer of `ask`, asked a second time if the first answer is the one before
    over again. A streamed answer is held back for as long as it may still become that."""
    last = _last_answer(request.contents)
    held: list[LlmResponse] = []
    said = ""
    async with aclosing(ask(request)) as answer:
        async for response in answer:
            held.append(response)
            text = words(response.content) if response.content else ""
            said = said + text if response.partial else text
            may_repeat = last.startswith(said.strip()) if response.partial else said.strip() == last
            if last and may_repeat:
                continue
            for each in held:
                yield each
            held, last = [], ""
    if not held:
        return
    async with aclosing(ask(_without(request, last))) as answer:
        async for response in answer:
            yield with_more(response, used_tokens(held[-1]))


def _last_answer(contents: Sequence[types.Content]) -> str:
    """The answer that must not be given again: the last one, to another message than the
    present one. Empty if there is none."""
    for position in reversed(range(1, len(contents))):
        if contents[position].role == "model":
            asked_before = own_words(contents[position - 1]).strip()
            is_other = asked_before != own_words(contents[-1]).strip()
            return words(contents[position]).strip() if is_other else ""
    return ""


def _without(request: LlmRequest, answer: str) -> LlmRequest:
    kept = [
        content
        for content in request.contents
        if content.role != "model" or words(content).strip() != answer
    ]
    return request.model_copy(update={"contents": kept})

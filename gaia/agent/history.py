"""What a request carries of earlier turns: nothing that only the model can read that said it.

A conversation outlives its model. What a model thought, and the signatures beside what it
said, are read by their own provider alone, and asked for only within a turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, pairwise

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from gaia.settings.providers import ModelProvider

KEEP_THOUGHTS = frozenset[ModelProvider]({"gemini", "anthropic"})
"""They want back what they thought before they called a tool, until the turn is over."""
NOTHING = types.Content(parts=[])


class PlainHistory(BasePlugin):
    """Makes the history one that every provider takes, in the request alone."""

    def __init__(self, provider: ModelProvider) -> None:
        super().__init__("plain_history")
        self._keeps_thoughts = provider in KEEP_THOUGHTS

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        llm_request.contents = plain(llm_request.contents, keeps_thoughts=self._keeps_thoughts)


def plain(contents: Sequence[types.Content], *, keeps_thoughts: bool) -> list[types.Content]:
    """`contents` without thoughts and signatures, but for those of the present turn where it
    `keeps_thoughts`; each call of a tool with an id of its own, and right before its result."""
    positions = turn_begins(contents)
    present = positions[-1] if keeps_thoughts and positions else len(contents)
    said = [_said(content) for content in contents[:present]]
    return list(_paired([each for each in [*said, *contents[present:]] if each.parts]))


def is_said_by_user(content: types.Content) -> bool:
    """Whether this is a person's message, and not the result of a tool."""
    parts = content.parts or []
    return content.role == "user" and not any(part.function_response for part in parts)


def turn_begins(contents: Sequence[types.Content]) -> list[int]:
    """Where in `contents` a person says something: there a turn begins."""
    return [at for at, content in enumerate(contents) if is_said_by_user(content)]


def _said(content: types.Content) -> types.Content:
    parts = content.parts or []
    if all(part.text and not (part.thought or part.thought_signature) for part in parts):
        return content
    spoken = [part for part in parts if not part.thought]
    unsigned = [part.model_copy(update={"thought_signature": None}) for part in spoken]
    return types.Content(
        role=content.role, parts=[part for part in unsigned if any(value for _, value in part)]
    )


def _paired(contents: Sequence[types.Content]) -> Iterator[types.Content]:
    """Leave out calls without a result in the content that follows, and the other way round."""
    if not any(part.function_call or part.function_response for part in _parts(contents)):
        yield from contents
        return
    numbers = count(1)
    ids: dict[int, str] = {}
    for content, following in pairwise([*contents, NOTHING]):
        results = [each.function_response for each in following.parts or []]
        next_ids: dict[int, str] = {}
        parts: list[types.Part] = []
        for position, part in enumerate(content.parts or []):
            if part.function_call:
                place = _place_of_result(part.function_call, results, next_ids)
                if place is not None:
                    next_ids[place] = f"call{next(numbers):05}"
                    renamed = {"id": next_ids[place]}
                    call = part.function_call.model_copy(update=renamed)
                    parts.append(part.model_copy(update={"function_call": call}))
            elif part.function_response:
                if position in ids:
                    result = part.function_response.model_copy(update={"id": ids[position]})
                    parts.append(part.model_copy(update={"function_response": result}))
            else:
                parts.append(part)
        ids = next_ids
        if parts:
            yield types.Content(role=content.role, parts=parts)


def _parts(contents: Sequence[types.Content]) -> Iterator[types.Part]:
    for content in contents:
        yield from content.parts or []


def _place_of_result(
    call: types.FunctionCall,
    results: Sequence[types.FunctionResponse | None],
    taken: dict[int, str],
) -> int | None:
    """Where the result of `call` stands among `results`: hosts repeat ids, or give none."""
    free = [
        (place, each)
        for place, each in enumerate(results)
        if each and place not in taken and each.name == call.name
    ]
    best = min(free, key=lambda each: each[1].id != call.id, default=None)
    return best and best[0]

"""A request as the embedded model is given it: the instructions, and the turns in words.

The same history gives the same messages in each request, so that what the model read
for one turn is the beginning of the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from gaia.agent.embedded.language import request_for
from gaia.agent.history import turn_begins
from gaia.agent.prompt import PLAIN_RULES

BYTES_PER_TOKEN = 3
"""Fewer than most texts have: what is estimated to fit does."""
MESSAGE_OVERHEAD_TOKENS = 8
"""More than a chat template puts around a message."""
TEMPERATURE_OF_SHAPES = 0.0
"""JSON is wanted as likely as it can be; words come better with some chance."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What fits: `context_tokens` hold the prompt and an answer of `reply_tokens`."""

    context_tokens: int
    max_reply_tokens: int

    def reply_tokens(self, config: types.GenerateContentConfig) -> int:
        """How long an answer may be: in words as the settings say, in a shape as long as it
        is asked to be, for half of one is of no use; half of the context at most."""
        wanted = config.max_output_tokens or self.max_reply_tokens
        most = self.max_reply_tokens if config.response_schema is None else wanted
        return min(wanted, most, self.context_tokens // 2)


def fitting(request: LlmRequest, bounds: Bounds) -> LlmRequest:
    """`request` in words, without the oldest turns if it is longer than what fits. Each
    message asks for an answer in its own language, unless the person has rules of their
    own, which may name another."""
    config = request.config.model_copy()
    config.max_output_tokens = bounds.reply_tokens(config)
    config.system_instruction = told = _defused(str(config.system_instruction or ""))
    if config.response_schema is not None:
        config.temperature = TEMPERATURE_OF_SHAPES
    room = bounds.context_tokens - config.max_output_tokens - _tokens(told)
    spoken = in_words(request.contents, with_calls=bool(config.tools))
    if config.response_schema is None and PLAIN_RULES not in told:
        spoken = [_with_language(content) for content in spoken]
    contents = trim(spoken, room)
    return request.model_copy(update={"config": config, "contents": contents})


def in_words(contents: Sequence[types.Content], *, with_calls: bool) -> list[types.Content]:
    """What was said. Calls of tools and their results stay `with_calls` alone: a model that
    has no tools takes them for something to imitate."""
    spoken = []
    for content in contents:
        parts = list(_parts(content, with_calls=with_calls))
        if parts:
            spoken.append(types.Content(role=content.role, parts=parts))
    return spoken


def _with_language(content: types.Content) -> types.Content:
    """A person's message with the request to answer in its language, each time that it is
    read: so what the model read for one turn is the beginning of the next."""
    parts = content.parts or []
    asks = request_for(parts[0].text or "") if content.role == "user" and parts else ""
    if not asks:
        return content
    return types.Content(role="user", parts=[*parts, types.Part(text=f"({asks})")])


def trim(contents: Sequence[types.Content], room: int) -> list[types.Content]:
    """Drop whole turns from the beginning until there is `room` for the tokens of the rest.

    Whenever the history outgrows the room it falls to half of it, so that it begins at
    the same turn for a while. Which turn that is follows from the history alone. The last
    turn always stays.
    """
    kept: list[Sequence[types.Content]] = []
    used = 0
    for turn in _turns(contents):
        kept.append(turn)
        used += _size(turn)
        if used > room:
            while len(kept) > 1 and used > room // 2:
                used -= _size(kept.pop(0))
    return [content for turn in kept for content in turn]


def words(content: types.Content) -> str:
    """The text of a message."""
    return "\n".join(part.text for part in content.parts or [] if part.text)


def _parts(content: types.Content, *, with_calls: bool) -> Iterator[types.Part]:
    for part in content.parts or []:
        if part.text and not part.thought:
            yield types.Part(text=_defused(part.text))
        elif with_calls and part.function_call:
            yield part
        elif with_calls and part.function_response:
            result = part.function_response
            told = json.loads(_defused(json.dumps(result.response, ensure_ascii=False)))
            yield types.Part(function_response=result.model_copy(update={"response": told}))


def _turns(contents: Sequence[types.Content]) -> list[Sequence[types.Content]]:
    """What a person said, and all up to the next thing that a person says."""
    begins = [at for at in turn_begins(contents) if at]
    return [contents[begin:end] for begin, end in pairwise([0, *begins, len(contents)])]


def _size(turn: Sequence[types.Content]) -> int:
    return sum(_tokens(content.model_dump_json(exclude_none=True)) for content in turn)


def _tokens(text: str) -> int:
    return len(text.encode()) // BYTES_PER_TOKEN + MESSAGE_OVERHEAD_TOKENS


def _defused(text: str) -> str:
    """`text` without what would end a message: the template's control tokens."""
    return text.replace("<|", "< |")

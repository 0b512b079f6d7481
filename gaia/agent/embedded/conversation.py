"""A request as the embedded model is given it: the instructions, and the turns in words.

The same history gives the same messages in each request, so that what the model read
for one turn is the beginning of the next.

Told only to answer in the language of the message, a small model answers many a message
in English; and what people say of themselves it says over again, as if it were the person.
Shown once how it is done, it does neither: a conversation begins with an example in its
language. A message in another language than that asks for an answer in its own, and one that asks
for a deed is told that the model has no means for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from gaia.agent.prompt import PLAIN_RULES, turn_begins
from gaia.memory.deeds import asks_for_deed
from gaia.memory.reminders.phrases import SENTENCE_END

FEWEST_WORDS = 2
"""Fewer words belong to several languages, or are names."""
LEAST_LEAD = 9.0
"""As a logarithm, how much likelier than English a language is, or English than others."""

LONGEST_ORDER = 300
"""Characters of a message that asks for a deed and for little else."""

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)'[^']*'(?!\w)")

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
    """`request` in words, without the oldest turns if it is longer than what fits. It begins
    with an example in its language, unless the person has rules of their own, which may
    name another."""
    config = request.config.model_copy()
    config.max_output_tokens = bounds.reply_tokens(config)
    config.system_instruction = told = _defused(str(config.system_instruction or ""))
    if config.response_schema is not None:
        config.temperature = TEMPERATURE_OF_SHAPES
    room = bounds.context_tokens - config.max_output_tokens - _tokens(told)
    spoken = in_words(request.contents, with_calls=bool(config.tools))
    if config.response_schema is None and not config.tools:
        spoken = list(map(_with_inability, spoken))
    if config.response_schema is not None or PLAIN_RULES in told:
        contents = trim(spoken, room)
    else:
        example, asking = _in_their_languages(spoken)
        contents = [*example, *trim(asking, room - sum(map(_size_of, example)))]
    return request.model_copy(update={"config": config, "contents": contents})


def in_words(contents: Sequence[types.Content], *, with_calls: bool) -> list[types.Content]:
    """What was said. Calls of tools and their results stay `with_calls` alone: a model that
    has no tools takes them for something to imitate."""
    told = ((each.role, list(_parts(each, with_calls=with_calls))) for each in contents)
    return [types.Content(role=role, parts=parts) for role, parts in told if parts]


def own_words(content: types.Content) -> str:
    """What a person said: what else belongs to a message stands after it."""
    return (content.parts[0].text or "") if content.parts else ""


class Manner(NamedTuple):
    """What asks for an answer in a language, in that language, and what somebody says and is
    answered, by turns: nothing that could be taken for what is known of a person. `cannot`
    says that a deed is out of the question."""

    request: str = ""
    example: Sequence[str] = ()
    cannot: str = ""


@cache
def manners() -> Mapping[str, Manner]:
    """By language."""
    told = json.loads(resources.files(__package__).joinpath("manners.json").read_bytes())
    return {language: Manner(**manner) for language, manner in told.items()}


def language_of(message: str) -> str:
    """The language of `message`, by ISO 639-1; empty where it is not certain. Words in
    quotation marks are spoken of, and do not count, nor do those after a colon, unless what
    stands before it is a name. The first call loads what it needs and takes a second."""
    before, _, after = _QUOTED.sub(" ", message).partition(":")
    own = before if _has_words(before) else after
    if not _has_words(own):
        return ""
    import py3langid  # type: ignore[import-untyped]

    ranked = py3langid.rank(own)
    (language, likelihood), (_, next_likelihood) = ranked[:2]
    rival = next_likelihood if language == "en" else dict(ranked)["en"]
    return language if likelihood - rival >= LEAST_LEAD else ""


def _in_their_languages(
    contents: Sequence[types.Content],
) -> tuple[list[types.Content], list[types.Content]]:
    """An example in the language of the first message, and the messages. One in another
    language asks for an answer in that, each time that it is read: so what the model read
    for one turn is the beginning of the next."""
    first = (language_of(own_words(contents[0])) if contents else "") or "en"
    said = manners().get(first, Manner()).example
    kinds = (types.UserContent, types.ModelContent) * len(said)
    example: list[types.Content] = [kind(text) for kind, text in zip(kinds, said, strict=False)]
    return example, [_asking(content, first) for content in contents]


def _asking(content: types.Content, expected: str) -> types.Content:
    language = language_of(own_words(content)) if content.role == "user" else expected
    request = manners().get(language, Manner()).request
    asks = [types.Part(text=f"({request})")] if request and language != expected else []
    return types.Content(role=content.role, parts=[*(content.parts or []), *asks])


def inability(message: str) -> str:
    """What a model without tools has to be told that it cannot do what a message asks for: it
    would say that it has done it. Empty for other messages, and for long ones."""
    if len(message) > LONGEST_ORDER:
        return ""
    languages = map(asks_for_deed, SENTENCE_END.split(message))
    return manners().get(next(filter(None, languages), ""), Manner()).cannot


def _with_inability(content: types.Content) -> types.Content:
    cannot = inability(own_words(content)) if content.role == "user" else ""
    told = [types.Part(text=f"({cannot})")] if cannot else []
    return types.Content(role=content.role, parts=[*(content.parts or []), *told])


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
    return sum(map(_size_of, turn))


def _size_of(content: types.Content) -> int:
    return _tokens(content.model_dump_json(exclude_none=True))


def _tokens(text: str) -> int:
    return len(text.encode()) // BYTES_PER_TOKEN + MESSAGE_OVERHEAD_TOKENS


def _defused(text: str) -> str:
    """`text` without what would end a message: the template's control tokens."""
    return text.replace("<|", "< |")


def _has_words(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= FEWEST_WORDS

"""What a response of a model holds: what it says, told from what it thinks, and the tokens as
providers count them, also of tries that failed.

Hosts should tell thoughts in parts or fields of their own. Many models write them into the
answer, before all else: between tags, in a channel, or with the closing tag alone, where
the opening one stands in the prompt. What looks the same later in an answer is part of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import regex
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from gaia.errors import FailedCallError
from gaia.lru import LruCache

_NAME = r"(?:think(?:ing)?|thoughts?|reasoning)"
_BEGIN = regex.compile(
    rf"\s*(?:[<\[◁]\|?(?:\w+:|start_|begin_of_)?{_NAME}\|?[>\]▷]"
    r"|<\|channel>thought|<unused94>|(?=<\|(?:start|channel)\|>))",
    regex.IGNORECASE,
)
_END = regex.compile(
    rf"[<\[◁](?:/(?:\w+:)?|\|end_(?:of_)?){_NAME}\|?[>\]▷]"
    r"|<channel\|>|<unused95>|<\|channel\|>final[^<]*<\|message\|>",
    regex.IGNORECASE,
)
LONGEST_END = 80
"""So much of a thought is kept while it goes on: its end may come in pieces."""

Thought = TypeVar("Thought")
KEPT = 100


class KeptThoughts(Generic[Thought]):
    """What a model thought before its last calls of tools, in memory alone. Some hosts want
    it back with the call; ids do not tell which it was, since requests have others."""

    def __init__(self) -> None:
        self._kept = LruCache[str, Thought](KEPT)

    def keep(self, response: LlmResponse, thought: Thought) -> None:
        """Keep what stood before the calls in a response, and forget the oldest."""
        for call in response.get_function_calls() if thought else ():
            self._kept.put(_key(call.name, call.args), thought)

    def before(self, name: str | None, arguments: Mapping[str, Any] | None) -> Thought | None:
        """What stood before this call, if that is known."""
        return self._kept.get(_key(name, arguments))


class Speech:
    """Takes the text of an answer as it comes, and gives what is said of it."""

    def __init__(self, *, begins_with_thought: bool = False) -> None:
        self.has_thought = begins_with_thought
        self._thinks = begins_with_thought
        self._held: str | None = ""

    def take(self, text: str) -> str:
        """Return what is said by now and was not returned before."""
        if self._held is None:
            return text
        self._held += text
        while True:
            if self._thinks:
                end = _END.search(self._held)
                if end is None:
                    self._held = self._held[-LONGEST_END:]
                    return ""
                self._held, self._thinks = self._held[end.end() :], False
            begin = _BEGIN.match(self._held, partial=True)
            if begin is None:
                said, self._held = self._held, None
                return said.lstrip() if self.has_thought else said
            if begin.partial:
                return ""
            self._held, self._thinks = self._held[begin.end() :], True
            self.has_thought = True


def said_in(response: LlmResponse) -> str:
    """The text of a response, or of a piece of one, that is marked as no thought."""
    return "".join(part.text for part in _parts(response) if part.text and not part.thought)


def without_thoughts(response: LlmResponse) -> LlmResponse:
    """A whole response with nothing but what is said and what is called."""
    said = said_in(response)
    spoken = _spoken(said)
    parts = [part for part in _parts(response) if not part.thought]
    if spoken != said:
        rest = [part for part in parts if not part.text]
        parts = [types.Part(text=spoken), *rest] if spoken else rest
    content = types.Content(role="model", parts=parts)
    return response.model_copy(update={"content": content})


def unopened_thought(text: str) -> str:
    """What stands before a closing tag that nothing opens. A tag in code closes nothing."""
    end = _END.search(text)
    is_in_code = end is not None and text.count("`", 0, end.start()) % 2
    if end is None or is_in_code or _BEGIN.search(text, endpos=end.start()):
        return ""
    return text[: end.end()]


def used_tokens(response: LlmResponse) -> tuple[int, int]:
    """The tokens of a request and of its whole answer, as the provider counts them."""
    used = response.usage_metadata
    if used is None:
        return 0, 0
    prompt, total = used.prompt_token_count or 0, used.total_token_count or 0
    # The total tells more than the candidates: it has the thoughts in it.
    return prompt, max(total - prompt, used.candidates_token_count or 0)


class TokenCount:
    """Adds up what is told of several calls, or of several tries of one.

    A provider may tell of a call with each piece of its answer, the later ones more: the
    last one counts. What it tells nobody, as of most failures, is not counted.
    """

    def __init__(self) -> None:
        self.before = (0, 0)
        """In and out, of all but the present call."""
        self._present = (0, 0)

    @property
    def total(self) -> tuple[int, int]:
        """In and out, of all calls."""
        return _sum(self.before, self._present)

    def begin(self) -> None:
        """Say that another call begins."""
        self.before, self._present = self.total, (0, 0)

    def hear(self, response: LlmResponse) -> None:
        """Take what an answer, or a piece of one, tells of the present call."""
        if response.usage_metadata is not None:
            self._present = used_tokens(response)

    def hear_error(self, error: Exception) -> None:
        """Take what an error tells of the present call: it knows of all its tries."""
        if isinstance(error, FailedCallError):
            self._present = (error.tokens_in, error.tokens_out)


def with_more(response: LlmResponse, more: tuple[int, int]) -> LlmResponse:
    """The response, which costs so many tokens in and out on top."""
    used = response.usage_metadata
    if used is None or more == (0, 0):
        return response
    tokens_in, tokens_out = _sum(used_tokens(response), more)
    changed = used.model_copy(
        update={
            "prompt_token_count": tokens_in,
            "candidates_token_count": (used.candidates_token_count or 0) + more[1],
            "total_token_count": tokens_in + tokens_out,
        }
    )
    return response.model_copy(update={"usage_metadata": changed})


def _spoken(text: str) -> str:
    if thought := unopened_thought(text):
        return text.removeprefix(thought).lstrip()
    speech = Speech()
    said = speech.take(text)
    return said if said or speech.has_thought else text


def _sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def _key(name: str | None, arguments: Mapping[str, Any] | None) -> str:
    return json.dumps([name, arguments or {}], sort_keys=True)


def _parts(response: LlmResponse) -> list[types.Part]:
    return (response.content.parts if response.content else None) or []

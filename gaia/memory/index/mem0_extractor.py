"""Reads conversations by mem0's own rules: what `memory.extractor: mem0` is.

mem0 only ever adds: it quotes nothing and replaces nothing. The user's sentence that a
fact is taken from is found here, by its words; a fact without one is left out, and one
whose words are few of it is not certain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import tzinfo
from pathlib import Path

from gaia.errors import UnusableExtractionError
from gaia.memory.digest.certainty import CLAUSE_END
from gaia.memory.digest.extractive import abstract
from gaia.memory.digest.findings import (
    Answer,
    AskModel,
    Extracted,
    Extraction,
    Finding,
    Offer,
    Operation,
    Window,
)
from gaia.memory.digest.grounds import is_among
from gaia.memory.digest.passages import sentences
from gaia.memory.digest.windows import shown, window_tokens
from gaia.memory.excerpts import one_line
from gaia.memory.index.factories import Factories
from gaia.memory.text import content_terms
from gaia.store.memory_tables import MemoryKind
from gaia.store.usage import DIGEST, Usage

OUTRIGHT = 0.6
"""The share of a fact's terms in the user's sentence from which on they said it outright."""

SPEAKER = content_terms("the user")
"""What mem0 may call the person, whatever their name."""

LONGEST_SUMMARY = 600

WORTH = """\
Only durable facts about {user}: who they are, the people, places, work, health, food, likes \
and dislikes, plans, and how they want to be answered. Nothing that only {user} was asked or \
told, nothing that holds for a day. In the language of the conversation, each fact on its \
own. The conversation took place on {day}."""

SHAPE: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "memory": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "text": {"type": "string"},
                    "attributed_to": {"type": "string", "enum": ["user", "assistant"]},
                },
                "required": ["id", "text", "attributed_to"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["memory"],
    "additionalProperties": False,
}
"""What mem0 asks for, without the links between memories that nobody reads."""


class Mem0Extractor:
    """Implements `Extractor`. mem0 is loaded with the first window, its home in `folder`.

    `instructions` say what is worth remembering, in the place of gaia's own; days are
    those of `zone`, or of this machine.
    """

    def __init__(
        self, ask: AskModel, instructions: str, folder: Path, zone: tzinfo | None = None
    ) -> None:
        self._ask = ask
        self._instructions = instructions.strip()
        self._folder = folder
        self._zone = zone

    @property
    def window_tokens(self) -> int:
        return window_tokens(self._ask)

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        """What mem0 finds in the window.

        Raises:
            ModelError: The model gave no answer.
            UnusableExtractionError: mem0 cannot read its answer.
        """
        asking = _Asking(self._ask, asyncio.get_running_loop())
        try:
            facts = await asyncio.to_thread(self._read, window, offers, asking)
        except asyncio.CancelledError:
            asking.give_up()
            raise
        except UnusableExtractionError as exc:
            exc.tokens_in, exc.tokens_out = asking.usage().tokens_in, asking.usage().tokens_out
            raise
        findings = [found for fact in facts if (found := _finding(fact, window)) is not None]
        return Extracted(Extraction(_summary(window), findings), asking.usage())

    def _read(self, window: Window, offers: Sequence[Offer], asking: _Asking) -> Sequence[str]:
        llm = Factories(self._folder).auto_llm(asking)
        from gaia.memory.index import pipeline

        day = f"{window.turns[0].said_at.astimezone(self._zone):%A %d %B %Y}"
        worth = self._instructions or WORTH.format(user=window.user_name, day=day)
        known = [offer.text for offer in offers]
        return pipeline.read(self._messages(window), known, worth, llm)

    def _messages(self, window: Window) -> Sequence[Mapping[str, str]]:
        messages: list[Mapping[str, str]] = []
        for turn in window.turns:
            part = shown(turn, self.window_tokens)
            messages.append({"role": "user", "content": part.asked})
            messages.append({"role": "assistant", "content": part.answer})
        return messages


class _Asking:
    """Implements `chat.Ask`: asks the model from the pipeline's thread, for as long as the
    answer is wanted."""

    def __init__(self, ask: AskModel, loop: asyncio.AbstractEventLoop) -> None:
        self._ask = ask
        self._loop = loop
        self._future: Future[Answer] | None = None
        self._is_given_up = False
        self._used = Usage(ask.name, DIGEST, calls=0, tokens_in=0, tokens_out=0)

    def __call__(self, messages: Sequence[Mapping[str, str]], *, wants_json: bool) -> str:
        told = {message["role"]: message["content"] for message in messages}
        asked = self._ask(told["system"], told["user"], SHAPE, purpose=DIGEST)
        self._future = asyncio.run_coroutine_threadsafe(asked, self._loop)
        if self._is_given_up:
            self._future.cancel()
        answer = self._future.result()
        self._used = answer.usage
        return answer.text

    def give_up(self) -> None:
        """Let the call go, so that the thread ends."""
        self._is_given_up = True
        if self._future is not None:
            self._future.cancel()

    def usage(self) -> Usage:
        """What it cost."""
        return self._used


def _finding(fact: str, window: Window) -> Finding | None:
    wanted = content_terms(fact) - content_terms(window.user_name) - SPEAKER
    quotes = [quote for turn in window.turns for quote in _quotes(turn.words)]
    covered = [(_coverage(wanted, content_terms(quote)), -len(quote), quote) for quote in quotes]
    share, _, quote = max(covered, default=(0.0, 0, ""))
    if not share:
        return None
    return Finding(Operation.ADD, MemoryKind.FACT, fact, quote, is_stated=share >= OUTRIGHT)


def _quotes(words: str) -> Iterator[str]:
    """The sentences of a text, and the clauses of each."""
    for found in sentences(words):
        sentence = found.group().strip()
        yield sentence
        yield from (clause.strip() for clause in CLAUSE_END.split(sentence) if clause.strip())


def _coverage(wanted: Collection[str], said: Collection[str]) -> float:
    return sum(is_among(term, said) for term in wanted) / len(wanted) if wanted else 0.0


def _summary(window: Window) -> str:
    here = abstract(window.turns, in_group=window.in_group)
    return one_line(" / ".join(filter(None, (window.so_far, here))), LONGEST_SUMMARY)

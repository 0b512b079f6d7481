"""Reads conversations by mem0's own rules: what `memory.extractor: mem0` is.

mem0 only ever adds: it quotes nothing and replaces nothing. The user's sentence that a
fact is taken from is found here, by its words; a fact without one is left out, and one
whose words are few of it is not certain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from gaia.digest.answers import TEXT, list_of, object_of, one_of
from gaia.digest.extractive import abstract_so_far
from gaia.digest.own_words import OwnWords
from gaia.digest.windows import shown, window_tokens
from gaia.errors import UnusableExtractionError
from gaia.memory.excerpts import one_line
from gaia.memory.extraction import Answer, AskModel, Extracted, Extraction, Finding, Offer, Window
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

SHAPE = object_of(
    memory=list_of(object_of(id=TEXT, text=TEXT, attributed_to=one_of(["user", "assistant"])))
)
"""What mem0 asks for, without the links between memories that nobody reads."""


class Mem0Extractor:
    """Implements `Extractor`. mem0 is loaded with the first window, its home in `folder`.

    `instructions` say what is worth remembering, in the place of gaia's own.
    """

    asks_model = True

    def __init__(self, ask: AskModel, instructions: str, folder: Path) -> None:
        self._ask = ask
        self._instructions = instructions.strip()
        self._folder = folder

    @property
    def window_tokens(self) -> int:
        return window_tokens(self._ask)

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        """What mem0 finds in the window.

        Raises:
            ModelError: The model gave no answer.
            UnusableExtractionError: mem0 cannot read its answer.
        """
        asking = _ThreadAsk(self._ask, asyncio.get_running_loop())
        try:
            facts = await asyncio.to_thread(self._read, window, offers, asking)
        except asyncio.CancelledError:
            asking.give_up()
            raise
        except UnusableExtractionError as exc:
            exc.tokens_in, exc.tokens_out = asking.used.tokens_in, asking.used.tokens_out
            raise
        own = OwnWords(window.turns, in_group=window.in_group, before=window.before)
        found = [_finding(fact, own, window.user_name) for fact in facts]
        findings = [each for each in found if each is not None]
        summary = one_line(abstract_so_far(window), LONGEST_SUMMARY)
        return Extracted(Extraction(summary, findings), asking.used)

    def _read(self, window: Window, offers: Sequence[Offer], asking: _ThreadAsk) -> Sequence[str]:
        llm = Factories(self._folder).auto_llm(asking)
        from gaia.memory.index import pipeline

        day = f"{window.turns[0].said_at.astimezone(window.zone):%A %d %B %Y}"
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


class _ThreadAsk:
    """Implements `chat.Ask`: asks the model from the pipeline's thread, for as long as the
    answer is wanted. `used` is what that cost."""

    def __init__(self, ask: AskModel, loop: asyncio.AbstractEventLoop) -> None:
        self._ask = ask
        self._loop = loop
        self._future: Future[Answer] | None = None
        self._is_given_up = False
        self.used = Usage(ask.name, DIGEST, calls=0, tokens_in=0, tokens_out=0)

    def __call__(self, messages: Sequence[Mapping[str, str]], *, wants_json: bool) -> str:
        told = {message["role"]: message["content"] for message in messages}
        asked = self._ask(told["system"], told["user"], SHAPE, purpose=DIGEST)
        self._future = asyncio.run_coroutine_threadsafe(asked, self._loop)
        if self._is_given_up:
            self._future.cancel()
        answer = self._future.result()
        self.used = answer.usage
        return answer.text

    def give_up(self) -> None:
        """Let the call go, so that the thread ends."""
        self._is_given_up = True
        if self._future is not None:
            self._future.cancel()


def _finding(fact: str, own: OwnWords, name: str) -> Finding | None:
    """The fact with the sentence that it has most of its words from; None where no
    sentence has one of them."""
    wanted = content_terms(fact) - content_terms(name) - SPEAKER
    covered = [
        (len(wanted & content_terms(each.text)), -len(each.text), each.text)
        for each in own
        if not each.asks
    ]
    shared, _, quote = max(covered, default=(0, 0, ""))
    if not shared:
        return None
    return Finding(MemoryKind.FACT, fact, quote, is_stated=shared >= OUTRIGHT * len(wanted))

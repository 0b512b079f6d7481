"""Recall: what of a user's memory goes to the model with a message, unasked.

A search and no model call. What is given is relevant by the search's own gate, is
neither sensitive nor expired nor a credential, and stands nowhere in the prompt yet.
Recall never holds up a turn or makes it fail: what goes wrong is logged once, told by
`health`, and the turn goes on without.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

import regex
from sqlalchemy.orm import Session

from gaia.errors import GaiaError
from gaia.memory import credentials
from gaia.memory.contexts import GLOBAL, visible
from gaia.memory.excerpts import one_line
from gaia.memory.memory import Memory
from gaia.memory.owner import owner
from gaia.memory.search.candidates import NO_MEANING, Meaning, Question
from gaia.memory.search.pleasantries import QUESTION_MARKS, is_pleasantry
from gaia.memory.text import bare_words
from gaia.messages import Health
from gaia.ports import Clock
from gaia.store.engine import attempt
from gaia.store.memory_tables import MemoryKind, MemoryStatus

logger = logging.getLogger(__name__)

RECALL_SECONDS = 1.5
"""A turn waits no longer for its memories. More than the vector index takes to give
up, so that full text still answers when it does."""

RECALL_TOKENS = 300
"""About so many tokens of memories go with a message."""

LONGEST_EXCERPT = 400
"""Characters of one memory that go with a message."""

EPISODES_FOR = timedelta(days=30)
"""How long after it a conversation is brought up unasked."""

SPARE = 3
"""So many times more than are wanted are searched for: some stand in the prompt already."""

LONGEST_QUERY = 2000
"""Characters of a message that are searched with: its beginning, and as many of its end."""

SENTENCE = regex.compile(r"[^.!?\n\u061f\u3002\uff01\uff1f]+[^\w\n]*")


class Relevant(Protocol):
    """Finds the memories that a message is about."""

    async def relevant(
        self, user_id: str, text: str, *, limit: int, context: str = GLOBAL
    ) -> Sequence[Memory]:
        """The user's active memories that pass the relevance gate, the best first, and none of
        another context."""
        ...

    def understand(self, session: Session, user_id: str, text: str) -> Question:
        """What a text asks for: the first step of `relevant`."""
        ...

    async def meaning(self, user_id: str, question: Question) -> Meaning:
        """What is nearest to it in meaning: the second step."""
        ...

    def relevant_to(
        self,
        session: Session,
        user_id: str,
        question: Question,
        meaning: Meaning,
        *,
        limit: int,
        context: str = GLOBAL,
    ) -> Sequence[Memory]:
        """What `relevant` returns: the third step."""
        ...


@dataclass(frozen=True, slots=True)
class Cue:
    """What the words of a message ask of its sender's memory, once that was looked at; no
    question if they ask nothing."""

    words: str
    question: Question | None = None
    meaning: Meaning = NO_MEANING


class Finder(Relevant, Protocol):
    """Finds memories for whoever asks: a person by a command, or the model by a tool."""

    async def find(
        self, user_id: str, text: str, *, limit: int, context: str = GLOBAL
    ) -> Sequence[Memory]:
        """The user's active memories nearest to `text`, the best first, sensitive ones
        among them, and none of another context."""
        ...


class Recall:
    """Finds what to give to the model, for as long as it may."""

    def __init__(
        self, search: Relevant, clock: Clock, *, limit: int, seconds: float = RECALL_SECONDS
    ) -> None:
        self.limit = limit
        self._search = search
        self._clock = clock
        self._seconds = seconds
        self._broken = ""

    def health(self) -> Health:
        """Whether the last recall worked."""
        return Health(ok=not self._broken, detail=self._broken)

    async def offers(self, user_id: str, words: str, context: str = GLOBAL) -> Sequence[Memory]:
        """What may go with a message, the best first: more than will, see `choose`."""
        owner(user_id)
        if is_pleasantry(words):
            return ()
        found: Sequence[Memory] = ()
        with self._tolerant():
            # In real time, like what it bounds.
            async with asyncio.timeout(self._seconds):
                found = await self._search.relevant(
                    user_id, _query(words), limit=SPARE * self.limit, context=context
                )
            self._worked()
        return self._offered(user_id, found, context)

    def cue(self, session: Session, user_id: str, words: str) -> Cue:
        """Look at a message that has come: the first of three steps, which do what `offers`
        does in transactions of the caller's."""
        owner(user_id)
        question = None
        if not is_pleasantry(words):
            with self._tolerant(), attempt(session):
                question = self._search.understand(session, user_id, _query(words))
        return Cue(words, question)

    async def with_meaning(self, user_id: str, cue: Cue) -> Cue:
        """The second step: search by meaning."""
        if cue.question is None:
            return cue
        meaning = None
        with self._tolerant():
            async with asyncio.timeout(self._seconds):
                meaning = await self._search.meaning(user_id, cue.question)
        return replace(cue, question=None) if meaning is None else replace(cue, meaning=meaning)

    def offers_to(
        self, session: Session, user_id: str, cue: Cue, context: str = GLOBAL
    ) -> Sequence[Memory]:
        """The third step: what `offers` returns."""
        found: Sequence[Memory] = ()
        if cue.question is not None:
            with self._tolerant(), attempt(session):
                found = self._search.relevant_to(
                    session,
                    user_id,
                    cue.question,
                    cue.meaning,
                    limit=SPARE * self.limit,
                    context=context,
                )
                self._worked()
        return self._offered(user_id, found, context)

    def choose(
        self, offers: Sequence[Memory], prompt: Iterable[str], recent: Sequence[Memory] = ()
    ) -> Sequence[Memory]:
        """Those of `offers` that the texts of the prompt do not say yet, within the bounds; and
        where they leave room, of the `recent` conversations, if anything goes with the message.
        A text that asks does not say: `Do I like cheese?` holds the words of `I like cheese`.
        """
        held = _words(_statements("\n".join(prompt))) if offers else ""
        chosen: list[Memory] = []
        room = float(RECALL_TOKENS)
        for memory in (*offers, *recent) if offers else ():
            size = tokens(excerpt(memory.told))
            if len(chosen) < self.limit and size <= room and not _stands_in(memory.text, held):
                chosen.append(memory)
                room -= size
        return chosen

    @contextmanager
    def _tolerant(self) -> Iterator[None]:
        """Go on where a search fails, and say once that it did."""
        try:
            yield
        except TimeoutError:
            self._failed(f"a search took longer than {self._seconds:g} s")
        except Exception as exc:
            cause = str(exc) if isinstance(exc, GaiaError) else type(exc).__name__
            self._failed(cause, trace=not isinstance(exc, GaiaError))

    def _offered(self, user_id: str, found: Sequence[Memory], context: str) -> Sequence[Memory]:
        return [memory for memory in found if self._may_be_offered(user_id, memory, context)]

    def _may_be_offered(self, user_id: str, memory: Memory, context: str) -> bool:
        return (
            memory.user_id == user_id
            and memory.context in visible(context)
            and memory.status is MemoryStatus.ACTIVE
            and not memory.sensitive
            and (memory.expires_at is None or memory.expires_at > self._clock.now())
            and not self._is_old_episode(memory)
            and credentials.find(memory.told) is None
        )

    def _is_old_episode(self, memory: Memory) -> bool:
        is_episode = memory.kind is MemoryKind.EPISODE
        return is_episode and self._clock.now() - memory.valid_from > EPISODES_FOR

    def _failed(self, cause: str, *, trace: bool = False) -> None:
        if not self._broken:
            logger.warning("turns go on without recall: %s", cause, exc_info=trace)
        self._broken = cause

    def _worked(self) -> None:
        if self._broken:
            logger.info("recall works again")
        self._broken = ""


def excerpt(text: str) -> str:
    """A memory as it goes with a message: one line, and of a long one the beginning."""
    return one_line(text, LONGEST_EXCERPT)


def tokens(text: str) -> float:
    """About how many tokens a line of `text` is, with its date and number."""
    return 10 + text_tokens(text)


def text_tokens(text: str) -> float:
    """About how many tokens a line of `text` alone is."""
    plain = len(text.encode("ascii", "ignore"))
    return 2 + plain / 4 + (len(text) - plain) / 1.5


def _query(words: str) -> str:
    if len(words) <= 2 * LONGEST_QUERY:
        return words
    return f"{words[:LONGEST_QUERY]}\n{words[-LONGEST_QUERY:]}"


def _statements(text: str) -> str:
    sentences = SENTENCE.findall(text)
    return "\n".join(each for each in sentences if not QUESTION_MARKS.search(each))


def _words(text: str) -> str:
    return f" {bare_words(text)} "


def _stands_in(text: str, held: str) -> bool:
    words = _words(text)
    return bool(words.strip()) and words in held

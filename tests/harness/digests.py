"""A model that is asked, and an extractor, that answer as a test tells them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.memory.extraction import (
    Answer,
    Extracted,
    Extraction,
    Finding,
    Offer,
    Window,
)
from gaia.store.digest_tables import DigestRow, DigestState
from gaia.store.memory_tables import MemoryKind
from gaia.store.usage import Tariff, Usage

QUESTION = TypeVar("QUESTION")
ANSWER = TypeVar("ANSWER")

LIKES = "I like "


@dataclass(frozen=True, slots=True)
class Asked:
    """What a `ScriptedAsk` was asked."""

    instructions: str
    text: str
    shape: Mapping[str, object]
    purpose: str


@dataclass(frozen=True, slots=True)
class Read:
    """What a `ScriptedExtractor` was given."""

    window: Window
    offers: Sequence[Offer]


class Scripted(Generic[QUESTION, ANSWER]):
    """Answers question by question: with what a function returns for it, or with the next
    of the `answers`; an exception among them is raised. One question too many is an error.

    `asked` are the questions so far, `running` how many of them have no answer yet, and
    `cancelled` how many were given up.
    """

    def __init__(
        self, answers: Callable[[QUESTION], ANSWER | Exception] | Sequence[ANSWER | Exception]
    ) -> None:
        self._answers = answers
        self._open = asyncio.Event()
        self._open.set()
        self.asked: list[QUESTION] = []
        self.running = 0
        self.cancelled = 0

    def hold(self) -> None:
        """Let questions wait for their answers from now on."""
        self._open.clear()

    def release(self) -> None:
        """Answer all that wait, and further ones at once."""
        self._open.set()

    async def _reply(self, question: QUESTION) -> ANSWER:
        number = len(self.asked)
        self.asked.append(question)
        self.running += 1
        try:
            await self._open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        answer = self._answer(number, question)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _answer(self, number: int, question: QUESTION) -> ANSWER | Exception:
        if callable(self._answers):
            return self._answers(question)
        assert number < len(self._answers), f"no answer is scripted for question {number + 1}"
        return self._answers[number]


class ScriptedAsk(Scripted[Asked, str]):
    """Implements `AskModel`; each answer costs one call, 10 tokens in and 5 out."""

    def __init__(
        self,
        answers: Callable[[Asked], str | Exception] | Sequence[str | Exception],
        *,
        name: str = "scripted",
        is_small: bool = False,
        most_tokens: float | None = None,
    ) -> None:
        super().__init__(answers)
        self._name = name
        self.is_small = is_small
        self.most_tokens = most_tokens

    @property
    def name(self) -> str:
        return self._name

    @property
    def tariff(self) -> Tariff:
        return Tariff.FREE if self.is_small else Tariff.SETTINGS

    async def __call__(
        self, instructions: str, text: str, shape: Mapping[str, object], *, purpose: str
    ) -> Answer:
        answer = await self._reply(Asked(instructions, text, shape, purpose))
        return Answer(answer, _usage(self._name, purpose))


class ScriptedExtractor(Scripted[Read, Extraction]):
    """Implements `Extractor`; each extraction costs one call, 10 tokens in and 5 out."""

    asks_model = True

    def __init__(
        self,
        answers: Callable[[Read], Extraction | Exception] | Sequence[Extraction | Exception],
        *,
        window_tokens: int = 10_000,
    ) -> None:
        super().__init__(answers)
        self.window_tokens = window_tokens

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        extraction = await self._reply(Read(window, offers))
        return Extracted(extraction, _usage("scripted", "digest"))


def likes(read: Read) -> Extraction:
    """Of each turn that says what its user likes, that they do."""
    said = [turn.words for turn in read.window.turns if turn.words.startswith(LIKES)]
    found = [
        Finding(MemoryKind.FACT, f"Likes {words.removeprefix(LIKES)}", words) for words in said
    ]
    return Extraction(f"{read.window.so_far} {', '.join(said)}".strip() or "Nothing.", found)


def _usage(model: str, purpose: str) -> Usage:
    return Usage(model, purpose, calls=1, tokens_in=10, tokens_out=5)


def uncleared(session: Session) -> Sequence[int]:
    """The numbers of the digests whose session is still there."""
    rows = session.scalars(
        select(DigestRow.digest_id).where(DigestRow.state != DigestState.CLEARED)
    )
    return rows.all()

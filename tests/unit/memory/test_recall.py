"""Recall: what goes with a message, and that it never stands in a turn's way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from gaia.errors import IndexUnavailableError, MissingOwnerError
from gaia.memory.memory import Memory
from gaia.memory.search.candidates import NO_MEANING, Meaning, Question
from gaia.memory.search.recall import RECALL_TOKENS, Recall, excerpt, text_tokens, tokens
from gaia.store.full_text import Corpus
from gaia.store.memory_tables import MemoryKind, MemoryStatus
from gaia.testing.clock import START, FakeClock, until
from tests.harness.memories import a_memory

POT = a_memory(1, "the gate code is under the blue pot")


class Found:
    """Finds `memories`, whatever is asked; `failure` is raised instead."""

    def __init__(self, *memories: Memory) -> None:
        self.memories = memories
        self.failure: Exception | None = None
        self.hangs = False
        self.asked: list[str] = []

    async def relevant(
        self, user_id: str, text: str, *, limit: int, context: str = "global"
    ) -> Sequence[Memory]:
        self.asked.append(text)
        await self.meaning(user_id, self.question(text))
        return self.memories[:limit]

    def understand(self, session: Session, user_id: str, text: str) -> Question:
        self.asked.append(text)
        return self.question(text)

    async def meaning(self, user_id: str, question: Question) -> Meaning:
        if self.hangs:
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure
        return NO_MEANING

    def relevant_to(
        self,
        session: Session,
        user_id: str,
        question: Question,
        meaning: Meaning,
        *,
        limit: int,
        context: str = "global",
    ) -> Sequence[Memory]:
        return self.memories[:limit]

    def question(self, text: str) -> Question:
        return Question(text, frozenset(), frozenset(), Corpus(0, 0.0, {}))


class InSteps(Recall):
    """Finds what to offer in three steps, as a turn does."""

    async def offers(self, user_id: str, words: str) -> Sequence[Memory]:
        session = Session()
        cue = await self.with_meaning(user_id, self.cue(session, user_id, words))
        return self.offers_to(session, user_id, cue)


Make = Callable[..., Recall]


def at_once(found: Found, *, limit: int = 5, seconds: float = 60) -> Recall:
    return Recall(found, FakeClock(), limit=limit, seconds=seconds)


def in_steps(found: Found, *, limit: int = 5, seconds: float = 60) -> Recall:
    return InSteps(found, FakeClock(), limit=limit, seconds=seconds)


@pytest.fixture(params=[at_once, in_steps])
def recall_of(request: pytest.FixtureRequest) -> Make:
    make: Make = request.param
    return make


async def test_what_is_found_is_offered_in_its_order(recall_of: Make) -> None:
    tea = a_memory(2, "I drink tea")
    offers = await recall_of(Found(tea, POT)).offers("u_1", "Where is the gate code?")
    assert offers == [tea, POT]


@pytest.mark.parametrize(
    "memory",
    [
        a_memory(1, "secret", sensitive=True),
        a_memory(1, "over", expires_at=START),
        a_memory(1, "old", status=MemoryStatus.SUPERSEDED),
        a_memory(1, "perhaps", status=MemoryStatus.PENDING),
        a_memory(1, "my password is hunter2"),
        a_memory(1, "somebody else's", user_id="u_2"),
        a_memory(1, "a talk", kind=MemoryKind.EPISODE, said_at=START - timedelta(days=31)),
    ],
)
async def test_what_must_not_be_offered_is_not_even_when_it_is_found(
    recall_of: Make, memory: Memory
) -> None:
    assert await recall_of(Found(memory, POT)).offers("u_1", "tell me") == [POT]


async def test_what_expires_later_is_offered(recall_of: Make) -> None:
    memory = a_memory(1, "soon over", expires_at=START + timedelta(seconds=1))
    assert await recall_of(Found(memory)).offers("u_1", "tell me") == [memory]


@pytest.mark.parametrize(("text", "searches"), [("thanks!", 0), ("", 0), ("thanks?", 1)])
async def test_a_pleasantry_is_not_searched_for(recall_of: Make, text: str, searches: int) -> None:
    found = Found(POT)
    await recall_of(found).offers("u_1", text)
    assert len(found.asked) == searches


async def test_of_a_very_long_message_the_beginning_and_the_end_are_searched_for(
    recall_of: Make,
) -> None:
    found = Found()
    await recall_of(found).offers("u_1", "begin " + "x" * 100_000 + " end")
    (asked,) = found.asked
    assert len(asked) < 5000
    assert (asked[:6], asked[-4:]) == ("begin ", " end")


@pytest.mark.parametrize("user_id", ["", " "])
async def test_without_an_owner_nothing_is_searched(recall_of: Make, user_id: str) -> None:
    found = Found(POT)
    with pytest.raises(MissingOwnerError):
        await recall_of(found).offers(user_id, "hi")
    assert found.asked == []


async def test_a_failure_is_logged_once_and_told_until_it_works_again(
    caplog: pytest.LogCaptureFixture,
    recall_of: Make,
) -> None:
    caplog.set_level(logging.INFO, "gaia.memory.search.recall")
    found = Found(POT)
    recall = recall_of(found)
    assert recall.health().ok
    found.failure = IndexUnavailableError("the disk is gone")
    for _ in range(3):
        assert await recall.offers("u_1", "where is it") == []
    assert (recall.health().ok, recall.health().detail) == (False, "the disk is gone")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    found.failure = None
    assert await recall.offers("u_1", "where is it") == [POT]
    assert recall.health().ok
    assert len(caplog.records) == 2


async def test_an_unforeseen_failure_leaves_its_traceback_and_no_words_in_the_status(
    caplog: pytest.LogCaptureFixture,
    recall_of: Make,
) -> None:
    found = Found()
    found.failure = ValueError("blue pot")
    recall = recall_of(found)
    assert await recall.offers("u_1", "where is it") == []
    assert recall.health().detail == "ValueError"
    assert caplog.records[0].exc_info


async def test_a_search_that_hangs_is_given_up(recall_of: Make) -> None:
    found = Found(POT)
    found.hangs = True
    recall = recall_of(found, seconds=0)
    assert await recall.offers("u_1", "where is it") == []
    assert "took longer" in recall.health().detail


async def test_whoever_ends_the_turn_ends_its_recall(recall_of: Make) -> None:
    found = Found(POT)
    found.hangs = True
    recall = recall_of(found)
    task = asyncio.create_task(recall.offers("u_1", "where is it"))
    await until(lambda: bool(found.asked))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recall.health().ok


@pytest.mark.parametrize(
    "said",
    [
        ["The gate code: is under the BLUE pot!"],
        ["the gate code is under the blue pot"],
    ],
)
def test_what_the_prompt_holds_is_not_given_again(recall_of: Make, said: list[str]) -> None:
    assert recall_of(Found()).choose([POT], said) == []


@pytest.mark.parametrize("said", [[], ["the gate code is under the blue potato"], ["blue pot"]])
def test_what_the_prompt_does_not_hold_is_given(recall_of: Make, said: list[str]) -> None:
    assert recall_of(Found()).choose([POT], said) == [POT]


@pytest.mark.parametrize(
    "asked",
    [
        "Is it true that the gate code is under the blue pot?",
        "Well. So the gate code is under the blue pot?! I wonder.",
        "the gate code is under the blue pot\uff1f",
    ],
)
def test_a_question_says_nothing_that_need_not_be_given(recall_of: Make, asked: str) -> None:
    assert recall_of(Found()).choose([POT], [asked]) == [POT]
    assert recall_of(Found()).choose([POT], [f"{asked} Yes: {POT.text}."]) == []


def test_others_take_the_place_of_what_the_prompt_holds(recall_of: Make) -> None:
    offers = [a_memory(number, f"fact {number}") for number in range(1, 10)]
    chosen = recall_of(Found(), limit=3).choose(offers, ["fact 1, fact 3"])
    assert [memory.memory_id for memory in chosen] == [2, 4, 5]


def test_no_more_goes_with_a_message_than_a_few_hundred_tokens(recall_of: Make) -> None:
    offers = [a_memory(number, f"{number} " + "word " * 300) for number in range(1, 9)]
    short = a_memory(10, "a short one")
    chosen = recall_of(Found(), limit=50).choose([*offers, short], [])
    assert sum(tokens(excerpt(memory.text)) for memory in chosen) <= RECALL_TOKENS
    assert [memory.memory_id for memory in chosen] == [1, 2, 10]


@pytest.mark.parametrize(
    ("text", "size"), [("", 2), ("four", 3), ("ünï", 2.25 + 2 / 1.5), ("日本語\ud83d", 2 + 4 / 1.5)]
)
def test_a_text_takes_more_tokens_in_scripts_other_than_ascii(text, size):
    assert text_tokens(text) == pytest.approx(size)

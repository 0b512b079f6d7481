"""The reranker: a process of its own, whatever becomes of it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable

import pytest

from gaia.errors import SettingsError
from gaia.memory.search import rerank
from gaia.memory.search.rerank import FIRST_REST_SECONDS, Reranker, require_extra
from gaia.memory.search.search import RankingOptions, Search
from gaia.settings.schema import MemorySettings
from gaia.store.people.identities import User
from gaia.swappable import Swappable
from gaia.testing.clock import FakeClock
from gaia.testing.fake_index import FakeNearest
from tests.harness.book import Book

LENGTHS = """
import json, sys
print("{}", flush=True)
for line in sys.stdin:
    question, *texts = json.loads(line)
    print(json.dumps([len(text) for text in texts]), flush=True)
"""
CRASHES = "import sys; print('{}', flush=True); sys.stdin.readline(); sys.exit(1)"
TALKS = "import sys\nprint('{}', flush=True)\nfor line in sys.stdin: print('no JSON', flush=True)"
TOO_FEW = "import sys\nprint('{}', flush=True)\nfor line in sys.stdin: print('[1.0]', flush=True)"
NEVER_STARTS = "raise SystemExit(1)"
TEXTS = ("a", "bbb", "cc")

Start = Callable[..., Reranker]


@pytest.fixture
async def start(clock: FakeClock) -> AsyncIterator[Start]:
    """Makes rerankers of scripts, and stops them."""
    started: list[Reranker] = []

    def of(script: str) -> Reranker:
        started.append(Reranker(clock, (sys.executable, "-c", script)))
        return started[-1]

    yield of
    for each in started:
        await each.stop()


async def test_texts_are_scored_in_their_order(start: Start) -> None:
    reranker = start(LENGTHS)
    assert await reranker.scores("q", TEXTS) is None, "nobody waits for it to be loaded"
    assert await reranker.load()
    for _ in range(3):
        assert await reranker.scores("q", TEXTS) == [1, 3, 2]
    assert await reranker.scores("q", ["x" * 5000]) == [rerank.LONGEST_TEXT]
    assert await reranker.scores("q", []) is None


@pytest.mark.parametrize("script", [CRASHES, TALKS, TOO_FEW])
async def test_what_goes_wrong_costs_its_word_alone(
    start: Start, clock: FakeClock, script: str
) -> None:
    reranker = start(script)
    assert await reranker.load()
    assert await reranker.scores("q", TEXTS) is None
    assert await reranker.scores("q", TEXTS) is None
    assert reranker._starting is None, "it is given a rest"
    clock.advance(FIRST_REST_SECONDS)
    assert await reranker.load()


async def test_one_that_never_starts_is_left_alone(start: Start, clock: FakeClock) -> None:
    reranker = start(NEVER_STARTS)
    assert not await reranker.load()
    assert await reranker.scores("q", TEXTS) is None
    assert reranker._starting is None, "it is given a rest"
    clock.advance(FIRST_REST_SECONDS)
    assert await reranker.scores("q", TEXTS) is None
    assert reranker._starting is not None, "it is tried again"


async def test_one_that_was_killed_is_started_again(start: Start, clock: FakeClock) -> None:
    reranker = start(LENGTHS)
    assert await reranker.load()
    assert reranker._process is not None
    os.kill(reranker._process.pid, signal.SIGKILL)
    await reranker._process.wait()
    assert await reranker.scores("q", TEXTS) is None
    clock.advance(FIRST_REST_SECONDS)
    assert await reranker.load()
    assert await reranker.scores("q", TEXTS) == [1, 3, 2]


async def test_who_stops_waiting_does_not_mix_up_answers(start: Start) -> None:
    reranker = start(LENGTHS)
    assert await reranker.load()
    asking = asyncio.create_task(reranker.scores("q", ["long" * 9]))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])
    assert reranker._answering is not None
    await asyncio.wait([reranker._answering])
    await asyncio.sleep(0)
    assert await reranker.scores("q", TEXTS) == [1, 3, 2]


async def test_the_best_by_its_word_comes_first(start: Start, book: Book, ada: User) -> None:
    reranker = start(LENGTHS)
    options = Swappable(RankingOptions(rerank=True))
    search = Search(
        book.database, FakeNearest(), FakeClock(), ranking_options=options, reranker=reranker
    )
    for text in ("a tea", "my tea of the morning is green", "tea"):
        await book.keep(ada, text)

    async def order() -> list[str]:
        return [each.text for each in await search.find(ada.user_id, "tea", limit=5)]

    plain = await order()
    assert await reranker.load()
    found = await search.hits(ada.user_id, "tea", limit=5)
    parts = {hit.memory.text: hit.parts.reranked for hit in found.hits}
    assert parts["my tea of the morning is green"] == pytest.approx(0.1)
    assert parts["tea"] == 0
    options.replace(RankingOptions())
    assert await order() == plain


async def test_the_real_one_reads_questions_beside_memories(clock: FakeClock) -> None:
    reranker = Reranker(clock, seconds=60.0)
    try:
        assert await reranker.load()
        texts = ["I play the violin", "My dog is called Rex", "The gate code is under the pot"]
        scores = await reranker.scores("What is the name of my dog?", texts)
        assert scores is not None
        assert max(range(3), key=scores.__getitem__) == 1
    finally:
        await reranker.stop()


def test_without_its_package_it_cannot_be_switched_on() -> None:
    require_extra(MemorySettings(rerank=False), "no_such_package")
    require_extra(MemorySettings(rerank=True))
    with pytest.raises(SettingsError, match=r"gaia-assistant\[rerank\]"):
        require_extra(MemorySettings(rerank=True), "no_such_package")

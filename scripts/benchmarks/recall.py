"""recall FILE...: how often a search finds the memories that answer a question, and how fast.

Takes conversations in the format of LoCoMo. Each turn becomes one memory, its speaker
the subject and its session's date the day when it was said; no memory holds anything of
another. Each question of categories 1 to 4 that has evidence is asked as it stands, of
the memories of its conversation alone, and no model is called. recall@k of a question is
the share of its evidence, turns that the conversation has, among the first k hits; a
figure is the average over questions. With `--baselines`, which take some minutes, the usual
ways to find a memory see the same turns in the same run.

`--weigh` shows how the weights of the ranking are chosen, by leaving out one conversation
at a time. `--time` asks 10,000 memories of one person instead, first alone and then with 100,000
of others in the same store; their vectors are those of real turns, slightly moved.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import recall_baselines as baselines
from figures import Figure
from recall_timing import measure_times
from recall_weights import Asked, choose
from sqlalchemy.orm import Session

from gaia.clock import SystemClock
from gaia.memory import ledger
from gaia.memory.confidence import DECAY
from gaia.memory.index.index import Index
from gaia.memory.index.opener import parts_opener
from gaia.memory.memory import Statement
from gaia.memory.search.candidates import Filter, gather
from gaia.memory.search.rerank import Reranker
from gaia.memory.search.search import RankingOptions, Search
from gaia.paths import Home
from gaia.settings.schema import MemorySettings, Secrets
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.swappable import Swappable

DEPTHS = (5, 10, 20)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
TURN_ID = re.compile(r"D:?(\d+):(\d+)")
START = datetime(2026, 1, 1, tzinfo=UTC)
DATE = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True)
class Turn:
    session: str
    position: int
    speaker: str
    text: str
    said_at: datetime

    @property
    def line(self) -> str:
        """The turn as one text, for what knows no fields."""
        return f"[{self.said_at:%d %B %Y}] {self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    category: int
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one way to search made of one question."""

    category: int
    recall: Mapping[int, float]
    seconds: float


def read(path: Path) -> Sequence[Conversation]:
    return [conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


def conversation(sample: Mapping[str, object]) -> Conversation:
    talk = sample["conversation"]
    turns: list[Turn] = []
    numbers: dict[str, int] = {}
    for key in sorted((key for key in talk if re.fullmatch(r"session_\d+", key)), key=natural):
        said_at = datetime.strptime(talk[f"{key}_date_time"].upper(), DATE).replace(tzinfo=UTC)
        for position, turn in enumerate(talk[key]):
            numbers[turn["dia_id"]] = len(turns)
            turns.append(Turn(key, position, turn["speaker"], turn["text"], said_at))
    questions = []
    for asked in sample["qa"]:
        found = TURN_ID.findall(" ".join(map(str, asked.get("evidence") or ())))
        ids = {f"D{int(session)}:{int(turn)}" for session, turn in found}
        evidence = frozenset(numbers[each] for each in ids if each in numbers)
        if asked["category"] in CATEGORIES and evidence:
            questions.append(Question(str(asked["question"]), asked["category"], evidence))
    return Conversation(str(sample["sample_id"]), turns, questions)


def natural(key: str) -> int:
    return int(key.rpartition("_")[2])


def answer(question: Question, ranked: Sequence[int], seconds: float) -> Answer:
    share = {
        depth: len(question.evidence & set(ranked[:depth])) / len(question.evidence)
        for depth in DEPTHS
    }
    return Answer(question.category, share, seconds)


@asynccontextmanager
async def memories(home: Home) -> AsyncIterator[tuple[Database, Index]]:
    """A ledger, and an index that follows it, as the daemon has them."""
    home.create()
    database = await open_database(home)
    index = Index(
        parts_opener(home, MemorySettings(), Secrets()), database=database, clock=SystemClock()
    )
    task = asyncio.create_task(index.serve())
    try:
        yield database, index
    finally:
        task.cancel()
        await asyncio.wait([task])
        await database.close()


async def gaia(conversations: Sequence[Conversation], home: Home) -> Mapping[str, list[Answer]]:
    """gaia's own search, by both ways of fusion."""
    answers: dict[str, list[Answer]] = {"gaia": [], "gaia, rank": []}
    async with memories(home) as (database, index):
        for talk in conversations:
            user_id, turn_of = await remember(database, index, talk)
            for name, fusion in (("gaia", "sum"), ("gaia, rank", "rank")):
                search = Search(
                    database,
                    index,
                    SystemClock(),
                    ranking_options=Swappable(RankingOptions(fusion)),
                )
                for question in talk.questions:
                    started = time.perf_counter()
                    found = await search.hits(user_id, question.text, limit=max(DEPTHS))
                    seconds = time.perf_counter() - started
                    if found.fault:
                        raise SystemExit(f"the index does not work: {found.fault}")
                    ranked = [turn_of[hit.memory.memory_id] for hit in found.hits]
                    answers[name].append(answer(question, ranked, seconds))
    return answers


async def reranked(conversations: Sequence[Conversation], home: Home) -> Mapping[str, list[Answer]]:
    """gaia's own search with its reranker, which is waited for."""
    answers: list[Answer] = []
    reranker = Reranker(SystemClock(), seconds=60.0)
    try:
        async with memories(home) as (database, index):
            options = Swappable(RankingOptions(rerank=True))
            search = Search(
                database, index, SystemClock(), ranking_options=options, reranker=reranker
            )
            for talk in conversations:
                user_id, turn_of = await remember(database, index, talk)
                if not await reranker.load():
                    raise SystemExit("the reranker does not work")
                for question in talk.questions:
                    started = time.perf_counter()
                    found = await search.hits(user_id, question.text, limit=max(DEPTHS))
                    seconds = time.perf_counter() - started
                    ranked = [turn_of[hit.memory.memory_id] for hit in found.hits]
                    answers.append(answer(question, ranked, seconds))
    finally:
        await reranker.stop()
    return {"gaia, reranked": answers}


async def weigh(conversations: Sequence[Conversation], home: Home) -> None:
    asked: list[Asked] = []
    async with memories(home) as (database, index):
        for talk in conversations:
            user_id, turn_of = await remember(database, index, talk)
            search = Search(database, index, SystemClock())
            for question in talk.questions:
                sought = await database.read(search.understand, user_id, question.text)
                meaning = await search.meaning(user_id, sought)
                now = SystemClock().now()
                found = await database.read(gather, user_id, sought, meaning, Filter(), DECAY, now)
                evidence = {key for key, turn in turn_of.items() if turn in question.evidence}
                asked.append(Asked(talk.name, found.all, evidence))
    choose(asked)


async def remember(
    database: Database, index: Index, talk: Conversation
) -> tuple[str, Mapping[int, int]]:
    """Keep the turns of a conversation; a context of its own keeps two turns of the same
    words apart. Returns whose memories they are, and which turn each is."""
    user_id, turn_of = await database.write(keep, talk, SystemClock().now())
    note(f"{talk.name}: indexing {len(talk.turns)} turns")
    await index.flush()
    return user_id, turn_of


def keep(session: Session, talk: Conversation, now: datetime) -> tuple[str, Mapping[int, int]]:
    """Write the turns as memories of a user of their own, in one transaction."""
    turn_of: dict[int, int] = {}
    user = identities.create(session, talk.name, identities.Role.MEMBER, now=now)
    for number, turn in enumerate(talk.turns):
        said = Statement(
            turn.text,
            MemorySource.IMPORT,
            subject=turn.speaker,
            said_at=turn.said_at,
            session_id=f"{talk.name}:{turn.session}",
            position=turn.position,
            context=f"turn {number}",
        )
        added = ledger.add(session, user.user_id, said, now)
        turn_of[added.memory.memory_id] = number
    return user.user_id, turn_of


def compare(conversations: Sequence[Conversation], folder: Path) -> Mapping[str, list[Answer]]:
    vectors = baselines.Vectors(folder / "mem0")
    answers: dict[str, list[Answer]] = {}
    for each in conversations:
        note(f"{each.name}: baselines")
        lines = [turn.line for turn in each.turns]
        words, meaning = baselines.fts5(lines), baselines.vectors_alone(lines, vectors)
        rankers = {
            "BM25": baselines.bm25(lines),
            "FTS5, porter": words,
            "vectors alone": meaning,
            "FTS5 + vectors, rank": baselines.fused([words, meaning]),
            "mem0's search": baselines.mem0_search(lines, vectors, folder / each.name),
        }
        for name, rank in rankers.items():
            for question in each.questions:
                started = time.perf_counter()
                ranked = rank(question.text)
                seconds = time.perf_counter() - started
                answers.setdefault(name, []).append(answer(question, ranked, seconds))
    return answers


def show(answers: Mapping[str, list[Answer]]) -> None:
    heads = [f"{name}@10" for name in CATEGORIES.values()]
    print(f"{'':22}", *(f"{f'recall@{depth}':>10}" for depth in DEPTHS), sep="", end="")
    print(*(f"{head:>15}" for head in heads), f"{'median ms':>12}", sep="")
    for name, all_of in answers.items():
        overall = [percent(all_of, depth) for depth in DEPTHS]
        by_category = [
            percent([each for each in all_of if each.category == category], 10)
            for category in CATEGORIES
        ]
        milliseconds = 1000 * statistics.median(each.seconds for each in all_of)
        print(f"{name:22}", *(f"{value:10.1f}" for value in overall), sep="", end="")
        print(*(f"{value:15.1f}" for value in by_category), f"{milliseconds:12.1f}", sep="")


def percent(answers: Sequence[Answer], depth: int) -> float:
    return 100 * statistics.fmean(each.recall[depth] for each in answers) if answers else 0.0


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


async def measure(quick: bool) -> Sequence[Figure]:
    """A conversation of a few turns is found again: that the part works is all it tells."""
    with tempfile.TemporaryDirectory() as folder:
        answers = await gaia([_small_talk()], Home(Path(folder)))
    found = percent(answers["gaia"], max(DEPTHS))
    return [Figure(f"recall@{max(DEPTHS)} of a small talk", found, "of 100", 100.0, "all")]


def _small_talk() -> Conversation:
    said = ("I bought a red bicycle", "My sister Sarah lives in Ulm", "The boat is called Message")
    turns = [Turn("session_1", n, "Ada", text, START) for n, text in enumerate(said)]
    asked = Question("Where does Sarah live?", 4, frozenset({1}))
    return Conversation("small", turns, [asked])


async def run(paths: Sequence[Path], task: str) -> None:
    conversations: list[Conversation] = []
    for path in paths:
        if path.is_file():
            conversations += read(path)
        else:
            note(f"skipped: there is no file {str(path)!r}")
    if not conversations:
        note("nothing to measure: name files in the format of LoCoMo")
        return
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        if task == "time":
            lines = [turn.text for talk in conversations for turn in talk.turns]
            asked = [question.text for talk in conversations for question in talk.questions]
            await measure_times(home, lines, asked)
        elif task == "weigh":
            await weigh(conversations, home)
        else:
            answers = await gaia(conversations, home)
            if task == "rerank":
                answers = {**answers, **await reranked(conversations, Home(Path(folder) / "other"))}
            print(f"{len(conversations)} conversations, {len(answers['gaia'])} questions")
            others = compare(conversations, Path(folder)) if task == "baselines" else {}
            show({**others, **answers})


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench recall",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, help="conversations in LoCoMo's format")
    for name, does in (
        ("baselines", "measure the usual ways to find a memory, too"),
        ("rerank", "measure the search with the reranker, too; it needs the extra"),
        ("time", "measure the time with many memories instead"),
        ("weigh", "show how the weights are chosen instead"),
    ):
        parser.add_argument(f"--{name}", dest="task", action="store_const", const=name, help=does)
    options = parser.parse_args(arguments)
    asyncio.run(run(options.files, options.task or "gaia"))
    return 0

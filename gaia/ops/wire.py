"""What goes over the control socket beside queries and the status: searches of memory, its index
again, digests at once, changed settings, and links to the memory page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import JsonValue

from gaia.ops.report import Report

if TYPE_CHECKING:
    from gaia.memory.search.search import Found, Hit
    from gaia.settings.changes import Change

SEARCH_PATH = "/local/memory/search"
REINDEX_PATH = "/local/memory/reindex"
DIGEST_PATH = "/local/sessions/digest"
RELOAD_PATH = "/local/settings/reload"
DIFF_PATH = "/local/settings/diff"
PAGE_PATH = "/local/page"


class SearchQuestion(Report):
    """What to look for, and in whose memory."""

    user_id: str
    words: str
    limit: int


class ScoreReport(Report):
    """What the score of a hit is the sum of; `question` is taken off."""

    words: float
    meaning: float
    neighbours: float
    name: float
    date: float
    question: float
    rerank: float = 0.0
    use: float = 0.0


class HitReport(Report):
    """A memory that was found, and why. `bm25` and `similarity` are None where that
    search did not find it; `coverage` and `nearness` are what `relevant` is made of."""

    memory_id: int
    text: str
    kind: str
    context: str
    subject: str | None
    sensitive: bool
    said_at: datetime
    score: float
    parts: ScoreReport
    bm25: float | None
    similarity: float | None
    coverage: float
    nearness: float
    relevant: bool
    told_of: str = ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """In words why it was found: its score, what it comes from, and whether it would be
        given to the model."""
        parts = self.parts
        added = [
            ("words", parts.words),
            ("meaning", parts.meaning),
            ("neighbours", parts.neighbours),
            ("named", parts.name),
            ("dated", parts.date),
            ("reranked", parts.rerank),
            ("question", -parts.question),
            ("use", parts.use),
        ]
        score = " ".join(f"{name} {value:+.2f}" for name, value in added if value) or "nothing"
        words = "none matches" if self.bm25 is None else f"BM25 {self.bm25:.2f}"
        near = "not near" if self.similarity is None else f"similarity {self.similarity:.3f}"
        unasked = "is" if self.relevant and not self.sensitive else "is not"
        linked = (
            (f"people: tells of {self.told_of}, who is meant, or leads there",)
            if self.told_of
            else ()
        )
        return (
            f"score {self.score:.2f} = {score}",
            f"words: {words}, {self.coverage:.0%} of what was asked; meaning: {near}",
            f"relevance {self.coverage + self.nearness:.2f}: {unasked} given to the model unasked",
            *linked,
        )


class SearchReport(Report):
    """Hits, the best first. `fault` is why meaning was not searched, empty if it was."""

    hits: tuple[HitReport, ...]
    fault: str = ""


class ReindexStep(Report):
    """How far the index is. The last one is `finished`, or has the `error` that it ended with."""

    done: int = 0
    total: int = 0
    finished: bool = False
    error: str = ""


def search_report(found: Found) -> SearchReport:
    """The report on what a search found."""
    return SearchReport(hits=tuple(map(_hit, found.hits)), fault=found.fault)


def _hit(hit: Hit) -> HitReport:
    memory, parts = hit.memory, hit.parts
    return HitReport.of(
        hit,
        memory_id=memory.memory_id,
        text=memory.text,
        kind=memory.kind,
        context=memory.context,
        subject=memory.subject,
        sensitive=memory.sensitive,
        said_at=memory.valid_from,
        score=parts.total,
        parts=ScoreReport(
            words=parts.text,
            meaning=parts.vector,
            neighbours=parts.neighbours,
            name=parts.named,
            date=parts.dated,
            question=parts.question,
            rerank=parts.reranked,
            use=parts.confidence,
        ),
        bm25=hit.text_score,
        relevant=hit.is_relevant,
    )


class DigestRequest(Report):
    """What is to be digested: the present sessions, of one user if named, or with `retry`
    what failed."""

    user_id: str | None
    retry: bool


class DigestOutcome(Report):
    """How a digest stands in the end. `error` is the last failure, empty if there was none;
    `waits` says that its user has no calls left today."""

    user_id: str
    session_id: str
    state: str
    learned: int
    changed: int
    error: str
    waits: bool


class DigestStep(Report):
    """How far it is; the last step has `outcomes`, or `error` is why it cannot be done."""

    done: int = 0
    total: int = 0
    outcomes: tuple[DigestOutcome, ...] | None = None
    error: str = ""


class ChangeReport(Report):
    """A setting that is another one, or would be. A secret is named by its variable, has
    no `effect`, and its values are words about it."""

    key: str
    before: JsonValue
    after: JsonValue
    effect: str


class ReloadReport(Report):
    """What was changed, or would be; or, in `problem`, why nothing is."""

    changes: tuple[ChangeReport, ...] = ()
    problem: str = ""


def reported(changes: Sequence[Change]) -> tuple[ChangeReport, ...]:
    """Changes as they are told on the control socket."""
    return tuple(map(ChangeReport.of, changes))


class PageRequest(Report):
    """Who is to be signed in to the memory page."""

    user_id: str


class PageLink(Report):
    """A link to the memory page that works once, for so many seconds."""

    url: str
    seconds: float

"""Queries about what gaia remembers of a user, and about the people and things in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from gaia.ops.queries.people import Whose, find_owner, no_users
from gaia.ops.queries.query import Moment, Query, Source
from gaia.ops.report import Report

if TYPE_CHECKING:
    from gaia.memory.memory import Memory

MOST_RUNS = 50
"""Runs of upkeep that are listed."""


class MemoryReport(Report):
    """A memory, as of `gaia.store.memory_tables.MemoryRow`."""

    memory_id: int
    kind: str
    text: str
    quote: str | None
    label: str | None
    verdict: str | None
    subject: str | None
    predicate: str | None
    object: str | None
    context: str
    sensitive: bool
    pinned: bool
    source: str
    status: str
    support: int
    said_at: Moment
    superseded_at: Moment | None
    superseded_by: int | None
    expires_at: Moment | None
    due_at: Moment | None
    recurrence: str | None
    zone: str | None
    digest_id: int | None
    created_at: Moment
    updated_at: Moment


class WhichMemories(Whose):
    """A page of somebody's memories: active or pending ones."""

    page: int
    size: int
    pending: bool


class MemoryPage(Report):
    """Some of somebody's memories, the newest first, and how many are pending in all."""

    user: str
    page: int
    pages: int
    total: int
    pending: int
    memories: tuple[MemoryReport, ...]


class WhichMemory(Whose):
    """One memory of somebody."""

    memory_id: int


class OriginReport(Report):
    """A memory, what it is about, where it was said, and what it replaced."""

    memory: MemoryReport
    about: tuple[str, ...]
    session_id: str | None
    turn_id: str | None
    earlier: tuple[MemoryReport, ...]


class FiguresReport(Report):
    """The figures of `gaia.memory.browse.Statistics`."""

    user: str
    memories: int
    statuses: dict[str, int]
    kinds: dict[str, int]
    sources: dict[str, int]
    hidden: int
    characters: int
    oldest: Moment | None
    newest: Moment | None
    entities: int
    waiting: int
    waiting_since: Moment | None


class UpkeepStep(Report):
    """What upkeep did with one memory: `archived`, `ended` since another has its place, or
    `wrote` for its user to confirm. `heir` is the number of the other one."""

    deed: str
    memory_id: int
    heir: int | None


class UpkeepRunReport(Report):
    """What a run of a job of upkeep did, and when its user took it back."""

    job: str
    at: Moment
    undone_at: Moment | None
    steps: tuple[UpkeepStep, ...]


class UpkeepReport(Report):
    """The last runs that did something with somebody's memories, the newest first."""

    user: str
    runs: tuple[UpkeepRunReport, ...]


class WhichFile(Whose):
    """A file of all memories, in a format of `gaia.memory.transfer.importer`."""

    file_format: Annotated[str, Field(pattern=r"^(jsonl|markdown)$")]


class MemoryFile(Report):
    """The lines of a file of memories, whose they are, and how many memories it holds."""

    user: str
    user_id: str = ""
    memories: int
    lines: tuple[str, ...]


class WhichPeople(Whose):
    """All people and things of somebody, or those that are meant by some words."""

    words: str


class TieReport(Report):
    """What a memory tells of somebody, as of `gaia.memory.people.people.Tie`."""

    memory_id: int
    subject: str
    predicate: str
    object: str
    since: Moment
    until: Moment | None
    holds: bool


class KnownReport(Report):
    """Somebody or something, under all names."""

    number: int
    names: tuple[str, ...]
    kind: str
    relations: tuple[TieReport, ...]


class PeopleReport(Report):
    """Those that are meant, and pairs of names that may be one."""

    user: str
    people: tuple[KnownReport, ...]
    unsure: tuple[tuple[str, str], ...]


def memory_report(memory: Memory) -> MemoryReport:
    """The report on a memory."""
    return MemoryReport.of(
        memory, text=memory.told, said_at=memory.valid_from, superseded_at=memory.valid_to
    )


def _page(source: Source, asked: WhichMemories) -> MemoryPage:
    from gaia.memory import ledger
    from gaia.store.memory_tables import MemoryStatus

    owner = find_owner(source.session, asked.user, asked.login)
    status = MemoryStatus.PENDING if asked.pending else MemoryStatus.ACTIVE
    found = ledger.page(
        source.session, owner.user_id, number=asked.page, size=asked.size, status=status
    )
    return MemoryPage(
        user=owner.name,
        page=found.number,
        pages=found.pages,
        total=found.total,
        pending=ledger.count(source.session, owner.user_id, MemoryStatus.PENDING),
        memories=tuple(map(memory_report, found.memories)),
    )


def _origin(source: Source, asked: WhichMemory) -> OriginReport:
    from gaia.memory import ledger
    from gaia.memory.people import entities

    session, memory_id = source.session, asked.memory_id
    user_id = find_owner(session, asked.user, asked.login).user_id
    memory = ledger.get(session, user_id, memory_id)
    earlier = ledger.earlier_versions(session, user_id, [memory_id])
    return OriginReport.of(
        memory,
        memory=memory_report(memory),
        about=tuple(entities.of_memory(session, user_id, memory_id)),
        earlier=tuple(map(memory_report, earlier)),
    )


def _figures(source: Source, asked: Whose) -> FiguresReport:
    from gaia.memory.browse import statistics

    owner = find_owner(source.session, asked.user, asked.login)
    figures = statistics(source.session, owner.user_id)
    return FiguresReport.of(
        figures,
        user=owner.name,
        memories=figures.active,
        waiting=figures.unindexed.waiting,
        waiting_since=figures.unindexed.oldest,
    )


def _upkeep(source: Source, asked: Whose) -> UpkeepReport:
    from gaia.memory import ledger
    from gaia.store import upkeep_runs

    owner = find_owner(source.session, asked.user, asked.login)
    runs = upkeep_runs.listed(source.session, owner.user_id, MOST_RUNS)
    numbers = {step["memory_id"] for run in runs for step in run.journal}
    found = ledger.get_many(source.session, owner.user_id, numbers)
    heirs = {each.memory_id: each.superseded_by for each in found}
    return UpkeepReport(
        user=owner.name,
        runs=tuple(
            UpkeepRunReport.of(
                run,
                steps=tuple(
                    UpkeepStep(**step, heir=heirs.get(step["memory_id"])) for step in run.journal
                ),
            )
            for run in runs
        ),
    )


def _file(source: Source, asked: WhichFile) -> MemoryFile:
    from gaia.memory.transfer import export
    from gaia.memory.transfer.importer import FileFormat

    owner = find_owner(source.session, asked.user, asked.login)
    file_format = FileFormat(asked.file_format)
    records = export.records(source.session, owner.user_id, file_format)
    lines = tuple(export.lines(owner.name, records, file_format))
    return MemoryFile(user=owner.name, user_id=owner.user_id, memories=len(records), lines=lines)


def _people(source: Source, asked: WhichPeople) -> PeopleReport:
    from gaia.memory.people import people
    from gaia.memory.people.paths import Scope

    session, owner = source.session, find_owner(source.session, asked.user, asked.login)
    within = Scope(source.now)
    known = people.people(session, owner.user_id, within)
    found = known.all
    if asked.words:
        found = people.find(session, owner.user_id, asked.words, within)
    return PeopleReport(
        user=owner.name,
        people=tuple(
            KnownReport.of(each, relations=tuple(map(TieReport.of, each.ties))) for each in found
        ),
        unsure=tuple((one.name, other.name) for one, other in known.unsure),
    )


MEMORIES = Query("memories", WhichMemories, MemoryPage, _page, no_users)
ORIGIN = Query("origin", WhichMemory, OriginReport, _origin, no_users)
FIGURES = Query("figures", Whose, FiguresReport, _figures, no_users)
UPKEEP = Query("upkeep", Whose, UpkeepReport, _upkeep, no_users)
FILE = Query("file", WhichFile, MemoryFile, _file, no_users)
PEOPLE = Query("people", WhichPeople, PeopleReport, _people, no_users)

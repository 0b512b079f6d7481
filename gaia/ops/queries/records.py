"""Queries about what gaia wrote down of its own work: decisions, costs, jobs, the outbox."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from gaia.errors import UnknownUserError
from gaia.ops.costs import By, Costs, add_up, prices_of
from gaia.ops.queries.query import Everything, Moment, Query, Source
from gaia.ops.report import Report

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


class WhichDecisions(Report):
    """The last so many decisions: of these kinds, about or by a user, made since a time."""

    limit: int | None
    actions: tuple[str, ...]
    user: str | None
    since: Moment | None


class DecisionReport(Report):
    """A decision, as of `gaia.store.audit.Entry`. `by` and `user_id` are ids."""

    at: Moment
    action: str
    by: str
    by_name: str | None
    user_id: str | None
    name: str | None
    channel: str | None
    sender: str | None
    detail: str


class DecisionList(Report):
    """Decisions, the oldest first."""

    decisions: tuple[DecisionReport, ...] = ()


class WhichCosts(Report):
    """The costs of the days from `since` to `until`, added up by one subject."""

    by: By
    since: date
    until: date


class JobReport(Report):
    """A job of the schedule and its last run."""

    name: str
    due_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    late_seconds: float
    state: str
    error: str | None
    attempts: int
    succeeded_at: Moment | None
    next_at: Moment | None


class JobList(Report):
    """The jobs, by name, and whether gaia runs."""

    running: bool = False
    jobs: tuple[JobReport, ...] = ()


class WhichChunks(Report):
    """What was given up alone, or also what waits."""

    dead: bool


class ChunkReport(Report):
    """A part of a reply that has not been delivered."""

    outbox_id: int
    state: str
    user: str
    channel: str
    chat: str
    turn_id: str | None
    seq: int
    characters: int
    attempts: int
    possible_repeat: bool
    created_at: Moment
    not_before: Moment | None
    error: str | None


class ChunkList(Report):
    """What has not been delivered."""

    chunks: tuple[ChunkReport, ...] = ()


def _decisions(source: Source, asked: WhichDecisions) -> DecisionList:
    from gaia.store import audit

    entries = audit.entries(
        source.session,
        limit=asked.limit,
        actions=asked.actions,
        user_id=None if asked.user is None else _user_id(source.session, asked.user),
        since=asked.since,
    )
    return DecisionList(
        decisions=tuple(
            DecisionReport.of(
                each,
                by=each.actor,
                by_name=each.actor_name,
                user_id=each.subject or None,
                name=each.subject_name,
                channel=each.address.channel if each.address else None,
                sender=each.address.sender if each.address else None,
            )
            for each in entries
        )
    )


def _user_id(session: Session, name_or_id: str) -> str:
    """The id of a user; one of somebody who was removed is taken as it is."""
    from gaia.store.people import identities
    from gaia.store.people.names import USER_ID

    try:
        return identities.find(session, name_or_id).user_id
    except UnknownUserError:
        if USER_ID.fullmatch(name_or_id):
            return name_or_id
        raise


def _costs(source: Source, asked: WhichCosts) -> Costs:
    from gaia.store import usage
    from gaia.store.people import identities

    names = {each.user_id: each.name for each in identities.everybody(source.session)}
    used = usage.since(source.session, asked.since)
    costs = add_up(used, names, by=asked.by, since=asked.since, until=asked.until)
    prices = prices_of(source.settings.costs) if source.settings else None
    return costs.model_copy(update={"prices": prices})


def _no_costs(asked: WhichCosts) -> Costs:
    return add_up((), {}, by=asked.by, since=asked.since, until=asked.until)


def _jobs(source: Source, asked: Everything) -> JobList:
    from gaia.store import job_runs

    return JobList(
        running=source.running,
        jobs=tuple(
            JobReport.of(
                run,
                late_seconds=round(run.late.total_seconds(), 1),
                state=run.state(running=source.running),
                error=run.error or None,
            )
            for run in job_runs.all(source.session)
        ),
    )


def _chunks(source: Source, asked: WhichChunks) -> ChunkList:
    from gaia.store import outbox
    from gaia.store.tables import OutboxState

    states = (OutboxState.DEAD,) if asked.dead else (*outbox.OPEN, OutboxState.DEAD)
    return ChunkList(
        chunks=tuple(
            ChunkReport.of(
                each.chunk,
                user=each.user_name,
                channel=each.channel,
                chat=each.chat,
                characters=len(each.chunk.text),
                possible_repeat=each.chunk.repeated,
            )
            for each in outbox.listed(source.session, states=states)
        )
    )


DECISIONS = Query("decisions", WhichDecisions, DecisionList, _decisions, lambda _: DecisionList())
COSTS = Query("costs", WhichCosts, Costs, _costs, _no_costs)
JOBS = Query("jobs", Everything, JobList, _jobs, lambda _: JobList())
CHUNKS = Query("outbox", WhichChunks, ChunkList, _chunks, lambda _: ChunkList())

"""All metrics in the text form that Prometheus reads."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from prometheus_client import CollectorRegistry, generate_latest
from sqlalchemy.orm import Session

from gaia.agent.models import ChatModel
from gaia.current import Current
from gaia.errors import StoreError
from gaia.ops.metrics.counters import Counters
from gaia.ops.metrics.standing import Standing
from gaia.ops.status import Status
from gaia.ports import Clock
from gaia.store import job_runs, usage
from gaia.store.engine import Database
from gaia.store.job_runs import JobRun
from gaia.store.usage import DayOfUsage, Usage

logger = logging.getLogger(__name__)


class Metrics:
    """Makes the text. What it tells has neither names of people nor words of theirs."""

    def __init__(
        self,
        counters: Counters,
        status: Status,
        model: Current[ChatModel],
        database: Database,
        clock: Clock,
    ) -> None:
        self._counters = counters
        self._status = status
        self._model = model
        self._database = database
        self._clock = clock

    async def text(self) -> bytes:
        """The metrics as of now; of a store that cannot be read only those counted here."""
        now = CollectorRegistry()
        try:
            now.register(await self._standing())
        except StoreError as exc:
            logger.warning("metrics are told in part: %s", exc)
        return generate_latest(self._counters.registry) + generate_latest(now)

    async def _standing(self) -> Standing:
        report = await self._status.report()
        now = self._clock.now()
        used, jobs = await self._database.read(_used_and_run, now)
        health = self._model.now.health
        return Standing(report, _of_all(used), health.calls_on(now), health.latency, jobs)


def _of_all(days: Sequence[DayOfUsage]) -> Sequence[Usage]:
    """The usage of all users together, by purpose and model."""
    groups: defaultdict[tuple[str, str], list[Usage]] = defaultdict(list)
    for day in days:
        groups[day.usage.purpose, day.usage.model].append(day.usage)
    return [
        replace(
            used[0],
            calls=sum(each.calls for each in used),
            tokens_in=sum(each.tokens_in for each in used),
            tokens_out=sum(each.tokens_out for each in used),
            cost=sum(each.cost for each in used),
        )
        for used in groups.values()
    ]


def _used_and_run(session: Session, now: datetime) -> tuple[Sequence[DayOfUsage], Sequence[JobRun]]:
    used = usage.since(session, now.astimezone().date())
    jobs = job_runs.all(session)
    return used, jobs

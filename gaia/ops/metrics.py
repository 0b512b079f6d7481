"""All metrics in the text form that Prometheus reads: what is counted, and how things stand by
the status report and the tables at each reading.

What is counted by the day begins again at midnight, as a counter does when its program is
started, so that rates are right; a restart of gaia changes nothing of it.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy.orm import Session

from gaia.agent.health import Calls, Latency
from gaia.agent.models import ChatModel
from gaia.errors import StoreError
from gaia.messages import ReceiptKind
from gaia.ops.report import QueueStatus, StatusReport
from gaia.ops.status import Status
from gaia.ports import Clock
from gaia.store import job_runs, usage
from gaia.store.engine import Database
from gaia.store.job_runs import JobRun
from gaia.store.tables import InboxState
from gaia.store.usage import DayOfUsage, Usage
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

SECONDS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300)
"""Bounds of the buckets: from a command's pace to an embedded model's."""


class Metrics:
    """Makes the text. What it tells has neither names of people nor words of theirs."""

    def __init__(
        self,
        counters: Counters,
        status: Status,
        model: Swappable[ChatModel],
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

    async def _standing(self) -> StateCollector:
        report = await self._status.report()
        now = self._clock.now()
        used, jobs = await self._database.read(_used_and_run, now)
        health = self._model.value.health
        return StateCollector(report, _of_all(used), health.calls_on(now), health.latency, jobs)


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


class Counters:
    """Counters in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._received = Counter(
            "gaia_messages_received",
            "Messages that came, by channel and what became of them on receipt.",
            ["channel", "receipt"],
            registry=self.registry,
        )
        self._turns = Counter(
            "gaia_turns", "Turns, by how they ended.", ["outcome"], registry=self.registry
        )
        self._turn_seconds = Histogram(
            "gaia_turn_duration_seconds",
            "How long turns took, from their beginning to the reply in the outbox.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self._chunks = Counter(
            "gaia_chunks",
            "Chunks of replies, by channel and what became of them.",
            ["channel", "outcome"],
            registry=self.registry,
        )

    def received(self, channel: str, kind: ReceiptKind) -> None:
        self._received.labels(channel, kind.value).inc()

    def turn_ended(self, state: InboxState, seconds: float) -> None:
        self._turns.labels("retried" if state is InboxState.QUEUED else state.value).inc()
        self._turn_seconds.observe(seconds)

    def chunk(self, channel: str, outcome: str) -> None:
        self._chunks.labels(channel, outcome).inc()


@dataclass(frozen=True, slots=True, eq=False)
class StateCollector(Collector):
    """How things stand at a moment. `usage` is that of today, of all users."""

    report: StatusReport
    usage: Sequence[Usage]
    calls: Calls
    latency: Latency | None
    jobs: Sequence[JobRun]

    def collect(self) -> Iterator[Metric]:
        """All metrics of it."""
        yield from self._process()
        yield from self._parts()
        yield from _queue("inbox", "Messages", self.report.inbox)
        yield from _queue("outbox", "Chunks of replies", self.report.outbox)
        yield from self._memory()
        yield from self._model()
        yield from self._tokens()
        yield from self._jobs()

    def _process(self) -> Iterator[Metric]:
        report = self.report
        yield _labelled("gaia_build_info", "The version of gaia.", "version", {report.version: 1})
        yield _gauge("gaia_uptime_seconds", "Since when gaia runs.", report.uptime_seconds)
        yield _gauge("gaia_ready", "Whether everything is started.", report.ready)
        yield _gauge("gaia_turns_running", "Turns that run.", report.running_turns)
        yield _gauge("gaia_users", "People and groups that gaia knows.", report.users)
        if processes := report.processes:
            of = "process"
            lives = {each.name: each.lives for each in processes}
            leads = {each.name: each.leads for each in processes}
            held = {each.name: each.held for each in processes}
            yield _labelled("gaia_process_up", "Whether a process gives signs of life.", of, lives)
            yield _labelled("gaia_process_leads", "Whether a process leads.", of, leads)
            yield _labelled("gaia_process_conversations", "Conversations of a process.", of, held)

    def _parts(self) -> Iterator[Metric]:
        report = self.report
        works = {channel.name: channel.ok for channel in report.channels}
        yield _labelled("gaia_channel_up", "Whether a channel works.", "channel", works)
        yield _labelled(
            "gaia_channel_worked_timestamp_seconds",
            "When a channel last worked for sure.",
            "channel",
            _times({channel.name: channel.worked_at for channel in report.channels}),
        )
        parts = {
            "model": report.model.ok,
            "store": report.store.ok,
            "settings": report.settings.ok,
            "index": report.memory.ok,
            "recall": report.recall.ok,
            "forgetting": report.forgetting.ok,
        }
        yield _labelled("gaia_part_up", "Whether a part works.", "part", parts)

    def _memory(self) -> Iterator[Metric]:
        memory, digests = self.report.memory, self.report.digests
        yield _gauge("gaia_memories", "Memories that count.", memory.memories)
        yield _gauge("gaia_index_waiting", "What the index has to take in.", memory.waiting)
        yield _gauge(
            "gaia_index_oldest_seconds",
            "Age of what the index has had to take in for longest, 0 for nothing.",
            memory.oldest_seconds or 0,
        )
        yield _gauge("gaia_digests_waiting", "Sessions to be read.", digests.waiting)
        yield _gauge("gaia_digests_failed", "Sessions that could not be read.", digests.failed)

    def _model(self) -> Iterator[Metric]:
        errors = CounterMetricFamily(
            "gaia_model_errors", "Calls of the model that failed, retries included, since midnight."
        )
        errors.add_metric([], self.calls.failed)
        yield errors
        if self.latency is not None:
            seconds = {"last": self.latency.last}
            seconds |= {"0.5": self.latency.median, "0.95": self.latency.p95}
            yield _labelled(
                "gaia_model_latency_seconds",
                "How long the latest answers took: the last one, and quantiles.",
                "quantile",
                seconds,
            )

    def _tokens(self) -> Iterator[Metric]:
        of = ["purpose", "model"]
        calls = CounterMetricFamily(
            "gaia_model_calls", "Calls of models that were answered, since midnight.", labels=of
        )
        tokens = CounterMetricFamily(
            "gaia_model_tokens",
            "Tokens that models read (in) and wrote (out) since midnight.",
            labels=[*of, "direction"],
        )
        cost = CounterMetricFamily(
            "gaia_model_cost",
            "What that cost as far as prices are set, in the currency of the settings.",
            labels=of,
        )
        for used in self.usage:
            labels = [used.purpose, used.model]
            calls.add_metric(labels, used.calls)
            tokens.add_metric([*labels, "in"], used.tokens_in)
            tokens.add_metric([*labels, "out"], used.tokens_out)
            cost.add_metric(labels, used.cost)
        yield from (calls, tokens, cost)

    def _jobs(self) -> Iterator[Metric]:
        yield _labelled(
            "gaia_job_success_timestamp_seconds",
            "When a job of the schedule last went well.",
            "job",
            _times({job.name: job.succeeded_at for job in self.jobs}),
        )
        went_well = {job.name: not job.error for job in self.jobs}
        meaning = "Whether the last run of a job went well, or has yet to end."
        yield _labelled("gaia_job_ok", meaning, "job", went_well)
        if (last := self.report.backup.last_at) is not None:
            meaning = "When the last backup was made."
            yield _gauge("gaia_backup_timestamp_seconds", meaning, last.timestamp())


def _queue(name: str, what: str, queue: QueueStatus) -> Iterator[Metric]:
    yield _gauge(f"gaia_{name}_waiting", f"{what} that wait.", queue.waiting)
    yield _gauge(f"gaia_{name}_dead", f"{what} that were given up.", queue.dead)
    yield _gauge(
        f"gaia_{name}_oldest_seconds",
        f"Age of what waits longest in the {name}, 0 for nothing.",
        queue.oldest_seconds or 0,
    )


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _labelled(name: str, meaning: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, meaning, labels=[label])
    for each, value in values.items():
        family.add_metric([each], value)
    return family


def _times(times: Mapping[str, datetime | None]) -> Mapping[str, float]:
    return {name: at.timestamp() for name, at in times.items() if at is not None}

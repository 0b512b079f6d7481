"""How things stand, as metrics: from the status report and the tables, at each reading.

What is counted by the day begins anew at midnight, as a counter does when its program is
started, so that rates are right; a restart of gaia changes nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from gaia.agent.health import Calls, Latency
from gaia.ops.report import QueueStatus, StatusReport
from gaia.store.job_runs import JobRun
from gaia.store.usage import Usage


@dataclass(frozen=True, slots=True, eq=False)
class Standing(Collector):
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

    def _parts(self) -> Iterator[Metric]:
        report = self.report
        yield _labelled(
            "gaia_channel_up",
            "Whether a channel works.",
            "channel",
            {channel.name: channel.ok for channel in report.channels},
        )
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
        yield _labelled(
            "gaia_job_ok",
            "Whether the last run of a job went well, or has yet to end.",
            "job",
            {job.name: not job.error for job in self.jobs},
        )
        last_backup = self.report.backup.last_at
        if last_backup is not None:
            yield _gauge(
                "gaia_backup_timestamp_seconds",
                "When the last backup was made.",
                last_backup.timestamp(),
            )


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

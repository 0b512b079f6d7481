"""How things stand, as Prometheus reads it."""

from __future__ import annotations

from datetime import timedelta

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from gaia.agent.health import Calls, Latency
from gaia.messages import ReceiptKind
from gaia.ops.metrics import Counters, StateCollector
from gaia.ops.report import ChannelStatus, QueueStatus, StatusReport
from gaia.store.job_runs import JobRun
from gaia.store.tables import InboxState
from gaia.store.usage import Usage
from gaia.testing.clock import START
from tests.harness.reports import WELL

NO_CALLS = Calls()


def read(registry: CollectorRegistry) -> dict[str, float]:
    """Each sample by its name and labels, as a query names it."""
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return {
        f"{sample.name}{{{_labels(sample.labels)}}}": sample.value
        for family in families
        for sample in family.samples
    }


def _labels(labels: dict[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in sorted(labels.items()))


def stands(
    report: StatusReport = WELL,
    *,
    usage: tuple[Usage, ...] = (),
    calls: Calls = NO_CALLS,
    latency: Latency | None = None,
    jobs: tuple[JobRun, ...] = (),
) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(StateCollector(report, usage, calls, latency, jobs))
    return read(registry)


def test_a_gaia_that_is_well() -> None:
    values = stands()
    assert values[f"gaia_build_info{{version={WELL.version}}}"] == 1
    assert values["gaia_uptime_seconds{}"] == WELL.uptime_seconds
    assert values["gaia_ready{}"] == 1
    assert values["gaia_channel_up{channel=terminal}"] == 1
    assert values["gaia_memories{}"] == WELL.memory.memories
    assert values["gaia_inbox_oldest_seconds{}"] == 0
    assert {value for name, value in values.items() if name.startswith("gaia_part_up")} == {1}


def test_what_waits_and_what_does_not_work() -> None:
    values = stands(
        WELL.model_copy(
            update={
                "inbox": QueueStatus(waiting=3, dead=1, oldest_seconds=42.0),
                "channels": (ChannelStatus(name="telegram", ok=False, worked_at=START),),
                "model": WELL.model.model_copy(update={"ok": False}),
            }
        )
    )
    assert values["gaia_inbox_waiting{}"] == 3
    assert values["gaia_inbox_dead{}"] == 1
    assert values["gaia_inbox_oldest_seconds{}"] == 42
    assert values["gaia_channel_up{channel=telegram}"] == 0
    assert values["gaia_channel_worked_timestamp_seconds{channel=telegram}"] == START.timestamp()
    assert values["gaia_part_up{part=model}"] == 0
    assert values["gaia_part_up{part=store}"] == 1


def test_the_model_by_purpose_and_how_long_it_takes() -> None:
    values = stands(
        usage=(Usage("flash", "turn", 4, 1000, 200, cost=0.5), Usage("flash", "digest", 1, 10, 2)),
        calls=Calls(made=6, failed=1),
        latency=Latency(1.0, 2.0, 3.0),
    )
    assert values["gaia_model_calls_total{model=flash,purpose=turn}"] == 4
    assert values["gaia_model_tokens_total{direction=in,model=flash,purpose=turn}"] == 1000
    assert values["gaia_model_tokens_total{direction=out,model=flash,purpose=digest}"] == 2
    assert values["gaia_model_cost_total{model=flash,purpose=turn}"] == 0.5
    assert values["gaia_model_errors_total{}"] == 1
    assert values["gaia_model_latency_seconds{quantile=0.95}"] == 3


def test_when_jobs_went_well_last() -> None:
    well = JobRun("backup", due_at=START, succeeded_at=START)
    failed = JobRun("upkeep", due_at=START, succeeded_at=START - timedelta(days=1), error="no")
    values = stands(jobs=(well, failed))
    day_before = (START - timedelta(days=1)).timestamp()
    assert values["gaia_job_success_timestamp_seconds{job=upkeep}"] == day_before
    assert values["gaia_job_ok{job=backup}"] == 1
    assert values["gaia_job_ok{job=upkeep}"] == 0


def test_what_happens_is_counted() -> None:
    counters = Counters()
    counters.received("telegram", ReceiptKind.ACCEPTED)
    counters.turn_ended(InboxState.DONE, 3.0)
    counters.turn_ended(InboxState.QUEUED, 5.0)
    counters.chunk("telegram", "sent")
    counters.chunk("telegram", "sent")
    values = read(counters.registry)
    assert values["gaia_messages_received_total{channel=telegram,receipt=accepted}"] == 1
    assert values["gaia_turns_total{outcome=done}"] == 1
    assert values["gaia_turns_total{outcome=retried}"] == 1
    assert values["gaia_turn_duration_seconds_bucket{le=4.0}"] == 1
    assert values["gaia_turn_duration_seconds_sum{}"] == 8
    assert values["gaia_chunks_total{channel=telegram,outcome=sent}"] == 2
    assert not read(Counters().registry).keys() & {"gaia_turns_total{outcome=done}"}

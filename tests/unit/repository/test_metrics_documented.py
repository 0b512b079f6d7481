"""Each metric has its row in docs/logs.md, with its labels, and no other has one."""

from __future__ import annotations

import re
from pathlib import Path

from prometheus_client.metrics_core import Metric

from gaia.agent.health import Calls, Latency
from gaia.messages import ReceiptKind
from gaia.ops.metrics import Counters, StateCollector
from gaia.store.job_runs import JobRun
from gaia.store.tables import InboxState
from gaia.store.usage import Usage
from gaia.testing.clock import START
from tests.harness.reports import WELL

ROW = re.compile(r"^\| `(gaia_\w+)` \| ([^|]*)\|", re.MULTILINE)


def test_the_table_of_metrics_is_the_metrics() -> None:
    docs = Path(__file__).parents[3] / "docs" / "logs.md"
    told = {
        name: frozenset(re.findall(r"`(\w+)`", labels))
        for name, labels in ROW.findall(docs.read_text(encoding="utf-8"))
    }
    channel = WELL.channels[0].model_copy(update={"worked_at": START})
    backup = WELL.backup.model_copy(update={"last_at": START})
    report = WELL.model_copy(update={"channels": (channel,), "backup": backup})
    standing = StateCollector(
        report,
        [Usage("flash", "turn", 1, 1, 1)],
        Calls(),
        Latency(1, 1, 1),
        [JobRun("upkeep", due_at=START, succeeded_at=START)],
    )
    counters = Counters()
    counters.received("telegram", ReceiptKind.ACCEPTED)
    counters.turn_ended(InboxState.DONE, 1.0)
    counters.chunk("telegram", "sent")
    families = [*standing.collect(), *counters.registry.collect()]
    assert told == {_name(family): _labels(family) for family in families}


def _name(family: Metric) -> str:
    return f"{family.name}_total" if family.type == "counter" else family.name


def _labels(family: Metric) -> frozenset[str]:
    labels = {label for sample in family.samples for label in sample.labels}
    return frozenset(labels - {"le"})

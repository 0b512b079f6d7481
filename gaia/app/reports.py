"""Builds what tells how gaia fares: its status and its metrics."""

from __future__ import annotations

from dataclasses import dataclass

from gaia.app.base import Base, MemoryParts
from gaia.app.channels import ChannelParts
from gaia.app.models import ModelParts
from gaia.core.handler import Handlers
from gaia.digest.worker import DigestWorker
from gaia.ops.metrics import Metrics
from gaia.ops.status import SettingsState, Status


@dataclass(frozen=True, slots=True)
class Reports:
    """What tells how gaia fares."""

    settings_state: SettingsState
    status: Status
    metrics: Metrics


def build_reports(
    base: Base,
    memory: MemoryParts,
    models: ModelParts,
    channels: ChannelParts,
    digest_worker: DigestWorker,
    handlers: Handlers,
) -> Reports:
    """Build them."""
    settings_state = SettingsState(base.clock.now(), base.loaded.problem)
    status = Status(
        home=base.home,
        database=base.database,
        users=base.users,
        model=models.answering.model,
        channels=channels.by_name,
        handlers=handlers,
        index=memory.index,
        recall=models.answering.recall,
        digest_worker=digest_worker,
        settings=base.settings,
        settings_state=settings_state,
        clock=base.clock,
        clock_watch=base.clock_watch,
        shares=base.shares,
    )
    metrics = Metrics(base.counters, status, models.answering.model, base.database, base.clock)
    return Reports(settings_state, status, metrics)

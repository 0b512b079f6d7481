"""Takes steps of growth that their owner approved, and takes them back.

A setting is written into gaia.yaml, where all else stays as it is; a running gaia takes it up by
itself. A rule becomes a memory. Each step is noted with what was before.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy.orm import Session

from gaia.errors import UpkeepError
from gaia.memory import ledger, pending
from gaia.memory.memory import Statement
from gaia.ops.growth.proposals import Proposal, ProposalKind
from gaia.ops.setup.answers import Changes
from gaia.ops.setup.files import write
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import load_settings
from gaia.store import growth
from gaia.store.engine import Database
from gaia.store.growth import Step
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus


async def take(
    home: Home, database: Database, user_id: str, proposals: Sequence[Proposal], clock: Clock
) -> Sequence[Step]:
    """Carry out what a user approved.

    Raises:
        SettingsError: gaia.yaml cannot be changed so. Nothing was.
        HomeError: It cannot be written. Nothing was.
    """
    settings = {each.key: each.after for each in proposals if each.kind is ProposalKind.SETTING}
    if settings:
        _write(home, settings)
    return await database.write(_note, user_id, proposals, clock.now())


async def undo(home: Home, database: Database, step: Step, clock: Clock) -> None:
    """Take a step back.

    Raises:
        UpkeepError: It was taken back before, or its setting has another value by now.
        SettingsError: gaia.yaml cannot be changed so.
        HomeError: It cannot be written.
    """
    if step.undone_at is not None:
        raise UpkeepError(f"change {step.growth_id} is undone already: 'gaia grow list' shows all")
    if step.kind == ProposalKind.SETTING:
        present = _value(home, step.key)
        if present != step.after:
            raise UpkeepError(
                f"{step.key} is {present!r} by now, and change {step.growth_id} made it "
                f"{step.after!r}: change it in gaia.yaml"
            )
        _write(home, {step.key: step.before})
    await database.write(_take_back, step, clock.now())


def _write(home: Home, settings: dict[str, JsonValue]) -> None:
    write(home, Changes(settings={tuple(key.split(".")): each for key, each in settings.items()}))


def _value(home: Home, key: str) -> JsonValue:
    value: JsonValue = load_settings(home).settings.model_dump(mode="json")
    for name in key.split("."):
        value = value[name] if isinstance(value, dict) else None
    return value


def _note(
    session: Session, user_id: str, proposals: Sequence[Proposal], now: datetime
) -> Sequence[Step]:
    steps = []
    for each in proposals:
        memory_id, after = None, each.after
        if each.kind is ProposalKind.RULE:
            said = Statement(str(each.after), MemorySource.USER, MemoryKind.RULE)
            memory_id = ledger.add(session, user_id, said, now).memory.memory_id
            # The words stand in the memory alone, and are gone with it.
            after = None
        steps.append(
            growth.add(
                session,
                user_id,
                kind=each.kind,
                key=each.key,
                before=each.before,
                after=after,
                reason=each.reason,
                memory_id=memory_id,
                now=now,
            )
        )
    return steps


def _take_back(session: Session, step: Step, now: datetime) -> None:
    if step.memory_id is not None:
        pending.put_aside(session, step.user_id, step.memory_id, MemoryStatus.ARCHIVED, now)
    growth.note_undone(session, step.growth_id, now)

"""`gaia memory stats`: how much there is, of what kind, and how far the index is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from gaia.cli.memory.opening import read_memory
from gaia.cli.memory.options import AsJson, OfUser

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from gaia.memory.statistics import Statistics
    from gaia.ops.report import MemoryStatus
    from gaia.store.identities import User


def stats(user: OfUser = None, as_json: AsJson = False) -> None:
    """Count memories by kind, source and status, and tell how far the index is."""
    from gaia.memory.statistics import statistics

    async def read(session: AsyncSession, owner: User) -> tuple[str, Statistics]:
        return owner.name, await statistics(session, owner.user_id)

    name, figures = read_memory(user, read)
    index = _index()
    if as_json:
        typer.echo(json.dumps(_as_json(name, figures, index), indent=2))
    else:
        typer.echo(_in_words(name, figures, index))


def _index() -> MemoryStatus | None:
    """What a running daemon says of its index; None when none runs."""
    from gaia.cli.status import ask_status
    from gaia.errors import NotRunningError
    from gaia.paths import find_home

    try:
        return ask_status(find_home()).memory
    except NotRunningError:
        return None


def _as_json(name: str, figures: Statistics, index: MemoryStatus | None) -> dict[str, object]:
    waiting = figures.unindexed
    return {
        "user": name,
        "memories": figures.active,
        "statuses": dict(figures.statuses),
        "kinds": dict(figures.kinds),
        "sources": dict(figures.sources),
        "hidden": figures.hidden,
        "characters": figures.characters,
        "oldest": figures.oldest and figures.oldest.isoformat(),
        "newest": figures.newest and figures.newest.isoformat(),
        "entities": figures.entities,
        "index": {
            "waiting": waiting.waiting,
            "waiting_since": waiting.oldest and waiting.oldest.isoformat(),
            "running": index is not None,
            "enabled": index and index.enabled,
            "ok": index and index.ok,
            "detail": index and index.detail,
        },
    }


def _in_words(name: str, figures: Statistics, index: MemoryStatus | None) -> str:
    from gaia.cli.memory.showing import counted_memories
    from gaia.cli.table import local_time

    others = {each: number for each, number in figures.statuses.items() if each != "active"}
    facts = [
        (
            "memories",
            f"{counted_memories(figures.active)} of {name}, {figures.characters:,} characters",
        ),
        ("besides", _listed(others)),
        ("kinds", _listed(figures.kinds)),
        ("sources", _listed(figures.sources)),
        ("hidden", str(figures.hidden or "")),
        ("about", _about(figures.entities)),
        ("oldest", local_time(figures.oldest) if figures.oldest else ""),
        ("newest", local_time(figures.newest) if figures.newest else ""),
        ("index", _index_in_words(figures.unindexed.waiting, index)),
    ]
    return "\n".join(f"{fact:<9} {told}" for fact, told in facts if told)


def _about(entities: int) -> str:
    from gaia.ops.words import counted

    return counted(entities, "person or thing", "people and things") if entities else ""


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def _index_in_words(waiting: int, index: MemoryStatus | None) -> str:
    left = f"{waiting:,} to be taken in" if waiting else "nothing to be taken in"
    if index is None:
        return f"{left}; gaia does not run"
    if not index.enabled:
        return "memory is switched off"
    if index.ok:
        return f"{left}; {index.detail or 'works'}"
    return f"{left}; it does not work: {index.detail}"

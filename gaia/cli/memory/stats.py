"""`gaia memory stats`: how much there is, of what kind, and how far the index is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from gaia.cli.asking import ask, echo_json
from gaia.cli.memory.options import AsJson, OfUser

if TYPE_CHECKING:
    from gaia.ops.queries.memories import FiguresReport
    from gaia.ops.report import MemoryStatus


def stats(user: OfUser = None, as_json: AsJson = False) -> None:
    """Count memories by kind, source and status, and tell how far the index is."""
    from gaia.ops.queries.memories import FIGURES
    from gaia.ops.queries.people import Whose

    figures = ask(FIGURES, Whose(user=user))
    index = _index()
    if as_json:
        echo_json(_as_json(figures, index))
    else:
        typer.echo(_in_words(figures, index))


def _index() -> MemoryStatus | None:
    """What a running daemon says of its index; None when none runs."""
    from gaia.cli.status import ask_status
    from gaia.errors import NotRunningError
    from gaia.paths import find_home

    try:
        return ask_status(find_home()).memory
    except NotRunningError:
        return None


def _as_json(figures: FiguresReport, index: MemoryStatus | None) -> dict[str, object]:
    told = figures.model_dump(mode="json")
    state = {
        "waiting": told.pop("waiting"),
        "waiting_since": told.pop("waiting_since"),
        "running": index is not None,
        "enabled": index and index.enabled,
        "ok": index and index.ok,
        "detail": index and index.detail,
    }
    return {**told, "index": state}


def _in_words(figures: FiguresReport, index: MemoryStatus | None) -> str:
    from gaia.cli.memory.showing import counted_memories
    from gaia.cli.table import local_time

    others = {each: number for each, number in figures.statuses.items() if each != "active"}
    facts = [
        (
            "memories",
            f"{counted_memories(figures.memories)} of {figures.user}, "
            f"{figures.characters:,} characters",
        ),
        ("besides", _listed(others)),
        ("kinds", _listed(figures.kinds)),
        ("sources", _listed(figures.sources)),
        ("hidden", str(figures.hidden or "")),
        ("about", _about(figures.entities)),
        ("oldest", local_time(figures.oldest) if figures.oldest else ""),
        ("newest", local_time(figures.newest) if figures.newest else ""),
        ("index", _index_in_words(figures.waiting, index)),
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

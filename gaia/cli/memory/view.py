"""`gaia memory list`, `why`, `stats` and `upkeep`, and how all of `gaia memory` shows memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import (
    MOST,
    AsJson,
    columns,
    echo_json,
    local_time,
    say,
    strip_controls,
    terminal_width,
)
from gaia.cli.home import ask
from gaia.text import counted, counted_memories

if TYPE_CHECKING:
    from datetime import datetime

    from gaia.ops.queries.memories import (
        FiguresReport,
        MemoryPage,
        MemoryReport,
        OriginReport,
        UpkeepRunReport,
    )
    from gaia.ops.report import MemoryStatus

PAGE_SIZE = 20
SOURCES = {
    "user": "said for gaia to keep, word for word",
    "tool": "kept by gaia when they talked",
    "digest": "said in a conversation",
    "import": "taken from a file",
    "discovery": "found on the machine, and confirmed",
}
STANDINGS = {
    "pending": "gaia is not sure of it: 'gaia memory keep' confirms it",
    "superseded": "no longer valid",
    "archived": "no longer valid: it expired, or was undone",
}
DEEDS = {"archived": "archived", "ended": "merged", "wrote": "waits for a yes"}
HEADINGS = ("ID", "SINCE", "KIND", "TEXT")
OfUser = Annotated[
    str | None,
    typer.Option(
        "--user",
        "-u",
        metavar="NAME",
        help="Whose memory, by name or id; a group has one too.",
        show_default="yourself, or the only person",
    ),
]


def list_memories(
    page: Annotated[int, typer.Option(min=1, max=MOST, help="Which page, from the newest on.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="All of them, on one page.")] = False,
    pending: Annotated[
        bool, typer.Option("--pending", help="Memories that wait for confirmation.")
    ] = False,
    held: Annotated[bool, typer.Option("--held", hidden=True)] = False,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """List what gaia remembers, the newest first."""
    from gaia.ops.queries.memories import MEMORIES, WhichMemories

    pending = pending or held
    size = MOST if every else PAGE_SIZE
    found = ask(MEMORIES, WhichMemories(user=user, page=page, size=size, pending=pending))
    if as_json:
        echo_json(found.model_dump(mode="json"))
        return
    if found.total:
        typer.echo(memory_table(found.memories))
        if found.pages > 1:
            say(
                f"\nPage {found.page} of {found.pages}, {found.total:,} memories."
                f"{_next(found, pending=pending)}"
            )
    elif pending:
        say(
            f"There is nothing in the memory of {found.user} that gaia is not sure of: "
            "'gaia memory list' lists the rest."
        )
    else:
        say(f"There is nothing in the memory of {found.user} yet: 'gaia memory add' adds to it.")
    if found.pending and not pending:
        say(f"\nNot sure of {found.pending:,} more: gaia memory list --pending")


def why(
    memory_id: Annotated[int, typer.Argument(help="As 'gaia memory list' shows it.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Show all of one memory. Its words, where they come from, and what it replaced."""
    from gaia.ops.queries.memories import ORIGIN, WhichMemory

    origin = ask(ORIGIN, WhichMemory(user=user, memory_id=memory_id))
    if as_json:
        told = origin.model_dump(mode="json", include={"about", "earlier"})
        echo_json(origin.memory.model_dump(mode="json") | told)
    else:
        typer.echo(_in_words(origin))


def _next(found: MemoryPage, *, pending: bool) -> str:
    if found.page == found.pages:
        return ""
    which = " --pending" if pending else ""
    return f" The next one: gaia memory list{which} --page {found.page + 1}"


def _in_words(origin: OriginReport) -> str:
    memory = origin.memory
    facts = [
        ("kind", _kind(memory)),
        ("context", "" if memory.context == "global" else memory.context),
        ("since", local_time(memory.said_at)),
        ("source", SOURCES[memory.source]),
        ("their words", shown_line(memory.quote or "")),
        ("found as", shown_line(memory.label or "")),
        ("judged", memory.verdict or ("nobody judged it" if memory.source == "digest" else "")),
        ("status", STANDINGS.get(memory.status, "")),
        ("subject", shown_line(memory.subject or "")),
        ("relation", shown_line(" ".join(filter(None, (memory.predicate, memory.object))))),
        ("about", shown_line(", ".join(origin.about))),
        ("told", f"{memory.support} times" if memory.support > 1 else ""),
        ("due", local_time(memory.due_at) if memory.due_at else ""),
        ("until", local_time(memory.expires_at) if memory.expires_at else ""),
        ("replaced by", f"{memory.superseded_by}" if memory.superseded_by else ""),
        ("conversation", shown_line(origin.session_id or "")),
        ("turn", origin.turn_id or ""),
        ("digest", f"{memory.digest_id}" if memory.digest_id else ""),
    ]
    lines = [strip_controls(memory.text), ""]
    lines += [f"{name:<12}  {told}" for name, told in facts if told]
    lines += [
        f"{'replaced':<12}  {each.memory_id}, of {local_time(each.said_at)}: "
        f"{shown_line(each.text)}"
        for each in origin.earlier
    ]
    return "\n".join(lines)


def _kind(memory: MemoryReport) -> str:
    marks = [", hidden"] if memory.sensitive else []
    return "".join([memory.kind, *marks, *([", pinned"] if memory.pinned else [])])


def stats(user: OfUser = None, as_json: AsJson = False) -> None:
    """Count memories, and tell how far the index is."""
    from gaia.ops.queries.memories import FIGURES
    from gaia.ops.queries.people import Whose

    figures = ask(FIGURES, Whose(user=user))
    index = _index()
    if as_json:
        echo_json(_figures_as_json(figures, index))
    else:
        typer.echo(_figures_in_words(figures, index))


def _index() -> MemoryStatus | None:
    """What a running daemon says of its index; None when none runs."""
    from gaia.cli.status import ask_status
    from gaia.errors import NotRunningError
    from gaia.paths import find_home

    try:
        return ask_status(find_home()).memory
    except NotRunningError:
        return None


def _figures_as_json(figures: FiguresReport, index: MemoryStatus | None) -> dict[str, object]:
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


def _figures_in_words(figures: FiguresReport, index: MemoryStatus | None) -> str:
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
    return counted(entities, "person or thing", "people and things") if entities else ""


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def _index_in_words(waiting: int, index: MemoryStatus | None) -> str:
    left = f"{waiting:,} to be taken in" if waiting else "all is taken in"
    if index is None:
        return f"{left}; gaia does not run"
    if not index.enabled:
        return "memory is switched off"
    if index.ok:
        return f"{left}; {index.detail or 'works'}"
    return f"{left}; it does not work: {index.detail}"


def upkeep(user: OfUser = None, as_json: AsJson = False) -> None:
    """List what gaia did with memories at night. /undo takes back the last of it."""
    from gaia.ops.queries.memories import UPKEEP
    from gaia.ops.queries.people import Whose

    answer = ask(UPKEEP, Whose(user=user))
    if as_json:
        echo_json(answer.model_dump(mode="json")["runs"])
    elif answer.runs:
        rows = [(local_time(run.at), run.job, _deeds(run)) for run in answer.runs]
        typer.echo(columns(("WHEN", "JOB", "MEMORIES"), rows))
    else:
        say(
            f"Nothing has been done with the memories of {answer.user} at night yet: "
            "gaia looks after them while 'gaia serve' runs."
        )


def _deeds(run: UpkeepRunReport) -> str:
    told: list[str] = []
    for deed, words in DEEDS.items():
        numbers = [
            f"#{step.memory_id}" if step.heir is None else f"#{step.memory_id} into #{step.heir}"
            for step in run.steps
            if step.deed == deed
        ]
        told += [f"{words}: {', '.join(numbers)}"] if numbers else []
    return "; ".join([*told, *(["undone"] if run.undone_at else [])])


def memory_table(memories: Sequence[MemoryReport]) -> str:
    """A line for each memory, as wide as the terminal."""
    return table([memory_row(each) for each in memories])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows below `HEADINGS`, as wide as the terminal."""

    return columns(HEADINGS, rows, width=terminal_width())


def memory_row(memory: MemoryReport) -> tuple[str, str, str, str]:
    """What a table shows of a memory."""
    return row(memory.memory_id, memory.said_at, memory.kind, memory.text, memory.sensitive)


def row(
    memory_id: int, since: datetime, kind: str, text: str, hidden: bool
) -> tuple[str, str, str, str]:
    """What a table shows of what is known of a memory."""
    kind = f"{kind}, hidden" if hidden else kind
    return str(memory_id), f"{since.astimezone():%Y-%m-%d}", kind, shown_line(text)


def shown_line(text: str) -> str:
    """A stored text on one line, with nothing in it that a terminal would obey."""
    from gaia.memory.excerpts import one_line

    return one_line(strip_controls(text))


class KindName(StrEnum):
    """The kinds of `gaia.store.memory_tables.MemoryKind`, without what that imports."""

    FACT = "fact"
    PREFERENCE = "preference"
    RULE = "rule"
    EPISODE = "episode"
    REMINDER = "reminder"
    NOTE = "note"


class FormatName(StrEnum):
    """The formats of `gaia.memory.transfer.importer.FileFormat`, likewise."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"

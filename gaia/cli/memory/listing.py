"""`gaia memory list` and `gaia memory why`: what there is, and where one comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.asking import ask, echo_json
from gaia.cli.memory.options import AsJson, OfUser

if TYPE_CHECKING:
    from gaia.ops.queries.memories import MemoryPage, OriginReport

PAGE_SIZE = 20
ALL = 10**9

SOURCES = {
    "user": "said for gaia to keep, word for word",
    "tool": "kept by gaia when they talked",
    "digest": "gathered by gaia from a conversation",
    "import": "taken from a file",
}

STANDINGS = {
    "held": "gaia is not sure of it: 'gaia memory keep' makes it count",
    "superseded": "counts no longer",
    "archived": "counts no longer: its time is over, or it was taken back",
}


def list_memories(
    page: Annotated[int, typer.Option(min=1, help="Which page, from the newest on.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="All of them, on one page.")] = False,
    held: Annotated[bool, typer.Option("--held", help="What gaia is not sure of.")] = False,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """List what gaia remembers, the newest first."""
    from gaia.cli.memory.showing import memory_table
    from gaia.ops.queries.memories import MEMORIES, WhichMemories

    size = ALL if every else PAGE_SIZE
    found = ask(MEMORIES, WhichMemories(user=user, page=page, size=size, held=held))
    if as_json:
        echo_json(found.model_dump(mode="json"))
        return
    if found.total:
        typer.echo(memory_table(found.memories))
        if found.pages > 1:
            typer.echo(
                f"\nPage {found.page} of {found.pages}, {found.total:,} memories."
                f"{_next(found, held=held)}"
            )
    elif held:
        typer.echo(f"There is nothing in the memory of {found.user} that gaia is not sure of.")
    else:
        typer.echo(
            f"There is nothing in the memory of {found.user} yet: 'gaia memory add' adds to it."
        )
    if found.held and not held:
        typer.echo(f"\nNot sure of {found.held:,} more: gaia memory list --held")


def why(
    memory_id: Annotated[int, typer.Argument(help="As 'gaia memory list' shows it.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Show all of one memory: its words, where they come from, and what it replaced."""
    from gaia.ops.queries.memories import ORIGIN, WhichMemory

    origin = ask(ORIGIN, WhichMemory(user=user, memory_id=memory_id))
    if as_json:
        told = origin.model_dump(mode="json", include={"about", "earlier"})
        echo_json(origin.memory.model_dump(mode="json") | told)
    else:
        typer.echo(_in_words(origin))


def _next(found: MemoryPage, *, held: bool) -> str:
    if found.page == found.pages:
        return ""
    which = " --held" if held else ""
    return f" The next one: gaia memory list{which} --page {found.page + 1}"


def _in_words(origin: OriginReport) -> str:
    from gaia.cli.chat.control_characters import strip_controls
    from gaia.cli.memory.showing import shown_line
    from gaia.cli.table import local_time

    memory = origin.memory
    facts = [
        ("kind", f"{memory.kind}, hidden" if memory.sensitive else memory.kind),
        ("context", "" if memory.context == "global" else memory.context),
        ("since", local_time(memory.said_at)),
        ("source", SOURCES[memory.source]),
        ("their words", shown_line(memory.quote or "")),
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

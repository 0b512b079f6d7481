"""`gaia memory list` and `gaia memory why`: what there is, and where one comes from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.memory.opening import read_memory
from gaia.cli.memory.options import AsJson, OfUser

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from gaia.memory.memory import Memory, Page
    from gaia.store.identities import User

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
    from gaia.cli.memory.showing import memory_json, memory_table
    from gaia.memory import ledger
    from gaia.store.memory_tables import MemoryStatus

    async def read(session: AsyncSession, owner: User) -> _Listing:
        found = await ledger.page(
            session,
            owner.user_id,
            number=page,
            size=ALL if every else PAGE_SIZE,
            status=MemoryStatus.HELD if held else MemoryStatus.ACTIVE,
        )
        all_held = await ledger.count(session, owner.user_id, MemoryStatus.HELD)
        return _Listing(owner.name, found, all_held)

    listing = read_memory(user, read)
    name, found = listing.name, listing.page
    if as_json:
        shown = {
            "user": name,
            "page": found.number,
            "pages": found.pages,
            "total": found.total,
            "held": listing.held,
            "memories": [memory_json(each) for each in found.memories],
        }
        typer.echo(json.dumps(shown, indent=2))
        return
    if found.total:
        typer.echo(memory_table(found.memories))
        if found.pages > 1:
            typer.echo(
                f"\nPage {found.number} of {found.pages}, {found.total:,} memories."
                f"{_next(found, held=held)}"
            )
    elif held:
        typer.echo(f"There is nothing in the memory of {name} that gaia is not sure of.")
    else:
        typer.echo(f"There is nothing in the memory of {name} yet: 'gaia memory add' adds to it.")
    if listing.held and not held:
        typer.echo(f"\nNot sure of {listing.held:,} more: gaia memory list --held")


def why(
    memory_id: Annotated[int, typer.Argument(help="As 'gaia memory list' shows it.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Show all of one memory: its words, where they come from, and what it replaced."""
    from gaia.cli.memory.showing import memory_json
    from gaia.memory import ledger

    async def read(session: AsyncSession, owner: User) -> _Origin:
        memory = await ledger.get(session, owner.user_id, memory_id)
        return _Origin(
            memory,
            await ledger.entities(session, owner.user_id, memory_id),
            await ledger.earlier_versions(session, owner.user_id, [memory_id]),
        )

    origin = read_memory(user, read)
    if as_json:
        earlier = [memory_json(each) for each in origin.earlier]
        shown = memory_json(origin.memory, origin.about) | {"earlier": earlier}
        typer.echo(json.dumps(shown, indent=2))
    else:
        typer.echo(_in_words(origin))


@dataclass(frozen=True, slots=True)
class _Listing:
    """A page of somebody's memories, and how many are held of all."""

    name: str
    page: Page
    held: int


@dataclass(frozen=True, slots=True)
class _Origin:
    """A memory, what it is about, and what it replaced."""

    memory: Memory
    about: Sequence[str]
    earlier: Sequence[Memory]


def _next(page: Page, *, held: bool) -> str:
    if page.number == page.pages:
        return ""
    which = " --held" if held else ""
    return f" The next one: gaia memory list{which} --page {page.number + 1}"


def _in_words(origin: _Origin) -> str:
    from gaia.cli.chat.control_characters import strip_controls
    from gaia.cli.memory.showing import shown_line
    from gaia.cli.table import local_time

    memory = origin.memory
    facts = [
        ("kind", f"{memory.kind}, hidden" if memory.sensitive else memory.kind),
        ("context", "" if memory.context == "global" else memory.context),
        ("since", local_time(memory.valid_from)),
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
        ("conversation", shown_line(memory.session_id or "")),
        ("turn", memory.turn_id or ""),
        ("digest", f"{memory.digest_id}" if memory.digest_id else ""),
    ]
    lines = [strip_controls(memory.text), ""]
    lines += [f"{name:<12}  {told}" for name, told in facts if told]
    lines += [
        f"{'replaced':<12}  {each.memory_id}, of {local_time(each.valid_from)}: "
        f"{shown_line(each.text)}"
        for each in origin.earlier
    ]
    return "\n".join(lines)

"""`gaia memory discover`: what this machine tells of its owner, kept fact by fact after a yes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, echo_json, say
from gaia.cli.home import wake
from gaia.cli.memory.change import read_memory, write_memory
from gaia.cli.memory.view import OfUser, shown_line
from gaia.text import counted_memories

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.memory.memory import Statement
    from gaia.ops.discovery import Fact
    from gaia.store.people.identities import User


def discover(
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", metavar="KEY", help="Keep this fact without a question. May be repeated."
        ),
    ] = None,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Learn about the owner from this machine, each fact after a yes.

    Who commits by git, the time zone, languages, what calendars are called, how many contacts
    there are. Each fact is shown first; nothing else is stored, and nothing leaves the machine.
    """
    from gaia.ops.discovery import Machine
    from gaia.ops.discovery import discover as look

    name, new = _new_facts(user, look(Machine.here()))
    wanted = _named(keep, new) if keep else _asked(new, as_json=as_json)
    kept = _keep(user, wanted)
    runs = bool(kept) and wake()
    if as_json:
        facts = [
            {"key": each.key, "text": each.text, "source": each.source, "kept": each in wanted}
            for each in new
        ]
        echo_json({"user": name, "facts": facts, "running": runs})
    elif not new:
        say(
            f"There is nothing here that is not in the memory of {name}: "
            "'gaia memory list' shows it."
        )
    else:
        say(f"Kept {counted_memories(kept)} in the memory of {name}.")


def _new_facts(user: str | None, found: Sequence[Fact]) -> tuple[str, Sequence[Fact]]:
    """The facts that the owner's memory does not hold yet."""
    from gaia.memory import rows
    from gaia.store.people.identities import Role

    def read(session: Session, owner: User) -> tuple[str, Sequence[Fact]]:
        if owner.role is not Role.OWNER:
            raise typer.BadParameter(
                f"{owner.name} is no owner of gaia: what this machine tells is of its owner",
                param_hint="--user",
            )
        new = [each for each in found if not rows.same(session, owner.user_id, _statement(each))]
        return owner.name, new

    return read_memory(user, read)


def _named(keys: Collection[str], new: Sequence[Fact]) -> Sequence[Fact]:
    unknown = set(keys) - {each.key for each in new}
    if unknown:
        there = ", ".join(each.key for each in new) or "nothing"
        raise typer.BadParameter(
            f"{', '.join(sorted(unknown))} is not among what was found: {there}",
            param_hint="--keep",
        )
    return [each for each in new if each.key in keys]


def _asked(new: Sequence[Fact], *, as_json: bool) -> Sequence[Fact]:
    """Those that the owner says yes to, one after the other."""
    if as_json or not new:
        return ()
    if not sys.stdin.isatty():
        for each in new:
            say(f"{each.key}: {shown_line(each.text)} ({each.source})")
        raise typer.BadParameter(
            "nobody can be asked here: name each fact that is to be kept", param_hint="--keep"
        )
    return [
        each
        for each in new
        if typer.confirm(f"{shown_line(each.text)} (from {each.source}) Keep it?", default=False)
    ]


def _keep(user: str | None, wanted: Sequence[Fact]) -> int:
    from gaia.memory import ledger
    from gaia.memory.reminders import reminders
    from gaia.store.people import identities

    def change(session: Session, owner: User, now: datetime) -> int:
        for each in wanted:
            ledger.add(session, owner.user_id, _statement(each), now)
            if each.zone is not None and owner.zone is None:
                identities.set_zone(session, owner.user_id, each.zone)
                reminders.move_to_zone(session, owner.user_id, each.zone)
        return len(wanted)

    return write_memory(user, change) if wanted else 0


def _statement(fact: Fact) -> Statement:
    from gaia.memory.memory import Statement
    from gaia.store.memory_tables import MemorySource

    return Statement(fact.text, MemorySource.DISCOVERY)

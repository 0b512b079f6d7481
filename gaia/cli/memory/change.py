"""`gaia memory add`, `keep`, `pin` and `unpin`, and how a command opens the memory of one user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from gaia.cli.console import AsJson, echo_json, say
from gaia.cli.home import login_name, there_is_a_database, wake, with_database
from gaia.cli.memory.view import KindName, OfUser, shown_line

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.memory.memory import Added, Memory, Statement
    from gaia.store.engine import Database
    from gaia.store.people.identities import User

T = TypeVar("T")


def with_memory(name: str | None, action: Callable[[Database, User], Awaitable[T]]) -> T:
    """What `action` makes of the database and the user whose memory is meant.

    Raises:
        UnknownUserError: There is no such user, or none at all.
        AmbiguousUserError: No name is given, and there are several users.
    """
    from gaia.ops.queries.people import find_owner, no_users

    async def act(database: Database) -> T:
        user = await database.read(find_owner, name, login_name())
        return await action(database, user)

    return with_database(act) if there_is_a_database() else no_users(name)


def read_memory(name: str | None, action: Callable[[Session, User], T]) -> T:
    """What `action` makes of a view of the database, and the user."""

    async def act(database: Database, user: User) -> T:
        return await database.read(action, user)

    return with_memory(name, act)


def write_memory(name: str | None, action: Callable[[Session, User, datetime], T]) -> T:
    """What `action` makes of a transaction, the user and the present time."""
    from gaia.clock import SystemClock

    async def act(database: Database, user: User) -> T:
        return await database.write(action, user, SystemClock().now())

    return with_memory(name, act)


def add(
    text: Annotated[str, typer.Argument(help="The words that are to be kept, as they are.")],
    kind: Annotated[KindName, typer.Option(help="What it is.")] = KindName.FACT,
    about: Annotated[
        list[str] | None,
        typer.Option(help="Whom or what it is about, such as person:sarah. May be repeated."),
    ] = None,
    sensitive: Annotated[
        bool, typer.Option("--sensitive", help="Hide it: it is used only when searched for.")
    ] = False,
    due: Annotated[
        str,
        typer.Option(help="When it is to be said, such as 'Friday at 9'; makes it a reminder."),
    ] = "",
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Remember something, word for word. What looks like a credential is refused."""
    from gaia.memory import ledger
    from gaia.memory.memory import Statement
    from gaia.memory.people import entities
    from gaia.store.memory_tables import MemoryKind, MemorySource

    statement = Statement(
        text,
        MemorySource.USER,
        kind=MemoryKind(kind),
        sensitive=sensitive,
        entities=tuple(filter(None, map(entities.entity, about or ()))),
    )

    def change(session: Session, owner: User, now: datetime) -> tuple[str, Added]:
        said = statement
        if due or statement.kind is MemoryKind.REMINDER:
            said = _with_time(statement, due, owner.zone, now)
        return owner.name, ledger.add(session, owner.user_id, said, now)

    name, added = write_memory(user, change)
    done = f"Kept in the memory of {name} as" if added.is_new else "That is known already, as"
    _tell(done, added.memory, as_json=as_json, is_new=added.is_new)


def _with_time(statement: Statement, due: str, zone: str | None, now: datetime) -> Statement:
    """The statement as a reminder for that time.

    Raises:
        UnknownTimeError: No time to come is named.
    """
    from dataclasses import replace

    from gaia.errors import UnknownTimeError
    from gaia.memory.reminders import recurrence
    from gaia.memory.reminders import requests as reminder_words
    from gaia.store.memory_tables import MemoryKind
    from gaia.zones import zone_of

    found = reminder_words.time_named(due, now, zone_of(zone), reminder_words.MORNING)
    if found is None:
        lack = f"{due!r} names no time to come" if due else "a reminder has a time"
        raise UnknownTimeError(
            f"{lack}: give one with --due, such as 'Friday at 9', "
            "'in two hours' or 'every Monday at 8:00'"
        )
    return replace(
        statement,
        kind=MemoryKind.REMINDER,
        due_at=found.at,
        zone=found.zone,
        recurrence=recurrence.anchored(found),
    )


def keep(
    memory_id: Annotated[int, typer.Argument(help="As 'gaia memory list --pending' shows it.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Confirm a memory that gaia is not sure of."""
    from gaia.memory import pending

    def change(session: Session, owner: User, now: datetime) -> tuple[str, Memory]:
        return owner.name, pending.confirm(session, owner.user_id, memory_id, now)

    name, memory = write_memory(user, change)
    _tell(f"Kept in the memory of {name} as", memory, as_json=as_json)


def pin(
    memory_id: Annotated[int, typer.Argument(help="As 'gaia memory list' shows it.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Tell the model a memory before all others; it never expires."""
    _set_pinned(memory_id, user, pinned=True, as_json=as_json)


def unpin(
    memory_id: Annotated[int, typer.Argument(help="As 'gaia memory list' shows it.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Treat a pinned memory like others again."""
    _set_pinned(memory_id, user, pinned=False, as_json=as_json)


def _set_pinned(memory_id: int, user: str | None, *, pinned: bool, as_json: bool) -> None:
    from gaia.memory import ledger

    def change(session: Session, owner: User, now: datetime) -> Memory:
        return ledger.set_pinned(session, owner.user_id, memory_id, pinned=pinned, now=now)

    memory = write_memory(user, change)
    _tell("Pinned:" if pinned else "No longer pinned:", memory, as_json=as_json)


def _tell(done: str, memory: Memory, *, as_json: bool, **more: object) -> None:
    """Have gaia look at a memory that was changed, and tell what was done to it."""
    from gaia.ops.queries.memories import memory_report

    runs = wake()
    if as_json:
        told = memory_report(memory).model_dump(mode="json")
        echo_json({"memory": told, **more, "running": runs})
    else:
        say(f"{done} {memory.memory_id}: {shown_line(memory.text)}")

"""`gaia memory add`: keep something, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.asking import echo_json
from gaia.cli.memory.opening import write_memory
from gaia.cli.memory.options import AsJson, KindName, OfUser

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.memory.memory import Added
    from gaia.store.identities import User


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
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Keep something, word for word. What looks like a credential is refused."""
    from gaia.cli.control import wake
    from gaia.cli.memory.showing import shown_line
    from gaia.memory import entities, ledger
    from gaia.memory.memory import Statement
    from gaia.ops.queries.memories import memory_report
    from gaia.paths import find_home
    from gaia.store.memory_tables import MemoryKind, MemorySource

    statement = Statement(
        text,
        MemorySource.USER,
        kind=MemoryKind(kind),
        sensitive=sensitive,
        entities=tuple(filter(None, map(entities.entity, about or ()))),
    )

    def change(session: Session, owner: User, now: datetime) -> tuple[str, Added]:
        return owner.name, ledger.add(session, owner.user_id, statement, now)

    name, added = write_memory(user, change)
    runs = wake(find_home())
    memory = added.memory
    if as_json:
        told = memory_report(memory).model_dump(mode="json")
        echo_json({"memory": told, "is_new": added.is_new, "running": runs})
    elif added.is_new:
        typer.echo(f"Kept in the memory of {name} as {memory.memory_id}: {shown_line(memory.text)}")
    else:
        typer.echo(f"That is known already, as {memory.memory_id}: {shown_line(memory.text)}")

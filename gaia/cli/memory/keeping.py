"""`gaia memory keep`: what gaia is not sure of is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.asking import echo_json
from gaia.cli.memory.opening import write_memory
from gaia.cli.memory.options import AsJson, OfUser

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.memory.memory import Memory
    from gaia.store.identities import User


def keep(
    memory_id: Annotated[int, typer.Argument(help="As 'gaia memory list --held' shows it.")],
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Have something count that gaia is not sure of."""
    from gaia.cli.control import wake
    from gaia.cli.memory.showing import shown_line
    from gaia.memory import holding
    from gaia.ops.queries.memories import memory_report
    from gaia.paths import find_home

    def change(session: Session, owner: User, now: datetime) -> tuple[str, Memory]:
        return owner.name, holding.confirm(session, owner.user_id, memory_id, now)

    name, memory = write_memory(user, change)
    runs = wake(find_home())
    if as_json:
        echo_json({"memory": memory_report(memory).model_dump(mode="json"), "running": runs})
    else:
        typer.echo(f"Kept in the memory of {name} as {memory.memory_id}: {shown_line(memory.text)}")

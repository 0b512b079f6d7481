"""The commands of `gaia users` that let somebody in: codes, and those who ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, columns, echo_json, local_time, say
from gaia.cli.home import ask, wake, write

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.ops.queries.people import RequestReport
    from gaia.store.people.pairings import Code, Pairing
    from gaia.store.people.users import Role, User

NOT_REMOTE = "No channel is on that could take it: 'gaia setup' adds Telegram or WhatsApp."


class RoleName(StrEnum):
    """The roles of `gaia.store.people.users.Role`, without what that imports."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


@dataclass(frozen=True, slots=True)
class _Invited:
    """Who the sender of a code is: a user there is, or one to be made."""

    user: User | None
    name: str | None
    role: Role


def pair(
    name: Annotated[
        str | None, typer.Argument(help="A user, or what to call a new one. By default, the owner.")
    ] = None,
    role: Annotated[RoleName | None, typer.Option(help="What a new user may do.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a code for a user. Whoever writes it to gaia within an hour is them."""
    from gaia.store.people.pairings import new_code

    code = new_code()
    invited = write(lambda session, now: _invite(session, code, name, role, now))
    if as_json:
        told = {
            "code": code.shown,
            "user_id": invited.user.user_id if invited.user else None,
            "name": invited.name,
            "role": invited.role,
        }
        echo_json(told)
        return
    called = invited.name or "a new user, called as they call themselves"
    say(
        f"Write this code to the bot: {code.shown}\n"
        f"It is valid for an hour. Whoever writes it is {called}, {invited.role.with_article}."
    )
    if not is_remote():
        typer.echo(NOT_REMOTE)


def is_remote() -> bool:
    """Whether anybody can write from elsewhere, by the settings; yes where they have mistakes."""
    from gaia.errors import SettingsError
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    try:
        return bool(load_settings(find_home()).settings.channels.remote)
    except SettingsError:
        return True


def pending(as_json: AsJson = False) -> None:
    """List those who ask to be let in."""
    from gaia.ops.queries.people import REQUESTS
    from gaia.ops.queries.query import Everything

    answer = ask(REQUESTS, Everything())
    if as_json:
        echo_json(answer.model_dump(mode="json")["requests"])
    elif answer.requests:
        typer.echo(_as_table(answer.requests))
    else:
        say("Nobody is waiting for access: 'gaia users pair' makes a code that lets somebody in.")


def approve(
    code: Annotated[str, typer.Argument(help="The code that they were given, or their number.")],
    name: Annotated[str | None, typer.Option(help="What to call them.")] = None,
    as_user: Annotated[
        str | None, typer.Option("--as", help="The user who they are, if gaia knows them.")
    ] = None,
    role: Annotated[RoleName | None, typer.Option(help="What they may do.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let in somebody who asks, by their code or their number."""
    from gaia.core import pairing
    from gaia.ops.queries.people import user_report
    from gaia.store import audit
    from gaia.store.people import identities
    from gaia.store.people.users import Role

    if as_user is not None and (name is not None or role is not None):
        raise typer.BadParameter("a user who is known has a name and a role", param_hint="--as")

    def let_in(session: Session, now: datetime) -> tuple[User, Pairing]:
        wanted = pairing.find_request(session, code, now)
        user = pairing.approve(
            session,
            wanted,
            name=name,
            as_user=identities.find(session, as_user) if as_user else None,
            role=Role(role) if role else None,
            by=audit.CLI,
            now=now,
        )
        return user, wanted

    user, wanted = write(let_in)
    runs = wake()
    address = wanted.terms.address
    if as_json:
        told = user_report(user, (address,) if address else ())
        echo_json({**told.model_dump(mode="json"), "running": runs})
    else:
        when = "They are told now." if runs else "They are told when gaia runs."
        say(f"{address} is {user.name} now, {user.role.with_article}. {when}")


def _invite(
    session: Session, code: Code, name: str | None, role: RoleName | None, now: datetime
) -> _Invited:
    """Make the code good for whom it is meant; returns who that is."""
    from gaia.core import pairing
    from gaia.store import audit
    from gaia.store.people import identities
    from gaia.store.people.names import checked_name
    from gaia.store.people.users import Role

    if name is None and role in (None, RoleName.OWNER):
        owners = identities.owners(session)
        if len(owners) > 1:
            named = ", ".join(owner.name for owner in owners)
            raise typer.BadParameter(f"there are several owners: say which of {named}")
        owner = pairing.invite_owner(session, code, by=audit.CLI, now=now)
        return _Invited(owner, owner.name if owner else None, Role.OWNER)
    known = identities.find_named(session, name) if name else None
    if known is not None:
        if role is not None and role.value != known.role.value:
            raise typer.BadParameter(
                f"{known.name} is {known.role.with_article}: 'gaia users role' changes that",
                param_hint="--role",
            )
        pairing.invite(session, code, user=known, by=audit.CLI, now=now)
        return _Invited(known, known.name, known.role)
    new_name = checked_name(name) if name else None
    new_role = Role(role or RoleName.MEMBER)
    pairing.invite(session, code, name=new_name, role=new_role, by=audit.CLI, now=now)
    return _Invited(None, new_name, new_role)


def _as_table(requests: Sequence[RequestReport]) -> str:
    return columns(
        ("NUMBER", "NAME", "KIND", "ADDRESS", "ASKED"),
        [
            (
                str(each.number),
                each.name or "",
                "group" if each.is_group else "person",
                f"{each.channel}:{each.sender}",
                local_time(each.asked_at),
            )
            for each in requests
        ],
    )

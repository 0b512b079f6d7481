"""`gaia users`: who may talk to gaia, and from where. Works whether or not it runs.

It is read for the help of all commands, so it imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from gaia.cli.console import AsJson, columns, echo_json, say
from gaia.cli.home import ask, overwrite, wake, with_database, write
from gaia.cli.pairing import RoleName, approve, is_remote, pair, pending

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.ops.people import Undone
    from gaia.ops.queries.people import UserReport
    from gaia.store.engine import Database
    from gaia.store.people.users import User, Users

app = typer.Typer(no_args_is_help=True, help="Who may talk to gaia, and from where.")
Name = Annotated[str, typer.Argument(help="The user's name or id.")]
T = TypeVar("T")
Channel = Annotated[str, typer.Argument(help="The channel, such as terminal.")]
Sender = Annotated[str, typer.Argument(help="Who writes, as the channel names them.")]
FORMS = {
    "terminal": (r".*\S.*", "a login name"),
    "telegram": (r"-?\d+", "a number such as 512345678, as 'gaia users pending' shows it"),
    "whatsapp": (
        r"\+[0-9]{6,15}|(?=.*[A-Za-z])[\w.-]{3,}",
        "a number such as +4915112345678, with its country's code",
    ),
}
"""How each channel names who writes: an address of another form would never be met."""


def list_users(as_json: AsJson = False) -> None:
    """List all users with their roles and addresses."""

    from gaia.ops.queries.people import USERS
    from gaia.ops.queries.query import Everything

    answer = ask(USERS, Everything())
    if as_json:
        echo_json(answer.model_dump(mode="json")["users"])
    elif answer.users:
        typer.echo(_as_table(answer.users))
    else:
        say("There are no users yet: 'gaia chat' makes you the first one, the owner.")


def add(
    name: Annotated[str, typer.Argument(help="What to call them.")],
    role: Annotated[RoleName, typer.Option(help="What they may do.")] = RoleName.MEMBER,
    as_json: AsJson = False,
) -> None:
    """Add a user. They can write once an address is linked to them."""
    from gaia.ops.queries.people import user_report
    from gaia.store.people.users import Role

    user = _with_users(lambda users: users.create(name, Role(role)))
    if as_json:
        echo_json(user_report(user, ()).model_dump(mode="json"))
    else:
        say(f"Added {user.name}, {user.role.with_article}, as {user.user_id}.")
        say(_next_step(user.name))


def _next_step(name: str) -> str:
    """How somebody who was added comes to write."""
    from shlex import quote

    if is_remote():
        return f"'gaia users pair {quote(name)}' makes a code: whoever writes it is {name}."
    return (
        "No channel is on but the terminal: 'gaia setup' adds Telegram or WhatsApp, and "
        f"'gaia users link {quote(name)} terminal LOGIN' takes a login of this machine for {name}."
    )


def link(name: Name, channel: Channel, sender: Sender) -> None:
    """Let a user write from an address."""
    from gaia.messages import Address

    address = Address(_known(channel), _written(channel, sender))

    async def change(users: Users) -> User:
        user = await users.find(name)
        await users.link(user, address)
        return user

    say(f"{address} is {_with_users(change).name} now.")


def unlink(channel: Channel, sender: Sender) -> None:
    """Unlink an address from its user."""
    from gaia.messages import Address

    address = Address(channel, sender)
    _with_users(lambda users: users.unlink(address))
    wake()
    say(f"{address} is now linked to nobody.")


def undo_link(name: Name) -> None:
    """Undo what a code linked to a user last, within a day."""
    from gaia.ops.people import undo_last_link
    from gaia.store import audit
    from gaia.store.people import identities

    def undo(session: Session, now: datetime) -> Undone | None:
        user = identities.find(session, name)
        return undo_last_link(session, user.user_id, by=audit.CLI, now=now)

    undone = write(undo)
    wake()
    if undone is None:
        say(
            f"No code linked anything to {name} within a day: 'gaia users unlink' takes apart what "
            "was linked otherwise."
        )
        raise typer.Exit(1)
    addresses = ", ".join(map(str, undone.addresses))
    if undone.apart is None:
        say(f"{addresses} is now linked to nobody.")
    else:
        apart = undone.apart
        say(f"{apart.name} is apart again, {apart.role.with_article}, with {addresses}.")


def set_role(name: Name, role: Annotated[RoleName, typer.Argument(help="The new role.")]) -> None:
    """Give a user another role."""
    from gaia.store.people.users import Role

    async def change(users: Users) -> User:
        return await users.set_role(await users.find(name), Role(role))

    user = _with_users(change)
    say(f"{user.name} is {user.role.with_article} now.")


def timezone(
    name: Name,
    zone: Annotated[
        str, typer.Argument(help="A zone or a city, such as Europe/Lisbon; none to see it.")
    ] = "",
) -> None:
    """See or set the time zone of a user's reminders."""
    from gaia.zones import the_zone

    chosen = the_zone(zone) if zone else None

    async def change(users: Users) -> User:
        user = await users.find(name)
        return user if chosen is None else await users.set_zone(user, chosen)

    user = _with_users(change)
    if user.zone is None:
        say(f"{user.name} has told no time zone. Give one: a zone, or a city.")
    else:
        say(f"The time zone of {user.name} is {user.zone}.")


def remove(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a user and all that gaia keeps of them, for good."""

    async def check(users: Users) -> User:
        user = await users.find(name)
        await users.check_removable(user)
        return user

    user = _with_users(check)
    if not yes:
        typer.confirm(
            f"Remove {user.name} ({user.role}, {user.user_id}) with all conversations, for good?",
            abort=True,
        )

    async def change(database: Database) -> None:
        from gaia.ops.people import remove_person
        from gaia.paths import find_home

        await remove_person(find_home(), database, _users(database), user)

    with_database(change)
    if not wake():
        overwrite()
    say(f"Removed {user.name}.")


def _with_users(action: Callable[[Users], Awaitable[T]]) -> T:
    return with_database(lambda database: action(_users(database)))


def _users(database: Database) -> Users:
    from gaia.clock import SystemClock
    from gaia.store import audit
    from gaia.store.people.users import Users

    return Users(database, SystemClock(), by=audit.CLI)


def _known(channel: str) -> str:
    from gaia.settings.schema import ChannelsSettings

    channels = tuple(ChannelsSettings.model_fields)
    if channel not in channels:
        raise typer.BadParameter(
            f"{channel!r} is not a channel: use one of {', '.join(channels)}",
            param_hint="CHANNEL",
        )
    return channel


def _written(channel: str, sender: str) -> str:
    form, told = FORMS.get(channel, FORMS["terminal"])
    if not re.fullmatch(form, sender):
        raise typer.BadParameter(f"{sender!r} is not {told}", param_hint="SENDER")
    return sender


def _as_table(users: Sequence[UserReport]) -> str:
    return columns(
        ("NAME", "ROLE", "ADDRESSES", "ID"),
        [
            (each.name, each.role, ", ".join(map(str, each.addresses)) or "none", each.user_id)
            for each in users
        ],
    )


app.command("list")(list_users)
app.command("pending")(pending)
app.command("approve")(approve)
app.command("pair")(pair)
app.command("add")(add)
app.command("link")(link)
app.command("unlink")(unlink)
app.command("undo-link")(undo_link)
app.command("role")(set_role)
app.command("timezone")(timezone)
app.command("remove")(remove)

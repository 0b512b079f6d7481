"""`gaia users`: who may talk to gaia, and from where. Works whether or not it runs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from gaia.messages import Address
    from gaia.paths import Home
    from gaia.sessions.service import SessionStore
    from gaia.store.users import User, Users

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Who may talk to gaia, and from where.")


class RoleName(StrEnum):
    """The roles of `gaia.store.users.Role`, without what that imports."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]
Name = Annotated[str, typer.Argument(help="The user's name or id.")]
Channel = Annotated[str, typer.Argument(help="The channel, such as terminal.")]
Sender = Annotated[str, typer.Argument(help="Who writes, as the channel names them.")]


@app.command("list")
def list_users(as_json: AsJson = False) -> None:
    """List all users with their roles and addresses."""

    async def read(users: Users) -> list[tuple[User, tuple[Address, ...]]]:
        return [(user, await users.addresses(user)) for user in await users.list()]

    listed = _with_users(read) if _home().database.exists() else []
    if as_json:
        typer.echo(json.dumps([_as_json(user, has) for user, has in listed], indent=2))
    elif listed:
        typer.echo(_as_table(listed))
    else:
        typer.echo("There are no users yet: 'gaia chat' makes you the first, its owner.")


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What to call them.")],
    role: Annotated[RoleName, typer.Option(help="What they may do.")] = RoleName.MEMBER,
    as_json: AsJson = False,
) -> None:
    """Add a user. They can write once an address is linked to them."""
    from gaia.store.users import Role

    user = _with_users(lambda users: users.create(name, Role(role)))
    if as_json:
        typer.echo(json.dumps(_as_json(user, ()), indent=2))
    else:
        typer.echo(f"Added {user.name}, {_a(user.role)}, as {user.user_id}.")


@app.command()
def link(name: Name, channel: Channel, sender: Sender) -> None:
    """Let a user write from an address."""
    from gaia.messages import Address

    address = Address(_known(channel), sender)

    async def change(users: Users) -> User:
        user = await users.find(name)
        await users.link(user, address)
        return user

    typer.echo(f"{address} is {_with_users(change).name} now.")


@app.command()
def unlink(channel: Channel, sender: Sender) -> None:
    """Make an address a stranger's again."""
    from gaia.messages import Address

    address = Address(channel, sender)
    _with_users(lambda users: users.unlink(address))
    typer.echo(f"{address} belongs to nobody now.")


@app.command("role")
def set_role(name: Name, role: Annotated[RoleName, typer.Argument(help="The new role.")]) -> None:
    """Give a user another role."""
    from gaia.store.users import Role

    async def change(users: Users) -> User:
        return await users.set_role(await users.find(name), Role(role))

    user = _with_users(change)
    typer.echo(f"{user.name} is {_a(user.role)} now.")


@app.command()
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

    async def change(users: Users) -> None:
        from gaia.ops.removal import remove_person

        async with _sessions(_home()) as sessions:
            await remove_person(users, sessions, user)

    _with_users(change)
    typer.echo(f"Removed {user.name}.")


def _home() -> Home:
    from gaia.paths import find_home

    return find_home()


def _with_users(action: Callable[[Users], Awaitable[T]]) -> T:
    import asyncio

    from gaia.clock import SystemClock
    from gaia.store.opening import open_database
    from gaia.store.users import Users

    async def run() -> T:
        home = _home()
        home.create()
        database = await open_database(home)
        try:
            return await action(Users(database, SystemClock()))
        finally:
            await database.close()

    return asyncio.run(run())


@asynccontextmanager
async def _sessions(home: Home) -> AsyncIterator[SessionStore | None]:
    if not home.sessions_database.exists():
        yield None
        return
    from gaia.sessions.opening import open_sessions

    sessions = await open_sessions(home)
    try:
        yield sessions
    finally:
        await sessions.close()


def _known(channel: str) -> str:
    from gaia.settings.schema import ChannelsSettings

    channels = tuple(ChannelsSettings.model_fields)
    if channel not in channels:
        raise typer.BadParameter(
            f"{channel!r} is not a channel: use one of {', '.join(channels)}",
            param_hint="CHANNEL",
        )
    return channel


def _a(role: str) -> str:
    return f"an {role}" if role == RoleName.OWNER else f"a {role}"


def _as_json(user: User, addresses: tuple[Address, ...]) -> dict[str, object]:
    return {
        "user_id": user.user_id,
        "name": user.name,
        "role": user.role,
        "created_at": user.created_at.isoformat(),
        "addresses": [{"channel": a.channel, "sender": a.sender} for a in addresses],
    }


def _as_table(listed: list[tuple[User, tuple[Address, ...]]]) -> str:
    from gaia.cli.table import columns

    return columns(
        ("NAME", "ROLE", "ADDRESSES", "ID"),
        [
            (user.name, user.role, ", ".join(map(str, addresses)) or "none", user.user_id)
            for user, addresses in listed
        ],
    )

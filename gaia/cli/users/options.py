"""Options and words that the commands of `gaia users` share."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gaia.messages import Address
    from gaia.store.users import User


class RoleName(StrEnum):
    """The roles of `gaia.store.users.Role`, without what that imports."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]
Name = Annotated[str, typer.Argument(help="The user's name or id.")]


def user_json(user: User, addresses: tuple[Address, ...]) -> dict[str, object]:
    """A user, as a script reads it."""
    return {
        "user_id": user.user_id,
        "name": user.name,
        "role": user.role,
        "is_group": user.is_group,
        "created_at": user.created_at.isoformat(),
        "addresses": [{"channel": each.channel, "sender": each.sender} for each in addresses],
    }

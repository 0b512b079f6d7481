"""Options and words that the commands of `gaia users` share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class RoleName(StrEnum):
    """The roles of `gaia.store.users.Role`, without what that imports."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]
Name = Annotated[str, typer.Argument(help="The user's name or id.")]

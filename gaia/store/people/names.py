"""What a person may be called, and when two names are the same."""

from __future__ import annotations

import base64
import re
import secrets
import unicodedata

from gaia.errors import UserNameError

MAX_CHARACTERS = 64
USER_ID = re.compile(r"u_[a-z2-7]{26}")
NAMELESS = "Somebody"
TAKEN_FOR_SOMETHING_ELSE = {"/": "a command", "-": "an option", "@": "a mention"}


def new_user_id() -> str:
    """An opaque id of 128 random bits, so that none is ever given twice."""
    return "u_" + base64.b32encode(secrets.token_bytes(16)).decode().rstrip("=").lower()


def checked_name(name: str) -> str:
    """The name as it is stored: composed, without blanks around it.

    Raises:
        UserNameError: Nobody can be called so.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(name) <= MAX_CHARACTERS:
        raise UserNameError(
            f"the name {name!r} has {len(name)} characters: use 1 to {MAX_CHARACTERS}"
        )
    if not name.isprintable():
        raise UserNameError(f"the name {name!r} holds characters that do not print: leave them out")
    mistaken = TAKEN_FOR_SOMETHING_ELSE.get(name[0])
    if mistaken:
        raise UserNameError(f"the name {name!r} looks like {mistaken}: drop the {name[0]!r}")
    if USER_ID.fullmatch(name_key(name)):
        raise UserNameError(f"the name {name!r} looks like the id of a user: choose another")
    return name


def usable_name(wanted: str | None) -> str:
    """What is left of a name of somebody's own choice that a user can have."""
    name = unicodedata.normalize("NFC", wanted or "")
    name = "".join(char for char in " ".join(name.split()) if char.isprintable())
    name = name.lstrip("".join(TAKEN_FOR_SOMETHING_ELSE) + " ")[:MAX_CHARACTERS].strip()
    try:
        return checked_name(name)
    except UserNameError:
        return NAMELESS


def name_key(name: str) -> str:
    """Equal for names that a reader would take for the same: case and width do not count."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).strip()

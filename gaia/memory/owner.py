"""Whose memory it is: the check that stands before everything else."""

from __future__ import annotations

from gaia.errors import MissingOwnerError


def owner(user_id: str) -> str:
    """The user id as it is.

    Raises:
        MissingOwnerError: There is none.
    """
    if not isinstance(user_id, str) or not user_id.strip():
        raise MissingOwnerError(
            f"a memory was asked for with the user id {user_id!r}: name whose memory it is"
        )
    return user_id

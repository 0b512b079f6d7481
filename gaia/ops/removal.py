"""Removes a person from every file of the home."""

from __future__ import annotations

from gaia.sessions.service import SessionStore
from gaia.store.users import User, Users


async def remove_person(users: Users, sessions: SessionStore | None, user: User) -> None:
    """Remove a user and all that gaia keeps of them, for good.

    The user goes last, so that what a crash cuts short can be asked for again,
    and the sessions a second time: a turn may have begun one in between.
    `sessions` is None when there is no sessions.db.

    Raises:
        LastOwnerError: They are the only owner. Nothing is removed.
    """
    await users.check_removable(user)
    if sessions is not None:
        await sessions.delete_user(user.user_id)
    await users.remove(user)
    if sessions is not None:
        await sessions.delete_user(user.user_id)

"""Access: which user an address belongs to, and whether it may talk at all.

What becomes of the others is in `strangers`.
"""

from __future__ import annotations

import asyncio
import logging

from gaia.current import Current
from gaia.messages import Address
from gaia.settings.schema import Settings
from gaia.store.names import name_key
from gaia.store.users import Role, User, Users

logger = logging.getLogger(__name__)

TERMINAL = "terminal"
"""The channel whose senders are whoever may open gaia's private socket: the
machine's owner, under the names that they give."""


class Access:
    """Resolves addresses to users. Unknown ones are denied, except on the terminal."""

    def __init__(self, users: Users, settings: Current[Settings]) -> None:
        self._users = users
        self._settings = settings
        # Of several who come at once only one may find that there is no owner yet.
        self._one_newcomer = asyncio.Lock()

    async def is_known(self, address: Address) -> bool:
        """Whether the address belongs to a user already."""
        return await self._users.resolve(address) is not None

    async def admit(self, address: Address) -> User | None:
        """The user who writes from `address`; None for a stranger.

        On the terminal an unknown name becomes a user: the owner if there is
        none yet, otherwise a member when `access.terminal_creates_users` allows it.

        Raises:
            UserNameError: Nobody can be called what the terminal's sender is called.
        """
        user = await self._users.resolve(address)
        if user is None and address.channel == TERMINAL:
            async with self._one_newcomer:
                user = await self._admit_from_terminal(address)
        return user

    async def _admit_from_terminal(self, address: Address) -> User | None:
        users = await self._users.list()
        wanted = name_key(address.sender)
        known = next((user for user in users if name_key(user.name) == wanted), None)
        if known is not None:
            await self._users.link(known, address)
            return known
        owned = any(user.role is Role.OWNER for user in users)
        if owned and not self._settings.now.access.terminal_creates_users:
            return None
        role = Role.MEMBER if owned else Role.OWNER
        user = await self._users.create(address.sender, role, address)
        logger.info("created user %s, a %s", user.user_id, user.role)
        return user

"""Slots: how many turns run at once, over all conversations and for one user.

One user has at most half of them, however many conversations they have, so
that a person in many chats, or a slow model in one of them, holds up nobody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class Slots:
    """Lets `total` turns run at once, in the order in which they asked."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._all = asyncio.Semaphore(total)
        self._per_user = (total + 1) // 2
        self._of_user: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def taken(self, user_id: str) -> AsyncIterator[None]:
        """Hold a slot for a turn of this user while the block lasts; wait for one first."""
        own = self._of_user.get(user_id)
        if own is None:
            own = self._of_user[user_id] = asyncio.Semaphore(self._per_user)
        # A user's own limit first: who waits for that one keeps nobody waiting.
        async with own, self._all:
            yield

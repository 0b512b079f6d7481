"""`Users`: changes to users and their addresses, each a transaction of its own.

What such a change is made of is in `identities`, for those who have a
transaction already. Every change leaves a row in the audit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.ports import Clock
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.ownership import wipe_user
from gaia.store.people import departures, identities
from gaia.store.people.identities import Role, User

__all__ = ["Role", "User", "Users"]

logger = logging.getLogger(__name__)


class Users:
    """The living users of a home. A removed one is unknown to every method.

    `by` is who makes the changes, for the audit.
    """

    def __init__(self, database: Database, clock: Clock, *, by: str = audit.GAIA) -> None:
        self._database = database
        self._clock = clock
        self._by = by

    async def create(self, name: str, role: Role, address: Address | None = None) -> User:
        """A new user, with a fresh id and, in the same transaction, their first address.

        Raises:
            UserNameError: Nobody can be called so.
            UserNameTakenError: Another user has the name, in whatever case.
            AddressTakenError: The address belongs to another user.
        """
        now = self._clock.now()
        return await self._database.write(self._create, name, role, now, address)

    def _create(
        self, session: Session, name: str, role: Role, now: datetime, address: Address | None
    ) -> User:
        user = identities.create(session, name, role, now=now)
        if address is not None:
            identities.link(session, user, address, now)
        self._record(session, Action.ADDED, user.user_id, now, address=address, detail=role)
        return user

    async def find(self, name_or_id: str) -> User:
        """The user of that name, in whatever case, or of that id.

        Raises:
            UnknownUserError: There is none. The message lists near names.
        """
        return await self._database.read(identities.find, name_or_id)

    async def list(self) -> tuple[User, ...]:
        """All users, by name."""
        return await self._database.read(identities.everybody)

    async def resolve(self, address: Address) -> User | None:
        """The one user that an address belongs to, or None for a stranger."""
        return await self._database.read(identities.resolve, address)

    async def addresses(self, user: User) -> tuple[Address, ...]:
        """The addresses that belong to a user, in a fixed order."""
        return await self._database.read(identities.addresses, user.user_id)

    async def link(self, user: User, address: Address) -> None:
        """Make `address` belong to `user`. Idempotent.

        Raises:
            AddressTakenError: It belongs to another user.
        """
        now = self._clock.now()
        await self._database.write(self._link, user, address, now)

    def _link(self, session: Session, user: User, address: Address, now: datetime) -> None:
        if identities.link(session, user, address, now):
            self._record(session, Action.LINKED, user.user_id, now, address=address)

    async def unlink(self, address: Address) -> None:
        """Make `address` a stranger's, to whom nothing of its user's goes any more.

        Raises:
            UnknownAddressError: It is one already.
        """
        await self._database.write(self._unlink, address)

    def _unlink(self, session: Session, address: Address) -> None:
        user_id, now = identities.unlink(session, address), self._clock.now()
        departures.give_up(session, user_id, address, now)
        self._record(session, Action.UNLINKED, user_id, now, address=address)

    async def set_role(self, user: User, role: Role) -> User:
        """Give a user another role.

        Raises:
            LastOwnerError: They are the only owner, and would be none.
            GroupUserError: A group cannot have that role.
        """
        return await self._database.write(self._set_role, user, role)

    def _set_role(self, session: Session, user: User, role: Role) -> User:
        changed = identities.set_role(session, user, role)
        now = self._clock.now()
        self._record(session, Action.ROLE_CHANGED, user.user_id, now, detail=role)
        return changed

    async def set_zone(self, user: User, zone: str) -> User:
        """Keep a user's time zone; their reminders keep their time of day.

        Raises:
            UnknownUserError: The user has been removed.
        """
        return await self._database.write(self._set_zone, user, zone)

    def _set_zone(self, session: Session, user: User, zone: str) -> User:
        identities.living_row(session, user)
        identities.set_zone(session, user.user_id, zone)
        return identities.find(session, user.user_id)

    async def check_removable(self, user: User) -> None:
        """Return if `remove` would not refuse.

        Raises:
            LastOwnerError: They are the only owner.
        """
        await self._database.read(identities.check_not_last_owner, user)

    async def note_forgotten(self, user: User) -> None:
        """Note that no file of the home but backups holds anything of a removed user."""
        now = self._clock.now()
        await self._database.write(self._record, Action.FORGOTTEN, user.user_id, now)

    async def remove(
        self, user: User, leave: Callable[[Session, datetime], None] = lambda session, now: None
    ) -> None:
        """Remove a user and all that gaia.db holds of them, for good, but for what `leave` adds
        in the same transaction.

        What other files hold of them goes first: see `gaia.ops.people`.

        Raises:
            LastOwnerError: They are the only owner.
        """
        now = self._clock.now()
        await self._database.write(self._remove, user, now, leave)
        if not await self._database.checkpoint():
            logger.warning(
                "what was removed of user %s stays in the write-ahead log until another "
                "process lets go of the database",
                user.user_id,
            )

    def _remove(
        self,
        session: Session,
        user: User,
        now: datetime,
        leave: Callable[[Session, datetime], None],
    ) -> None:
        identities.check_not_last_owner(session, user)
        wipe_user(session, user.user_id, now)
        identities.leave_tombstone(session, user, now)
        self._record(session, Action.REMOVED, user.user_id, now)
        leave(session, now)

    def _record(
        self,
        session: Session,
        action: Action,
        user_id: str,
        now: datetime,
        *,
        address: Address | None = None,
        detail: str = "",
    ) -> None:
        audit.record(
            session, action, at=now, by=self._by, subject=user_id, address=address, detail=detail
        )

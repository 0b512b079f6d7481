"""Access: which user an address belongs to, whether it may talk at all, and how many messages
a user may write within a minute.

One too many is recorded, so that it is not taken when it comes again, and is left out. Its
sender is told once a minute. What becomes of strangers is in `strangers`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.core import notices, sentences
from gaia.core.slash import Slash
from gaia.errors import GroupUserError
from gaia.messages import Address, Inbound, ReceiptKind
from gaia.ports import Channel
from gaia.settings.schema import Settings
from gaia.store import audit, inbox, senders
from gaia.store.audit import Action
from gaia.store.conversations import Conversation
from gaia.store.people.names import name_key
from gaia.store.people.users import Role, User, Users
from gaia.store.tables import InboxState
from gaia.swappable import Swappable

logger = logging.getLogger(__name__)

TERMINAL = "terminal"
"""The channel whose senders are whoever may open gaia's private socket: the
machine's owner, under the names that they give."""

NEVER_REFUSED = "stop"
"""The command that is neither counted nor refused."""


class Access:
    """Resolves addresses to users. Unknown ones are denied, except on the terminal."""

    def __init__(self, users: Users, settings: Swappable[Settings]) -> None:
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
            GroupUserError: A group of a messenger is.
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
        if known is not None and known.is_group:
            raise GroupUserError(
                f"{known.name!r} is a group, for which nobody writes at the terminal: "
                "choose another name with 'gaia chat --user NAME'"
            )
        if known is not None:
            await self._users.link(known, address)
            return known
        owned = any(user.role is Role.OWNER for user in users)
        if owned and not self._settings.value.access.terminal_creates_users:
            return None
        role = Role.MEMBER if owned else Role.OWNER
        user = await self._users.create(address.sender, role, address)
        logger.info("created user %s, a %s", user.user_id, user.role)
        return user


class Limits:
    """Holds each user to `limits.messages_per_minute`, within the caller's transaction."""

    def __init__(self, settings: Swappable[Settings]) -> None:
        self._settings = settings

    @property
    def _messages_per_minute(self) -> int:
        return self._settings.value.limits.messages_per_minute

    def is_one_too_many(
        self, recent_messages: int, command: Slash | None, user: User, inbound: Inbound
    ) -> bool:
        """Whether a message, which may be a command, is more than its user may write at the
        moment, after so many within a minute. An owner's commands never are, nor is what a
        program writes line by line, one after the other's answer."""
        if inbound.is_piped:
            return False
        if command is not None and (command.name == NEVER_REFUSED or user.role is Role.OWNER):
            return False
        return recent_messages >= self._messages_per_minute

    def refuse(
        self,
        session: Session,
        conversation: Conversation,
        inbound: Inbound,
        channels: Mapping[str, Channel],
        now: datetime,
        *,
        is_command: bool,
    ) -> ReceiptKind:
        """Record a message as refused. It is accepted where it has an answer to deliver."""
        user_id = conversation.user_id
        is_told = not senders.was_told(session, user_id, now)
        turn_id = secrets.token_hex(5) if is_told else None
        is_new = inbox.record(
            session,
            inbound,
            conversation,
            is_command=is_command,
            now=now,
            state=InboxState.REFUSED,
            turn_id=turn_id,
        )
        if not is_new:
            return ReceiptKind.DUPLICATE
        if is_told:
            told = sentences.too_fast(self._messages_per_minute)
            notices.write(session, channels, conversation, told, now, turn_id=turn_id)
            audit.record(
                session,
                Action.RATE_LIMITED,
                at=now,
                by=audit.GAIA,
                subject=user_id,
                address=inbound.address,
            )
        return ReceiptKind.ACCEPTED if is_told else ReceiptKind.REFUSED

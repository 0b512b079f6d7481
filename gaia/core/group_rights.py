"""Who may decide for a group: an owner of gaia, or an admin of the group as its channel knows
them. Whoever is not known to be one may not."""

from __future__ import annotations

from collections.abc import Mapping

from gaia.core.slash import Caller
from gaia.messages import Address
from gaia.ports import Channel, Moderated
from gaia.store.conversations import Conversation
from gaia.store.people.users import Role, Users

REFUSED = (
    "What I know of this group belongs to all of you: only an admin of this group, or an owner of "
    "mine, may have me forget it. Please ask one of them. If you are an admin who stays "
    "anonymous here, write the command yourself: the button hides that you are one."
)
UNKNOWN = (
    "Only an admin of this group, or an owner of mine, may have me forget what I know of it, and "
    "I cannot find out whether you are one. An owner can do it with 'gaia memory forget'."
)


class GroupRights:
    """Tells who may decide for a group."""

    def __init__(self, users: Users, channels: Mapping[str, Channel]) -> None:
        self._users = users
        self._channels = channels

    async def refusal(self, caller: Caller) -> str | None:
        """Why somebody may not decide for the group in which they write; None if they may, and
        in a direct chat."""
        conversation, author = caller.conversation, caller.author
        if conversation.direct:
            return None
        if author is None:
            return UNKNOWN
        user = await self._users.resolve(Address(conversation.channel, author))
        if user is not None and user.role is Role.OWNER and not user.is_group:
            return None
        is_admin = await self._administers(conversation, author)
        if is_admin is None:
            return UNKNOWN
        return None if is_admin else REFUSED

    async def _administers(self, conversation: Conversation, author: str) -> bool | None:
        channel: object = self._channels.get(conversation.channel)
        if isinstance(channel, Moderated):
            return await channel.administers(conversation.chat, author)
        return None

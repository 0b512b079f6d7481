"""The status command: how gaia is, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.commands.registry import Call, Command
from gaia.ops import status_text
from gaia.ops.status import Status
from gaia.store import digests, inbox


def status_commands(status: Status) -> Sequence[Command]:
    """The command, on this status."""

    async def describe(call: Call) -> str:
        conversation = call.caller.conversation
        unread = await digests.counts(call.session, conversation.user_id)
        return status_text.for_chat(
            await status.report(),
            turns=conversation.session_turns,
            waiting=await inbox.waiting(call.session, conversation.conversation_id),
            to_be_read=unread.waiting,
            unreadable=unread.failed,
        )

    return (Command.at_once("status", "How I am, and what waits", describe),)

"""The status command: how gaia is, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.commands.registry import Call, Command, Run
from gaia.core.slash import Caller
from gaia.ops.report_parts import usage_status
from gaia.ops.status import Status
from gaia.ops.status_text import Own, for_chat
from gaia.store import digests, inbox, usage
from gaia.store.users import Role


def status_commands(status: Status) -> Sequence[Command]:
    """The command, on this status."""

    async def prepare(_: Caller, __: str) -> Run:
        report = await status.report()
        return lambda call: for_chat(report, _own(call))

    return (Command("status", "How I am, and what waits", prepare),)


def _own(call: Call) -> Own:
    conversation, user = call.caller.conversation, call.caller.user
    unread = digests.counts(call.session, user.user_id)
    today = call.now.astimezone().date()
    used = usage.since(call.session, today, user_id=user.user_id)
    return Own(
        turns=conversation.session_turns,
        waiting=inbox.waiting(call.session, conversation.conversation_id),
        to_be_read=unread.waiting,
        unreadable=unread.failed,
        used=next(iter(usage_status(used, {}, today)), None),
        is_owner=user.role is Role.OWNER,
    )

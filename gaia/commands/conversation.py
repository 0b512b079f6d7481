"""Commands about the conversation at hand, and the status: how gaia is, in a few lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gaia.commands.registry import Call, Command, Run, Topic
from gaia.core import sentences
from gaia.core.slash import Caller, Reply
from gaia.digest import seal
from gaia.digest.compact import compact
from gaia.digest.worker import DigestWorker
from gaia.memory.contexts import GLOBAL
from gaia.messages import TurnEnded
from gaia.ops.report_parts import usage_status
from gaia.ops.status import Status
from gaia.ops.status_text import Own, for_chat
from gaia.ports import Channel
from gaia.store import digests, inbox, incognito, stops, usage
from gaia.store.digest_tables import DigestReason
from gaia.store.people import identities
from gaia.store.people.users import Role
from gaia.text import counted, counted_turns, number_in

USUAL_KEPT = 20
MOST_KEPT = 1000
"""Messages that `/compact` leaves as they are."""

NO_LONGER_INCOGNITO = (
    "New conversation, and no longer incognito. I have kept nothing of what we said."
)

StopTurn = Callable[[str], bool]


def conversation_commands(
    stop_turn: StopTurn,
    digest_worker: DigestWorker,
    channels: Mapping[str, Channel],
    faded: Callable[[], None],
) -> Sequence[Command]:
    """The commands; `stop_turn` interrupts a turn, unless its answer is there already, and the
    channel is told what else gets none. What was said in a session that is left is for
    `digest_worker`, where gaia learns by itself, and `faded` is called once something incognito
    has gone."""

    def reset(call: Call) -> str | Reply:
        conversation = call.conversation
        if conversation.is_incognito:
            incognito.leave(call.session, conversation, after=call.caller.inbox_id, now=call.now)
            return Reply(NO_LONGER_INCOGNITO, committed=faded)
        digest_id = digest_worker.enabled and seal.seal(
            call.session, conversation, DigestReason.RESET, call.now, before=call.caller.inbox_id
        )
        if not digest_id:
            return begin_again(call)
        turns = conversation.session_turns
        said = f"last {counted(turns, 'message', 'messages')}" if turns > 1 else "last message"
        return Reply(
            f"New conversation. I will read through our {said} and tell you what I keep.",
            committed=partial(digest_worker.wake, conversation.user_id),
        )

    def compact_now(call: Call) -> str | Reply:
        kept = number_in(call.words or str(USUAL_KEPT))
        if kept is None or not 2 <= kept <= MOST_KEPT:
            return f"/compact and how many messages to keep as they are, from 2 to {MOST_KEPT}."
        if not digest_worker.enabled:
            return "gaia does not learn by itself here, so nothing would be left of the older part."
        conversation = call.conversation
        left = compact(call.session, conversation, kept, call.now, before=call.caller.inbox_id)
        if left is None:
            turns = counted_turns(conversation.session_turns)
            return f"There is nothing to compact: this conversation has {turns}."
        return Reply(
            f"I keep the last {kept} messages as they are, and read through what came before: "
            f"{counted_turns(left)}. A summary takes their place.",
            committed=partial(digest_worker.wake, conversation.user_id),
        )

    def stop(call: Call) -> Reply:
        conversation = call.conversation
        unanswered = [*stops.drop_unsent(call.session, conversation, call.now)]
        stopped = bool(unanswered)
        turn_id = stops.running_turn(call.session, conversation.conversation_id)
        if turn_id is not None and stop_turn(turn_id):
            stops.mark_running(call.session, conversation.conversation_id)
            stopped = True
        else:
            unanswered += stops.drop_waiting(
                call.session, conversation, before=call.caller.inbox_id, now=call.now
            )
            stopped = bool(unanswered)

        def committed() -> None:
            faded()
            channel = channels.get(conversation.channel)
            if unanswered and channel is not None:
                channel.watch(TurnEnded(conversation.chat, "", tuple(unanswered)))

        text = sentences.STOPPED if stopped else sentences.NOTHING_TO_STOP
        return Reply(text, committed=committed)

    return (
        Command.at_once("start", "Say hello", start),
        Command.at_once("reset", "Start a new conversation", reset, aliases=("new",)),
        Command.at_once("compact", "Summarise what came earlier", compact_now),
        Command.at_once("stop", "Interrupt the answer", stop),
        Command.at_once("whoami", "Who you are to me", whoami, topic=Topic.YOU),
    )


def start(call: Call) -> str:
    """Say hello."""
    how = "Just write to me"
    if not call.conversation.direct:
        how = "Mention me, or reply to a message of mine"
    return f"Hello {call.user.name}, I'm gaia, your assistant. {how}; /help lists my commands."


def begin_again(call: Call) -> str:
    """Move to the next session, and leave the present one as it is."""
    turns = call.conversation.session_turns
    conversation_id = call.conversation.conversation_id
    inbox.begin_next_session(call.session, conversation_id, after=call.caller.inbox_id)
    if not turns:
        return "This conversation is already new. What is on your mind?"
    return f"New conversation: I no longer see your last {counted(turns, 'message', 'messages')}."


def whoami(call: Call) -> str:
    """Tell the user what gaia knows them by."""
    user, conversation = call.user, call.conversation
    kind = "a direct chat" if conversation.direct else "a group"
    addresses = identities.addresses(call.session, user.user_id)
    return (
        f"You are {user.name}, {user.role} ({user.user_id}).\n"
        f"I know you by {', '.join(map(str, addresses)) or 'no address'}.\n"
        f"This is {kind} on {conversation.channel}, "
        f"session {conversation.generation}, {counted_turns(conversation.session_turns)} so far."
    )


def status_commands(status: Status) -> Sequence[Command]:
    """The command, on this status."""

    async def prepare(_: Caller, __: str) -> Run:
        report = await status.report()
        return lambda call: for_chat(report, _own(call))

    return (Command("status", "My status and what is pending", prepare, topic=Topic.YOU),)


def _own(call: Call) -> Own:
    conversation, user = call.conversation, call.user
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
        context="" if conversation.context == GLOBAL else conversation.context,
        is_incognito=conversation.is_incognito,
    )

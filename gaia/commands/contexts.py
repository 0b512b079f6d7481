"""/context and /incognito: where the memories of a conversation belong, and whether anything of
it is kept. Both begin a new session, so that what was said before stays where it was said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gaia.commands.registry import Call, Command
from gaia.core.slash import Reply
from gaia.digest import seal
from gaia.digest.worker import DigestWorker
from gaia.errors import UnfitMemoryError
from gaia.memory import contexts, ledger
from gaia.memory.contexts import GLOBAL
from gaia.memory.excerpts import quoted
from gaia.store import inbox
from gaia.store.digest_tables import DigestReason
from gaia.store.incognito import leave
from gaia.text import counted_memories

BACK = frozenset({"off", "none", "all", GLOBAL})
"""Words that lead out of a context."""

NO_NAME = "A context is called by one word, such as /context work. /context off leaves it."
INCOGNITO = (
    "You are incognito: I keep nothing of what we say from now on, and forget it when you leave "
    "with /incognito off or /reset. I still know what I knew about you before. My model's provider "
    "reads what you write, as ever."
)
OPEN_AGAIN = "You are no longer incognito. I have kept nothing of what we said meanwhile."


def context_commands(digest_worker: DigestWorker, faded: Callable[[], None]) -> tuple[Command, ...]:
    """The commands. What was said in the session that is left is for `digest_worker`, where
    gaia learns by itself; `faded` is called once something incognito has gone."""

    def leave_session(call: Call) -> Callable[[], None]:
        """Begin the next session; returns what is to be called once that is committed."""
        conversation = call.conversation
        is_read = digest_worker.enabled and not conversation.is_incognito
        digest_id = is_read and seal.seal(
            call.session, conversation, DigestReason.IDLE, call.now, before=call.caller.inbox_id
        )
        if digest_id:
            return partial(digest_worker.wake, conversation.user_id)
        inbox.begin_next_session(
            call.session, conversation.conversation_id, after=call.caller.inbox_id
        )
        return lambda: None

    def context(call: Call) -> str | Reply:
        if not call.words:
            return _tell(call)
        try:
            name = contexts.checked(call.words)
        except UnfitMemoryError:
            return NO_NAME
        name = GLOBAL if name in BACK else name
        conversation = call.conversation
        if name == conversation.context:
            return _tell(call)
        committed = leave_session(call)
        after = call.caller.inbox_id
        inbox.switch(call.session, conversation.conversation_id, after=after, context=name)
        if name == GLOBAL:
            text = "You have left the context: I see what is global, and nothing else."
        elif conversation.is_incognito:
            text = (
                f"Context {quoted(name)}: I see what you told me in it and what is global, and "
                "keep nothing, since you are incognito. /context off leaves it."
            )
        else:
            text = (
                f"Context {quoted(name)}: I see what you tell me in it and what is global, and "
                "keep new things in it. /context off leaves it."
            )
        return Reply(text, committed=committed)

    def incognito(call: Call) -> str | Reply:
        conversation, word = call.conversation, call.words.casefold()
        if word not in {"", "on", "off"}:
            return "/incognito, and /incognito off when you want me to remember again."
        on = word != "off"
        if on == conversation.is_incognito:
            return INCOGNITO if on else "You are not incognito."
        after = call.caller.inbox_id
        if not on:
            leave(call.session, conversation, after=after, now=call.now)
            return Reply(OPEN_AGAIN, committed=faded)
        committed = leave_session(call)
        inbox.switch(call.session, conversation.conversation_id, after=after, is_incognito=True)
        return Reply(INCOGNITO, committed=committed)

    return (
        Command.at_once("context", "Keep things apart, as /context work", context),
        Command.at_once("incognito", "Talk without being remembered", incognito),
    )


def _tell(call: Call) -> str:
    """Where the conversation is, and which contexts there are."""
    present = call.conversation.context
    counts = ledger.count_by_context(call.session, call.user_id)
    named = {name: count for name, count in counts.items() if name != GLOBAL}
    here = (
        "This conversation is in no context: I see what is global, and nothing else."
        if present == GLOBAL
        else f"This conversation is in the context {quoted(present)}. /context off leaves it."
    )
    if not named:
        return f"{here} /context work, say, keeps what you tell me then apart from the rest."
    listed = [f"/context {name} ({counted_memories(count)})" for name, count in named.items()]
    return "\n".join([here, "There are:", *listed])

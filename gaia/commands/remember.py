"""/remember keeps, /undo takes back what gaia learned last by itself, and what it says of what it
learned."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from gaia.commands.forget import cancel, forget_command
from gaia.commands.memory import memory_command
from gaia.commands.memory_text import INCOGNITO, day
from gaia.commands.registry import Call, Command, Topic
from gaia.core.slash import Caller, Reply
from gaia.digest.plain import may_be_order
from gaia.digest.undo import undo_last
from gaia.digest.write import Committed
from gaia.errors import CredentialError, UnfitMemoryError
from gaia.memory import credentials, ledger
from gaia.memory.excerpts import quoted
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.memory import Memory, Statement
from gaia.memory.search.preload import Room
from gaia.memory.search.recall import Finder
from gaia.messages import Button
from gaia.store.memory_tables import MemorySource
from gaia.text import counted_memories

Changed = Callable[[], None]
"""Called once a change of a memory is committed."""

OFF = (
    "My long-term memory is off, so I keep nothing new. The person who runs me can switch it "
    "on: memory.enabled in gaia.yaml."
)

SHOWN = 8
"""Memories of each sort that an answer lists; of more, their number."""

NOTHING = (
    "There is nothing to undo: I learned nothing from a conversation within a week, or it "
    "is already undone."
)

MOST_LINES = 8
"""Memories that are told; of the others only how many there are."""

UNDO = Button("Undo", "/undo")


def memory_commands(
    finder: Finder,
    changed: Changed,
    enabled: Callable[[], bool],
    room: Callable[[], Room],
    refusal: Callable[[Caller], Awaitable[str | None]],
    learns: Callable[[], bool],
) -> Sequence[Command]:
    """The commands; `learns` tells whether gaia learns by itself. Where memory is switched off
    nothing is kept any more, and what was kept before can still be seen and forgotten."""

    def remember(call: Call) -> Reply:
        if not enabled():
            return Reply(OFF)
        return replace(_remember(call), committed=changed)

    return (
        Command.at_once(
            "remember", "Remember something, word for word", remember, topic=Topic.MEMORY
        ),
        memory_command(finder, changed, room, learns),
        forget_command(finder, changed, refusal),
        Command.at_once("cancel", "Answer no to my last question", cancel, topic=Topic.MEMORY),
        undo_command(changed),
    )


def _remember(call: Call) -> Reply:
    if call.conversation.is_incognito:
        return Reply(INCOGNITO)
    if not call.words:
        how = "What should I keep? Write /remember and then the exact words."
        return Reply(how)
    said = Statement(
        call.words,
        MemorySource.USER,
        context=call.conversation.context,
        turn_id=call.caller.turn_id,
    )
    try:
        added = ledger.add(call.session, call.user_id, said, call.now)
    except CredentialError:
        return Reply(
            f"I won't keep that: it looks like {credentials.find(call.words)}. My memory may be "
            "read by anybody who sees this chat, and by my model's provider: use a password "
            "manager instead."
        )
    except UnfitMemoryError:
        if len(call.words) > LONGEST_MEMORY:
            return Reply(
                f"That has {len(call.words):,} characters, and one memory holds at most "
                f"{LONGEST_MEMORY:,}. Give me the essence, or several parts."
            )
        return Reply("There are no words in that for me to keep.")
    memory = added.memory
    if not added.is_new:
        return Reply(f"I have known that since {day(memory.valid_from)}: #{memory.memory_id}.")
    kept = (
        f"Kept in {call.whose} memory as #{memory.memory_id}: {quoted(memory.text)}\n"
        f"/forget {memory.memory_id} deletes it."
    )
    if not may_be_order(memory.text):
        return Reply(kept)
    button = Button("Make it a rule", f"/memory rule {memory.memory_id}")
    return Reply(f"{kept}\n{button.command} makes it a rule that I always follow.", (button,))


def undo_command(changed: Callable[[], None]) -> Command:
    """The command; `changed` is called once something is taken back."""

    def undo(call: Call) -> str | Reply:
        undone = undo_last(call.session, call.user_id, call.now)
        if undone is None:
            return NOTHING
        mine, seen = f"{call.whose} memory", call.seen
        gone = [each for each in undone.taken_back if each.context in seen]
        back = [each for each in undone.restored if each.context in seen]
        lines = [
            *_listed(f"Undone, and no longer in {mine}:", gone),
            *_listed(f"Back in {mine}:", back),
        ]
        others = len(undone.taken_back) + len(undone.restored) - len(gone) - len(back)
        if others:
            lines.append(f"Undone in other contexts: {counted_memories(others)}.")
        if not lines:
            lines = ["What I last learned is undone, except for what you said again since."]
        return Reply("\n".join(lines), committed=changed)

    return Command.at_once("undo", "Undo what I last learned", undo, topic=Topic.MEMORY)


def _listed(head: str, memories: Sequence[Memory]) -> Sequence[str]:
    if not memories:
        return ()
    lines = [f"#{each.memory_id} {quoted(each.text)}" for each in memories[:SHOWN]]
    more = len(memories) - SHOWN
    return [head, *lines, *([f"… and {more:,} more"] if more > 0 else [])]


class ChatAnnouncements:
    """The words. Implements `digest.commit.Announcements`. `next_try` tells when what could
    not be read is tried again."""

    def __init__(self, next_try: Callable[[], datetime]) -> None:
        self._next_try = next_try

    def learned(self, committed: Committed) -> Reply:
        lines = [*_changed(committed), *_new(committed)]
        unsure = _unsure(committed)
        if not lines:
            nothing = "I read through our last conversation and found nothing new to keep."
            return Reply("\n".join([nothing, *unsure]))
        told = lines[:MOST_LINES]
        if len(lines) > MOST_LINES:
            told.append(f"and {len(lines) - MOST_LINES} more: /memory")
        head = "I read through our last conversation and keep:"
        return Reply("\n".join([head, *told, *unsure, f"{UNDO.command} undoes it."]), (UNDO,))

    def unread(self, zone: tzinfo) -> Reply:
        return Reply(
            "I could not read through our last conversation yet. It is kept, and I will try again "
            f"at {self._next_try().astimezone(zone):%H:%M}. /status says what is wrong."
        )


def _changed(committed: Committed) -> Sequence[str]:
    return [
        f"#{new.memory_id} {quoted(new.text)}, replacing {quoted(old.text)}"
        for old, new in committed.replaced
    ]


def _new(committed: Committed) -> Sequence[str]:
    told = {new.memory_id for _, new in committed.replaced}
    return [
        f"#{memory.memory_id} {quoted(memory.text)}"
        for memory in committed.learned
        if memory.memory_id not in told
    ]


def _unsure(committed: Committed) -> Sequence[str]:
    if not committed.pending:
        return ()
    return [f"I am not sure of {committed.pending} more: /memory pending lists them."]

"""/remember keeps, /undo takes back what gaia learned last by itself, and what it says of what it
learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gaia.commands.forget import cancel, forget_command
from gaia.commands.memory import memory_command
from gaia.commands.memory_text import day, quoted, whose
from gaia.commands.registry import Call, Command
from gaia.core.slash import Reply
from gaia.digest.plain import may_be_order
from gaia.digest.undo import last_digest
from gaia.digest.undo import undo as take_back_digest
from gaia.digest.write import Committed
from gaia.errors import CredentialError, UnfitMemoryError
from gaia.memory import credentials, ledger
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.memory import Memory, Statement
from gaia.memory.preload import Room
from gaia.memory.recall import Finder
from gaia.messages import Button
from gaia.store.memory_tables import MemorySource

Changed = Callable[[], None]
"""Called once a change of a memory is committed."""

OFF = (
    "My long-term memory is switched off, so I keep nothing new. Whoever runs me can switch it "
    "on: memory.enabled in gaia.yaml."
)

SHOWN = 8
"""Memories of each sort that an answer lists; of more, their number."""

NOTHING = (
    "There is nothing to take back: within a week I learned nothing from a conversation, or it "
    "is taken back already."
)

MOST_LINES = 8
"""Memories that are told; of the others only how many there are."""

UNDO = Button("Undo", "/undo")


def memory_commands(
    finder: Finder,
    changed: Changed,
    enabled: Callable[[], bool],
    room: Callable[[], Room],
) -> Sequence[Command]:
    """The commands. Where memory is switched off nothing is kept any more, and what was kept
    before can still be seen and forgotten."""

    def remember(call: Call) -> Reply:
        if not enabled():
            return Reply(OFF)
        return replace(_remember(call), committed=changed)

    return (
        Command.at_once("remember", "Keep something, word for word", remember),
        memory_command(finder, changed, room),
        forget_command(finder, changed),
        Command.at_once("cancel", "Leave what I asked last as it is", cancel),
        undo_command(changed),
    )


def _remember(call: Call) -> Reply:
    if not call.words:
        how = "What shall I keep? Write /remember and then the words, as they are to be kept."
        return Reply(how)
    user_id = call.caller.user.user_id
    said = Statement(call.words, MemorySource.USER)
    try:
        added = ledger.add(call.session, user_id, said, call.now)
    except CredentialError:
        return Reply(
            f"I don't keep that: it looks like {credentials.find(call.words)}. What I know may be "
            "read by whoever sees this chat, and by my model's provider: a password manager "
            "is the place for it."
        )
    except UnfitMemoryError:
        if len(call.words) > LONGEST_MEMORY:
            return Reply(
                f"That has {len(call.words):,} characters, and one memory holds at most "
                f"{LONGEST_MEMORY:,}. Give me the essence, or several parts."
            )
        return Reply("There are no words in that to keep.")
    memory = added.memory
    if not added.is_new:
        return Reply(f"I know that already, since {day(memory.valid_from)}: #{memory.memory_id}.")
    kept = (
        f"Kept in {whose(call.caller)} memory as #{memory.memory_id}: {quoted(memory.text)}\n"
        f"/forget {memory.memory_id} makes me forget it."
    )
    if not may_be_order(memory.text):
        return Reply(kept)
    button = Button("Always follow it", f"/memory rule {memory.memory_id}")
    return Reply(f"{kept}\n{button.command} makes it a rule that I always follow.", (button,))


def undo_command(changed: Callable[[], None]) -> Command:
    """The command; `changed` is called once something is taken back."""

    def undo(call: Call) -> str | Reply:
        user_id = call.caller.user.user_id
        digest_id = last_digest(call.session, user_id, call.now)
        if digest_id is None:
            return NOTHING
        undone = take_back_digest(call.session, user_id, digest_id, call.now)
        mine = f"{whose(call.caller)} memory"
        lines = [
            *_listed(f"Taken back, and no longer in {mine}:", undone.taken_back),
            *_listed(f"In {mine} again:", undone.restored),
        ]
        if not lines:
            lines = ["What I learned last is taken back, but for what was said again since."]
        return Reply("\n".join(lines), committed=changed)

    return Command.at_once("undo", "Take back what I learned last by myself", undo)


def _listed(head: str, memories: Sequence[Memory]) -> Sequence[str]:
    if not memories:
        return ()
    lines = [f"#{each.memory_id} {quoted(each.text)}" for each in memories[:SHOWN]]
    more = len(memories) - SHOWN
    return [head, *lines, *([f"… and {more:,} more"] if more > 0 else [])]


class ChatAnnouncements:
    """The words. Implements `digest.commit.Announcements`."""

    def learned(self, committed: Committed) -> Reply:
        lines = [*_changed(committed), *_new(committed)]
        unsure = _unsure(committed)
        if not lines:
            nothing = "I read through our last conversation. There is nothing new to keep."
            return Reply("\n".join([nothing, *unsure]))
        told = lines[:MOST_LINES]
        if len(lines) > MOST_LINES:
            told.append(f"and {len(lines) - MOST_LINES} more: /memory")
        head = "I read through our last conversation, and keep:"
        return Reply("\n".join([head, *told, *unsure, f"{UNDO.command} takes it back."]), (UNDO,))

    def unread(self) -> Reply:
        return Reply(
            "I could not read through our last conversation yet. It is kept, and I try again: "
            "/status says what is wrong."
        )


def _changed(committed: Committed) -> Sequence[str]:
    return [
        f"{quoted(old.text)} holds no longer"
        if new is None
        else f"#{new.memory_id} {quoted(new.text)}, in the place of {quoted(old.text)}"
        for old, new in committed.replaced
    ]


def _new(committed: Committed) -> Sequence[str]:
    told = {new.memory_id for _, new in committed.replaced if new is not None}
    return [
        f"#{memory.memory_id} {quoted(memory.text)}"
        for memory in committed.learned
        if memory.memory_id not in told
    ]


def _unsure(committed: Committed) -> Sequence[str]:
    if not committed.pending:
        return ()
    return [f"I am not sure of {committed.pending} more: /memory pending lists them."]

"""The commands on long-term memory: /remember, /memory, /forget and /undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gaia.commands.forgetting import forget_command
from gaia.commands.memory_text import day, quoted, whose
from gaia.commands.registry import Call, Command
from gaia.commands.showing_memory import memory_command
from gaia.commands.undoing import undo_command
from gaia.core.slash import Reply
from gaia.errors import CredentialError, UnfitMemoryError
from gaia.memory import credentials, ledger
from gaia.memory.digest.certainty import may_be_order
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.memory import Statement
from gaia.memory.recall import Finder
from gaia.messages import Button
from gaia.store.memory_tables import MemorySource

Changed = Callable[[], None]
"""Called once a change of a memory is committed."""

OFF = (
    "My long-term memory is switched off, so I keep nothing new. Whoever runs me can switch it "
    "on: memory.enabled in gaia.yaml."
)


def memory_commands(
    finder: Finder, changed: Changed, enabled: Callable[[], bool]
) -> Sequence[Command]:
    """The commands. Where memory is switched off nothing is kept any more, and what was kept
    before can still be seen and forgotten."""

    def remember(call: Call) -> Reply:
        if not enabled():
            return Reply(OFF)
        return replace(_remember(call), committed=changed)

    return (
        Command.at_once("remember", "Keep something, word for word", remember),
        memory_command(finder, changed),
        forget_command(finder, changed),
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

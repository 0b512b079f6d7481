"""/undo: takes back what gaia learned last by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gaia.commands.memory_text import quoted, whose
from gaia.commands.registry import Call, Command
from gaia.core.slash import Reply
from gaia.memory.digest import undoing
from gaia.memory.memory import Memory

SHOWN = 8
"""Memories of each sort that an answer lists; of more, their number."""

NOTHING = (
    "There is nothing to take back: within a week I learned nothing from a conversation, or it "
    "is taken back already."
)


def undo_command(changed: Callable[[], None]) -> Command:
    """The command; `changed` is called once something is taken back."""

    def undo(call: Call) -> str | Reply:
        user_id = call.caller.user.user_id
        digest_id = undoing.last_digest(call.session, user_id, call.now)
        if digest_id is None:
            return NOTHING
        undone = undoing.undo(call.session, user_id, digest_id, call.now)
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

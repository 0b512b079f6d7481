"""What a user is told of what gaia made of a conversation that they left."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.commands.memory_text import quoted
from gaia.core.slash import Reply
from gaia.memory.digest.writer import Committed
from gaia.messages import Button

MOST_LINES = 8
"""Memories that are told; of the others only how many there are."""

UNDO = Button("Undo", "/undo")


class Announcing:
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
    if not committed.held:
        return ()
    return [f"I am not sure of {committed.held} more: /memory held shows what."]

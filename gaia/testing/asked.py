"""What a user said to a model, without what gaia adds to it."""

from __future__ import annotations

CONTEXT_FENCE = "<context>"
"""Opens the block that gaia appends to a user's message: time, due items, memories."""


def user_text(text: str) -> str:
    """Return what the user wrote: `text` up to the fenced context block, trimmed."""
    said, fence, _ = text.rpartition(CONTEXT_FENCE)
    return said.strip() if fence else text.strip()

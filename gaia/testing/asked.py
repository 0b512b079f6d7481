"""What a user said to a model, without what gaia adds to it."""

from __future__ import annotations

import re

_CONTEXT_BLOCK = re.compile(r"(?:\A|\n)<context>\n.*</context>\s*\Z", re.DOTALL)


def user_text(text: str) -> str:
    """Return what the user wrote: `text` without the fenced block that gaia
    appends (time, due items, memories), trimmed."""
    return _CONTEXT_BLOCK.sub("", text).strip()

"""What was said and is not learned from yet: a conversation is read when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.commands.registry import Call
from gaia.digest.extractive import worth_choosing
from gaia.digest.plain import tells_of_oneself
from gaia.memory.contexts import visible
from gaia.memory.excerpts import quoted
from gaia.store import archive

MOST_TURNS = 50
MOST_SENTENCES = 8
"""The last ones, in both."""

HEAD = "You told me this, and I keep what matters of it once our conversation is over:"


def unread_lines(call: Call) -> Sequence[str]:
    """The sentences in which somebody told of themselves since a conversation of theirs was last
    read; none where there are none."""
    conversation = call.caller.conversation
    seen = visible(conversation.context)
    turns = archive.unread(call.session, call.caller.user.user_id, seen, MOST_TURNS)
    told = worth_choosing(turns, in_group=not conversation.direct)
    lines = [each.by_sender(quoted(each.text)) for each in told if tells_of_oneself(each.text)]
    return [HEAD, *lines[-MOST_SENTENCES:]] if lines else []

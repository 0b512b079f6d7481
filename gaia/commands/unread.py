"""What was said and is not learned from yet: a conversation is read when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from gaia.commands.registry import Call
from gaia.digest.extractive import statements, worth_keeping
from gaia.digest.sentences import Sentence
from gaia.memory.excerpts import quoted
from gaia.memory.text import content_terms
from gaia.store import archive, forgets

WITHIN = timedelta(days=7)
MOST_TURNS = 50
MOST_JUDGED = 40
"""The last sentences that are looked at: each takes some milliseconds, for which others wait."""

MOST_SENTENCES = 8
"""The last ones, in both."""

HEAD = "You told me this, and I keep what matters of it once our conversation is over:"


def unread_lines(call: Call) -> Sequence[str]:
    """The sentences worth keeping that somebody said since a conversation of theirs was last
    read; none where there are none."""
    told = worth_keeping(_unread(call)[-MOST_JUDGED:])
    lines = [each.by_sender(quoted(each.text)) for each in told[-MOST_SENTENCES:]]
    return [HEAD, *lines] if lines else []


def unread_like(call: Call, words: str) -> str:
    """The unread sentence that has most words in common with these, the last of several; empty
    where none has one."""
    sought = content_terms(words)
    shared = [(len(sought & content_terms(each.text)), each.text) for each in _unread(call)]
    most = max((count for count, _ in shared), default=0)
    return next((text for count, text in reversed(shared) if count == most), "") if most else ""


def _unread(call: Call) -> Sequence[Sentence]:
    conversation, user_id = call.conversation, call.user_id
    if forgets.mark(call.session, user_id) is None:
        # What is being forgotten may be among it.
        return ()
    turns = archive.unread(call.session, user_id, call.now - WITHIN, call.seen, MOST_TURNS)
    return statements(turns, in_group=not conversation.direct)

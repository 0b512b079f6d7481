"""Corrections: what a user took back by editing a message is not learned from.

The archive keeps it as something that was said, but no longer among the user's own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from gaia.core.message_text import own_words
from gaia.memory.archive import archive_terms
from gaia.messages import Inbound
from gaia.store import archive, digests, edits
from gaia.store.archive import MESSAGE_BREAK
from gaia.store.conversations import Conversation
from gaia.store.digest_tables import DigestState
from gaia.store.inbox import Message


def take_back(session: Session, inbound: Inbound, conversation: Conversation) -> None:
    """Take what a recorded correction replaces out of the words of its turn, within the
    caller's transaction. A turn that has not come to its end is kept without them."""
    replaced = edits.note_correction(session, inbound)
    if replaced is None or replaced.turn_id is None:
        return
    turn = archive.of_turn(session, replaced.turn_id)
    if turn is None:
        return
    words = without(turn.words, [replaced.message], in_group=not conversation.direct)
    corrected = replace(turn, words=words)
    archive.rewrite(session, corrected, archive_terms(corrected))
    for digest in digests.under_way_of(session, turn.user_id):
        # What was read of its session, and is not yet written, is read again.
        if digest.session_id == turn.session_id and digest.state is not DigestState.COMMITTED:
            digests.read_again(session, digest.digest_id)


def without(words: str, messages: Sequence[Message], *, in_group: bool) -> str:
    """The words of a turn without some of its messages; nothing of them where one does not
    stand among them as a whole: it may be a part of a longer text."""
    between = "\n" if in_group else MESSAGE_BREAK
    for message in messages:
        said = own_words([message], in_group=in_group)
        whole = f"{between}{words}{between}"
        if said and f"{between}{said}{between}" not in whole:
            return ""
        words = whole.replace(f"{between}{said}{between}", between, 1).strip(between)
    return words

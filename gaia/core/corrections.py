"""Corrections: what a user took back by editing a message is not learned from.

The archive keeps it as something that was said, but no longer among the user's own words.
An edit that changes no word, as providers tell of links, corrects nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from gaia.core.message_text import own_words
from gaia.lru import LruCache
from gaia.memory.archive import archive_terms
from gaia.messages import Inbound
from gaia.store import archive, digests, edits
from gaia.store.archive import MESSAGE_BREAK
from gaia.store.conversations import Conversation
from gaia.store.digest_tables import DigestState
from gaia.store.inbox import Message

MOST_MESSAGES = 1000


class LastWords:
    """What messages said last, as hashes, in memory alone: nothing else is left of an incognito
    one, or of one that was forgotten, by which an edit could be told to change no word of it."""

    def __init__(self) -> None:
        self._said = LruCache[tuple[str, str], int](MOST_MESSAGES)

    def are_repeated(self, inbound: Inbound) -> bool:
        """Whether it is an edit that says what the message said."""
        return inbound.edit_of is not None and self._said.get(_name(inbound)) == _hash(inbound)

    def note(self, inbound: Inbound) -> None:
        """Keep what a message says that is committed."""
        self._said.put(_name(inbound), _hash(inbound))


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


def _name(inbound: Inbound) -> tuple[str, str]:
    return inbound.address.channel, inbound.edit_of or inbound.provider_message_id


def _hash(inbound: Inbound) -> int:
    return hash((inbound.text, *edits.about(inbound.attachments)))

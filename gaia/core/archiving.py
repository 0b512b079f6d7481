"""What the archive keeps of a turn that came to its end, answered or stopped."""

from __future__ import annotations

from gaia.core.outcome import Outcome
from gaia.core.told import own_words, told
from gaia.store.archive import Ended
from gaia.store.batches import Batch
from gaia.store.sessions import SessionKey
from gaia.store.tables import InboxState

ENDS = (InboxState.DONE, InboxState.STOPPED)
"""How a turn ends that was part of the conversation. Of others the session holds nothing."""

ROOM = 2
"""How many times the characters of the longest message each text may have: there are
notes beside the words, and names. What is longer comes from a model that ran wild, or
from a burst that was stopped before anybody looked at its length."""


def ended(
    key: SessionKey, batch: Batch, outcome: Outcome, *, in_group: bool, longest_message: int
) -> Ended:
    """A turn for the archive, as one of the session `key`."""
    longest = ROOM * longest_message
    return Ended(
        turn_id=batch.turn_id,
        user_id=key.user_id,
        conversation_id=batch.conversation_id,
        session_id=key.session_id,
        asked=_bounded(told(batch.messages, in_group=in_group), longest),
        words=_bounded(own_words(batch.messages, in_group=in_group), longest),
        answer=_bounded(outcome.answer, longest),
        said_at=batch.sent_at,
    )


def _bounded(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"

"""Edits that change no words. Telegram tells of an edit for a reaction as well, or for a
photo that was cropped; answering those would be answering nothing.

Only what was seen since the start is known: an edit of an older message counts.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

from gaia.messages import Inbound

MESSAGES_KEPT = 5000


class LastWords:
    """What the last messages said, as far as to tell whether an edit says anything else."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, bytes] = OrderedDict()

    def said(self, inbound: Inbound) -> None:
        """Keep in mind what a message says now."""
        name = inbound.edit_of or inbound.provider_message_id
        self._digests[name] = _digest(inbound.text)
        self._digests.move_to_end(name)
        if len(self._digests) > MESSAGES_KEPT:
            self._digests.popitem(last=False)

    def are_those_of(self, inbound: Inbound) -> bool:
        """Whether an edit leaves the words as they were."""
        return inbound.edit_of is not None and (
            self._digests.get(inbound.edit_of) == _digest(inbound.text)
        )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()

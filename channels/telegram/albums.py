"""Albums in groups. Telegram delivers each part of one as a message of its own, and
only one of them has the caption that mentions the bot: it speaks for all.

What is overheard before that stays in memory for a while. If gaia ends in between,
the album has lost those parts; the one with the words is never lost.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from gaia.messages import Inbound

ALBUMS_KEPT = 200

_Key = tuple[str, str | None]


class Albums:
    """The last albums of groups: what was overheard of them, and which are for the bot."""

    def __init__(self) -> None:
        self._overheard: OrderedDict[_Key, list[Inbound]] = OrderedDict()
        self._addressed: OrderedDict[_Key, None] = OrderedDict()

    def overhear(self, part: Inbound) -> None:
        """Keep a part until another one may show that the album is for the bot."""
        self._overheard.setdefault(_key(part), []).append(part)
        if len(self._overheard) > ALBUMS_KEPT:
            self._overheard.popitem(last=False)

    def addressed(self, part: Inbound) -> Sequence[Inbound]:
        """A part is for the bot, and with it those that were overheard, which this returns."""
        if part.direct or part.album is None:
            return ()
        self._addressed[_key(part)] = None
        if len(self._addressed) > ALBUMS_KEPT:
            self._addressed.popitem(last=False)
        return self._overheard.get(_key(part), ())

    def is_addressed(self, part: Inbound) -> bool:
        """Whether another part of its album was for the bot."""
        return _key(part) in self._addressed


def _key(part: Inbound) -> _Key:
    return part.chat, part.album

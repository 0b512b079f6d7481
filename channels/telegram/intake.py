"""The way in, for polling and webhook alike: an update is read, translated and committed.

What cannot be read or translated is set aside with a line in the log, so that one odd
update never hides those behind it. The line names what the update holds and where
reading it failed, and quotes no word of it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from functools import partial

from telegram import Update

from channels.base.intake import Attempts, log_set_aside
from channels.telegram.api import Json
from channels.telegram.events import (
    AlbumPart,
    Event,
    Ignored,
    Migrated,
    Pressed,
    Unblocked,
    Written,
)
from channels.telegram.sender import SideEffects
from channels.telegram.translation import translate
from channels.telegram.words import Me
from gaia.lru import LruCache
from gaia.messages import Inbound
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

ALBUMS_KEPT = 200

_FIELD = re.compile(r"[a-z][a-z_]{0,40}")
_AlbumKey = tuple[str, str | None]


class Intake:
    """Takes updates while the channel serves `gateway` as the bot `me`."""

    def __init__(self, gateway: Gateway, me: Me, side_effects: SideEffects, clock: Clock) -> None:
        self._gateway = gateway
        self._me = me
        self._side_effects = side_effects
        self._clock = clock
        self._albums = Albums()
        self._attempts = Attempts()

    async def take(self, raw: Json) -> None:
        """Commit what an update tells.

        Raises `StoreError` when that is not possible at the moment: the update is
        to come again.
        """
        try:
            event = translate(Update.de_json(raw, None), self._me, self._clock.now())
        except Exception as exc:
            _set_aside(raw, exc)
            return
        update_id = raw.get("update_id")
        await self._attempts.commit(
            update_id if isinstance(update_id, int) else None,
            self._commit(event),
            partial(_set_aside, raw),
        )

    async def _commit(self, event: Event) -> None:
        match event:
            case Written(inbound):
                for overheard in self._albums.addressed(inbound):
                    await self._receive(overheard)
                await self._receive(inbound)
            case AlbumPart(inbound) if self._albums.is_addressed(inbound):
                await self._receive(inbound)
            case AlbumPart(inbound):
                self._albums.overhear(inbound)
            case Pressed():
                receipt = await self._gateway.receive(event.inbound)
                self._side_effects.pressed(event, receipt)
            case Migrated():
                await self._gateway.moved(event.old_chat, event.new_chat)
            case Unblocked():
                self._gateway.reachable(event.chat)
            case Ignored():
                logger.debug("an update is ignored: %s", event.reason)

    async def _receive(self, inbound: Inbound) -> None:
        self._side_effects.received(inbound, await self._gateway.receive(inbound))


def _set_aside(raw: Json, exc: Exception) -> None:
    update_id = raw.get("update_id")
    name = update_id if type(update_id) is int else "without an id"
    log_set_aside(logger, f"update {name}", exc, _fields(raw))


def _fields(raw: Json) -> list[str]:
    """Return the names of what an update holds, two levels deep, as far as they can be names."""
    found: list[str] = []
    for name, value in raw.items():
        if name == "update_id" or not _is_field(name):
            continue
        inner = value if isinstance(value, Mapping) else {}
        found.append("+".join([name, *(each for each in inner if _is_field(each))][:20]))
    return found[:20]


def _is_field(name: object) -> bool:
    return isinstance(name, str) and _FIELD.fullmatch(name) is not None


class Albums:
    """Keeps the last albums of groups: what was overheard of them, and which are for the bot.

    Telegram delivers each part of an album as a message of its own, and only one of them
    has the caption that mentions the bot: it speaks for all. What is overheard before
    that stays in memory for a while. If gaia ends in between, the album has lost those
    parts; the one with the words is never lost.
    """

    def __init__(self) -> None:
        self._overheard = LruCache[_AlbumKey, list[Inbound]](ALBUMS_KEPT)
        self._addressed = LruCache[_AlbumKey, bool](ALBUMS_KEPT)

    def overhear(self, part: Inbound) -> None:
        """Keep a part until another one may show that the album is for the bot."""
        self._overheard.put(_key(part), [*(self._overheard.get(_key(part)) or ()), part])

    def addressed(self, part: Inbound) -> Sequence[Inbound]:
        """Note that a part is for the bot, and return the parts that were overheard before."""
        if part.direct or part.album is None:
            return ()
        self._addressed.put(_key(part), True)
        return self._overheard.get(_key(part)) or ()

    def is_addressed(self, part: Inbound) -> bool:
        """Whether another part of its album was for the bot."""
        return self._addressed.get(_key(part)) is not None


def _key(part: Inbound) -> _AlbumKey:
    return part.chat, part.album

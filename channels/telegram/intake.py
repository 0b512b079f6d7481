"""The way in, for polling and webhook alike: an update is read, translated, and
handed to the core; when `take` returns it is committed, or nothing has to be.

What cannot be read or translated is set aside with a line in the log, so that one
odd update never hides those behind it. The line names what the update holds and
where reading it failed; it has no word of it.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Mapping

from telegram import Update

from channels.attempts import Attempts
from channels.telegram.addressing import Me
from channels.telegram.albums import Albums
from channels.telegram.api import Json
from channels.telegram.courtesies import Courtesies
from channels.telegram.events import (
    Event,
    Ignored,
    Migrated,
    Overheard,
    Pressed,
    Unblocked,
    Written,
)
from channels.telegram.translation import translate
from gaia.errors import StoreError
from gaia.messages import Inbound
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

_FIELD = re.compile(r"[a-z][a-z_]{0,40}")


class Intake:
    """Takes updates while the channel serves `gateway` as the bot `me`."""

    def __init__(self, gateway: Gateway, me: Me, courtesies: Courtesies, clock: Clock) -> None:
        self._gateway = gateway
        self._me = me
        self._courtesies = courtesies
        self._clock = clock
        self._albums = Albums()
        self._attempts = Attempts()

    async def take(self, raw: Json) -> None:
        """Commit what an update tells.

        Raises `StoreError` when that is not possible at the moment: the update is
        to come again.
        """
        try:
            event = self._read(raw)
        except Exception as exc:
            _set_aside(raw, exc)
            return
        try:
            await self._commit(event)
        except StoreError:
            raise
        except Exception as exc:
            self._fail(raw, exc)

    def _read(self, raw: Json) -> Event:
        return translate(Update.de_json(raw, None), self._me, self._clock.now())

    async def _commit(self, event: Event) -> None:
        match event:
            case Written(inbound):
                for overheard in self._albums.addressed(inbound):
                    await self._receive(overheard)
                await self._receive(inbound)
            case Overheard(inbound) if self._albums.is_addressed(inbound):
                await self._receive(inbound)
            case Overheard(inbound):
                self._albums.overhear(inbound)
            case Pressed():
                receipt = await self._gateway.receive(event.inbound)
                self._courtesies.pressed(event, receipt)
            case Migrated():
                await self._gateway.moved(event.old_chat, event.new_chat)
            case Unblocked():
                self._gateway.reachable(event.chat)
            case Ignored():
                logger.debug("an update is ignored: %s", event.reason)

    async def _receive(self, inbound: Inbound) -> None:
        self._courtesies.received(inbound, await self._gateway.receive(inbound))

    def _fail(self, raw: Json, exc: Exception) -> None:
        """Have the update come again, or set it aside when it did often enough."""
        update_id = raw.get("update_id")
        if self._attempts.fail(update_id if isinstance(update_id, int) else None):
            _set_aside(raw, exc)
            return
        raise StoreError(f"gaia fails at it: {type(exc).__name__}") from exc


def _set_aside(raw: Json, exc: Exception) -> None:
    """One line for the log, and where it happened. An exception's own words may be
    those of the message."""
    logger.error(
        "update %s is set aside: %s while reading %s\n%s",
        raw.get("update_id") if type(raw.get("update_id")) is int else "without an id",
        type(exc).__name__,
        ", ".join(_fields(raw)) or "nothing known",
        "".join(traceback.format_tb(exc.__traceback__)).rstrip(),
    )


def _fields(raw: Json) -> list[str]:
    """The names of what an update holds, two levels deep, as far as they can be names."""
    found: list[str] = []
    for name, value in raw.items():
        if name == "update_id" or not _is_field(name):
            continue
        inner = value if isinstance(value, Mapping) else {}
        found.append("+".join([name, *(each for each in inner if _is_field(each))][:20]))
    return found[:20]


def _is_field(name: object) -> bool:
    return isinstance(name, str) and _FIELD.fullmatch(name) is not None

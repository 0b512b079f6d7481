"""The way in, for polling and webhook alike: an update is read, translated and committed.

What cannot be read or translated is set aside with a line in the log, so that one odd
update never hides those behind it. The line names what the update holds and where
reading it failed, and quotes no word of it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from functools import partial

from telegram import Chat, Update

from channels.base.intake import Attempts, log_set_aside
from channels.telegram.api import Json
from channels.telegram.events import (
    Event,
    Ignored,
    Migrated,
    Overheard,
    Pressed,
    Unblocked,
    Written,
)
from channels.telegram.sender import SideEffects
from channels.telegram.translation import translate
from channels.telegram.words import Me, names_another_bot
from gaia.messages import Inbound
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)

IDENTIFY_SECONDS = 60.0
"""Between two times that Telegram is asked what the bot is called."""

_FIELD = re.compile(r"[a-z][a-z_]{0,40}")


class Intake:
    """Takes updates while the channel serves `gateway` as the bot `me`, which its owner may give
    another name meanwhile: whether that is the bot that a group names, Telegram is asked."""

    def __init__(self, gateway: Gateway, me: Me, side_effects: SideEffects, clock: Clock) -> None:
        self._gateway = gateway
        self._me = me
        self._side_effects = side_effects
        self._clock = clock
        self._attempts = Attempts()
        self._identified_at = clock.monotonic()

    async def take(self, raw: Json) -> None:
        """Commit what an update tells.

        Raises `StoreError` when that is not possible at the moment: the update is
        to come again.
        """
        try:
            update = Update.de_json(raw, None)
            event = translate(update, self._me, self._clock.now())
        except Exception as exc:
            _set_aside(raw, exc)
            return
        try:
            self._mind_name(update)
        except Exception as exc:
            logger.error("whom a message names cannot be told: %s", type(exc).__name__)
        update_id = raw.get("update_id")
        await self._attempts.commit(
            update_id if isinstance(update_id, int) else None,
            self._commit(event),
            partial(_set_aside, raw),
        )

    def _mind_name(self, update: Update) -> None:
        """Have Telegram asked for the bot's name where a group names one that it is not."""
        message, now = update.message or update.edited_message, self._clock.monotonic()
        is_asked = now - self._identified_at < IDENTIFY_SECONDS
        if is_asked or message is None or message.chat.type == Chat.PRIVATE:
            return
        if names_another_bot(message, self._me):
            self._identified_at = now
            self._side_effects.identify(self._is_now)

    def _is_now(self, me: Me) -> None:
        if me != self._me:
            logger.info("the bot on Telegram is called @%s now", me.username)
        self._me = me

    async def _commit(self, event: Event) -> None:
        match event:
            case Written(inbound) | Overheard(inbound):
                await self._receive(inbound)
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

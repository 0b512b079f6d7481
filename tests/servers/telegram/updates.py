"""What the bot has yet to hear of: updates with rising ids, kept until they are confirmed."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import JsonValue

from tests.servers.changes import Changes
from tests.servers.telegram.checks import Checker
from tests.servers.telegram.refusals import Json, conflict

UNASKED = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
"""Kinds of updates that Telegram leaves out unless they are asked for."""

FIRST_ID = 1000


@dataclass(frozen=True, slots=True)
class Queued:
    """An update that waits. One that is `owed` cannot be confirmed before it was
    handed out; `once` is for what has no id to confirm it by."""

    update_id: int
    payload: JsonValue
    owed: bool = False
    once: bool = False

    @property
    def chat_id(self) -> int | None:
        """The chat that it is about, if it is about one."""
        return _chat_id(self.payload)


class UpdateQueue:
    """The updates of a bot, and the poll that waits for them."""

    def __init__(self, changes: Changes, checker: Checker) -> None:
        self.webhook_url = ""
        self.allowed: tuple[str, ...] = ()
        """The kinds that are queued, empty for all but `UNASKED`."""
        self.polls = 0
        """Polls begun so far."""
        self._changes = changes
        self._checker = checker
        self._next_id = FIRST_ID
        self._waiting: deque[Queued] = deque()
        self._confirmed: list[Queued] = []
        self._open_polls: set[int] = set()

    @property
    def next_id(self) -> int:
        return self._next_id

    @property
    def waiting(self) -> Sequence[Queued]:
        """Those that are not confirmed, oldest first, as it stands at each moment."""
        return self._waiting

    @property
    def is_polled(self) -> bool:
        """Whether a poll waits at the moment."""
        return bool(self._open_polls)

    def add(self, kind: str, content: Json) -> int | None:
        """Queue an update and return its id, or None for a kind that is not wanted.

        Raises `NotTelegramError` for what Telegram would never send.
        """
        update: Json = {"update_id": self._next_id, kind: content}
        self._checker.require(update, ["Update"], what=kind)
        if not (kind in self.allowed if self.allowed else kind not in UNASKED):
            return None
        return self._queue(Queued(self._next_id, update))

    def add_raw(self, payload: JsonValue) -> None:
        """Queue anything, unchecked. It is handed out once only, unless it is an object
        with an `update_id` that can be confirmed."""
        update_id = payload.get("update_id") if isinstance(payload, dict) else None
        if isinstance(update_id, int) and not isinstance(update_id, bool):
            self._queue(Queued(update_id, payload))
        else:
            self._queue(Queued(self._next_id, payload, once=True))

    def _queue(self, queued: Queued) -> int:
        self._next_id = max(self._next_id, queued.update_id + 1)
        self._waiting.append(queued)
        self._changes.tell()
        return queued.update_id

    async def poll(
        self, offset: int, limit: int, seconds: float, allowed: Sequence[str] | None
    ) -> list[JsonValue]:
        """Confirm what is below `offset`, and return what waits; wait for it if nothing does.

        A newer poll ends this one with 409.
        """
        if self.webhook_url:
            raise conflict(
                "can't use getUpdates method while webhook is active; "
                "use deleteWebhook to delete the webhook first"
            )
        self.polls += 1
        mine = self.polls
        self.allow(allowed)
        self._confirm(offset)
        self._open_polls.add(mine)
        self._changes.tell()
        try:
            async with asyncio.timeout(seconds):
                await self._changes.until(lambda: bool(self._waiting) or self._is_over(mine))
        except TimeoutError:
            pass
        finally:
            self._open_polls.discard(mine)
            self._changes.tell()
        if self._is_over(mine):
            raise conflict(
                "terminated by other getUpdates request; "
                "make sure that only one bot instance is running"
            )
        return self._hand_out(limit)

    def _is_over(self, poll: int) -> bool:
        return self.polls != poll or bool(self.webhook_url)

    def allow(self, allowed: Sequence[str] | None) -> None:
        """Queue these kinds from now on; None leaves it as it is."""
        if allowed is not None:
            self.allowed = tuple(allowed)

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            while len(self._waiting) > -offset:
                self._confirmed.append(self._waiting.popleft())
        while self._waiting and self._waiting[0].update_id < offset and not self._waiting[0].owed:
            self._confirmed.append(self._waiting.popleft())

    def _hand_out(self, limit: int) -> list[JsonValue]:
        handed = list(islice(self._waiting, limit))
        for _ in handed:
            self._waiting.popleft()
        kept = [dataclasses.replace(each, owed=False) for each in handed if not each.once]
        self._waiting.extendleft(reversed(kept))
        return [each.payload for each in handed]

    def confirm(self, queued: Queued) -> None:
        """Take one as delivered."""
        if queued in self._waiting:
            self._waiting.remove(queued)
            self._confirmed.append(queued)
        self._changes.tell()

    def redeliver(self, update_ids: Collection[int] | None = None) -> int:
        """Hand confirmed updates out again, all or those named; return how many."""
        chosen: list[Queued] = []
        kept: list[Queued] = []
        for each in self._confirmed:
            wanted = update_ids is None or each.update_id in update_ids
            (chosen if wanted else kept).append(each)
        self._confirmed = kept
        owed = [dataclasses.replace(each, owed=True) for each in chosen]
        self._waiting.extendleft(reversed(owed))
        self._changes.tell()
        return len(chosen)

    def drop(self) -> None:
        """Forget what waits."""
        self._waiting.clear()


def _chat_id(value: JsonValue) -> int | None:
    if not isinstance(value, dict):
        return None
    chat = value.get("chat")
    if isinstance(chat, dict) and isinstance(chat.get("id"), int):
        return int(str(chat["id"]))
    found = (_chat_id(each) for each in value.values())
    return next((each for each in found if each is not None), None)

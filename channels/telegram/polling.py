"""Long polling: updates are taken one after the other, and acknowledged once they are stored.

The library's own `Updater` is not used. Its loop ends for good when Telegram
refuses the token once; a stop waits out its pauses, of half a minute, and leaves
a commit behind that nobody waits for; timeouts are told to nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

from telegram.error import Conflict, TelegramError, TimedOut

from channels.background import within
from channels.telegram.api import Api, FloodError, Json, StatusError
from channels.telegram.condition import Condition
from channels.telegram.intake import Intake
from channels.telegram.timing import Timing
from channels.telegram.translation import ALLOWED_UPDATES
from gaia.errors import StoreError
from gaia.ports import Clock

logger = logging.getLogger(__name__)


class Poller:
    """Asks Telegram for updates, and hands them to the intake."""

    def __init__(
        self, api: Api, intake: Intake, condition: Condition, clock: Clock, timing: Timing
    ) -> None:
        self._api = api
        self._intake = intake
        self._condition = condition
        self._clock = clock
        self._timing = timing
        self._offset: int | None = None
        self._may_have_webhook = True
        self._waits = False

    async def run(self) -> None:
        """Poll until cancelled."""
        pauses = self._timing.pauses()
        while True:
            try:
                updates = await self._poll()
            except (TimedOut, TimeoutError):
                self._waits = False
                await self._judge_silence()
                await self._clock.sleep(next(pauses))
            except TelegramError as exc:
                self._condition.failed(exc)
                pause = self._pause(exc, pauses)
                self._condition.rests(pause)
                await self._clock.sleep(pause)
            else:
                self._waits = True
                self._condition.well()
                pauses = self._timing.pauses()
                await self._take(updates)

    async def _poll(self) -> Sequence[Json]:
        if self._may_have_webhook:
            # With a webhook set, Telegram refuses polls.
            await self._api.delete_webhook(drop_pending_updates=False)
            self._may_have_webhook = False
        # The first poll after a fault does not wait: its answer says that all is well.
        seconds = self._timing.poll if self._waits else 0
        polling = self._api.updates(self._offset, ALLOWED_UPDATES, seconds=seconds)
        updates = await within(self._clock, self._timing.stall, polling)
        return _checked(updates)

    async def _judge_silence(self) -> None:
        """A poll came to nothing, and not even an error came of it. If Telegram answers
        otherwise, polling is what hangs; if it does not, nobody can be asked."""
        try:
            await within(self._clock, self._timing.stall, self._api.get_me())
        except TelegramError as exc:
            self._condition.failed(exc)
        except TimeoutError:
            self._condition.stuck("Telegram answers nothing, and the requests do not end")
        else:
            self._condition.stuck("polling has stalled: a poll did not come back")

    def _pause(self, exc: TelegramError, pauses: Iterator[float]) -> float:
        """How long to wait after a poll that failed."""
        # A poll that does not wait ends the other's and is not ended by it: it proves nothing.
        self._waits = self._may_have_webhook = isinstance(exc, Conflict)
        match exc:
            case Conflict():
                return self._timing.conflict
            case FloodError():
                return exc.seconds
            case _:
                return next(pauses)

    async def _take(self, updates: Sequence[Json]) -> None:
        for update in updates:
            await self._store(update)
            self._offset = _id(update) + 1

    async def _store(self, update: Json) -> None:
        """Return once the update is stored, or need not be."""
        for pause in self._timing.pauses():
            try:
                await self._intake.take(update)
            except StoreError as exc:
                self._condition.stored(succeeded=False)
                logger.error(
                    "update %d cannot be stored, next try in %.0f s: %s", _id(update), pause, exc
                )
            else:
                self._condition.stored(succeeded=True)
                return
            await self._clock.sleep(pause)


def _checked(updates: object) -> Sequence[Json]:
    """What is an update of the answer to a poll. One with nothing but something else
    in it is a fault of the server: to take it for a good poll would mean to ask for
    the same again at once."""
    if not isinstance(updates, list):
        raise StatusError(200)
    sound = [each for each in updates if isinstance(each, dict) and _has_id(each)]
    if len(sound) < len(updates):
        logger.error("%d updates without an id are set aside", len(updates) - len(sound))
    if updates and not sound:
        raise StatusError(200)
    return sound


def _has_id(update: Mapping[str, object]) -> bool:
    update_id = update.get("update_id")
    return type(update_id) is int and update_id >= 0


def _id(update: Mapping[str, object]) -> int:
    update_id = update["update_id"]
    assert isinstance(update_id, int)
    return update_id

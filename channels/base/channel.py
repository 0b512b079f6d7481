"""The part of a channel that does not depend on the provider, and its health: whether messages
come in, and if they don't, why."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from channels.base.background import TypingIndicator
from gaia.errors import AttachmentError, UnreachableError
from gaia.messages import Attachment, Health, Outbound, TurnEvent
from gaia.ports import Clock, Gateway

logger = logging.getLogger(__name__)


class Condition:
    """Collects what polls, sends and the store report of a channel, and makes its health.

    Without a report of any kind for `stall_seconds` the channel has stalled: it neither
    works nor fails, and the health says so in the words of `stall`. None is for a channel
    that its provider calls by itself. While errors come in it is troubled and not stalled:
    gaia is not at fault then.
    """

    def __init__(
        self, provider: str, clock: Clock, *, stall_seconds: float | None, stall: str
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._stall_seconds = stall_seconds
        self._stall = stall
        self._is_serving = False
        self._trouble: str | None = None
        self._troubled_since: datetime | None = None
        self._well_at = clock.now()
        self._has_worked = False
        self._storing_fails = False
        self._heard_at = clock.monotonic()
        self._rests = False

    def begin(self) -> None:
        """Start: the channel serves, and knows nothing of its provider yet."""
        self._is_serving = True
        self._storing_fails = False
        self._trouble = f"connecting to {self._provider}"
        self._troubled_since = None
        self.expect_silence(0)

    def end(self) -> None:
        """Stop: the channel does not serve any more."""
        self._is_serving = False

    def ok(self) -> None:
        """Report that the provider answered as it should."""
        if self._troubled_since is not None:
            logger.info("%s is back: %s is over", self._provider, self._trouble)
        self._trouble = self._troubled_since = None
        self._worked()

    def unreachable(self, cause: str) -> None:
        """Report that a request that has to succeed did not, for a cause that may pass."""
        since = self._troubled_since or self._clock.now()
        self.troubled(f"{self._provider} cannot be reached since {_hour(since)}: {cause}")

    def troubled(self, trouble: str) -> None:
        """Report what is wrong, in words that the owner reads."""
        self.expect_silence(0)
        self.stalled(trouble)

    def stalled(self, trouble: str) -> None:
        """Report what is wrong as `troubled` does, without counting it as a sign of life."""
        if self._trouble != trouble:
            logger.warning("%s", trouble)
        self._troubled_since = self._troubled_since or self._clock.now()
        self._trouble = trouble

    def stored(self, *, succeeded: bool) -> None:
        """Report whether the last message that arrived could be stored."""
        self._storing_fails = not succeeded
        self.expect_silence(0)
        if succeeded:
            self._worked()

    def expect_silence(self, seconds: float) -> None:
        """Announce that no request is made for `seconds`, so that silence is no stall."""
        self._heard_at = self._clock.monotonic() + seconds

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Have nothing expected of it for as long as the block lasts: another process hears
        what people write, and this one sends alone."""
        trouble, self._trouble, self._rests = self._trouble, None, True
        try:
            yield
        finally:
            self._trouble, self._rests = self._trouble or trouble, False
            self.expect_silence(0)

    def health(self) -> Health:
        trouble = self._trouble_now()
        return Health(
            ok=not trouble,
            detail=trouble,
            worked_at=self._well_at if self._has_worked else None,
            is_stalled=self._is_stalled(),
        )

    def _is_stalled(self) -> bool:
        """Whether it serves, and reported nothing for too long. The clock never jumps, and
        stands still while the machine sleeps."""
        if not self._is_serving or self._rests or self._stall_seconds is None:
            return False
        return self._clock.monotonic() - self._heard_at > self._stall_seconds

    def _trouble_now(self) -> str:
        if not self._is_serving:
            return "not serving"
        if self._is_stalled():
            return f"{self._stall}: no answer since {_hour(self._well_at)}"
        if self._storing_fails:
            return f"messages cannot be stored, and wait at {self._provider}"
        return self._trouble or ""

    def _worked(self) -> None:
        self._well_at, self._has_worked = self._clock.now(), True
        self.expect_silence(0)


def _hour(time: datetime) -> str:
    return f"{time:%H:%M} UTC"


class Sender(Protocol):
    """Sends chunks; see `gaia.ports.Channel.send`."""

    async def send(self, outbound: Outbound) -> str: ...


class Files(Protocol):
    """Fetches the content of attachments."""

    async def fetch(self, attachment: Attachment, limit_bytes: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Service:
    """What works while a channel serves."""

    sender: Sender
    files: Files
    typing: TypingIndicator[Any]


ServiceT = TypeVar("ServiceT", bound=Service)
ConditionT = TypeVar("ConditionT", bound=Condition)


class RemoteChannel(Generic[ServiceT, ConditionT]):
    """Implements the part of `gaia.ports.Channel` that Telegram and WhatsApp have in common.

    A subclass wires its parts in `serve`, and receives within `_in_service`.
    """

    settles = True

    def __init__(self, title: str, condition: ConditionT) -> None:
        self._title = title
        self._condition = condition
        self._service: ServiceT | None = None
        self._refused_chats: set[str] = set()

    async def send(self, outbound: Outbound) -> str:
        if self._service is None:
            self._refused_chats.add(outbound.chat)
            raise UnreachableError(self._not_serving())
        return await self._service.sender.send(outbound)

    async def fetch(self, attachment: Attachment, *, limit_bytes: int) -> bytes:
        if self._service is None:
            raise AttachmentError(self._not_serving())
        return await self._service.files.fetch(attachment, limit_bytes)

    def watch(self, event: TurnEvent) -> None:
        """Show typing while a turn runs."""
        if self._service is not None:
            self._service.typing.watch(event)

    def health(self) -> Health:
        return self._condition.health()

    @asynccontextmanager
    async def _in_service(
        self, service: ServiceT, gateway: Gateway, *close: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[None]:
        """Let `service` work within the context, and call each `close` at its end.

        Chats that were refused while the channel did not serve are reachable again.
        """
        self._condition.begin()
        self._service = service
        try:
            for chat in self._refused_chats:
                gateway.reachable(chat)
            self._refused_chats.clear()
            yield
        finally:
            self._service = None
            self._condition.end()
            for each in close:
                await each()

    def _not_serving(self) -> str:
        return f"the {self._title} channel does not serve at the moment"

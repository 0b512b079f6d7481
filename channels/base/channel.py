"""The part of a channel that does not depend on the provider."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from channels.base.background import TypingIndicator
from channels.base.condition import Condition
from gaia.errors import AttachmentError, UnreachableError
from gaia.messages import Attachment, Health, Outbound, TurnEvent
from gaia.ports import Gateway


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

"""A chat provider over HTTP, and its channel: at-least-once in, one call a message out.

Updates are handed out again until a later poll confirms them, as Telegram
does. A send has no key by which the provider could recognise a copy, so that
what gaia sends twice arrives twice. Serves `tests.harness.scripted_daemon`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

import httpx
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gaia.errors import AttachmentError, PermanentSendError, RetryableSendError, UnknownSendError
from gaia.messages import REPEAT_MARK, Address, Attachment, Health, Inbound, Outbound, TurnEvent
from gaia.ports import Clock, Gateway
from tests.servers.serve import serving

POLL_SECONDS = 20.0


class Update(BaseModel):
    """A message from a person, as the provider hands it out."""

    update_id: int
    sender: str
    text: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class Delivered:
    """A message that the provider took from gaia."""

    chat: str
    outbox_id: int
    text: str


class ChatProvider:
    """The provider's side: what people wrote, and what reached them."""

    def __init__(self, clock: Clock) -> None:
        self.delivered: list[Delivered] = []
        self.events = 0
        """Polls answered and sends begun and ended so far: something to kill a daemon by."""
        self._clock = clock
        self._updates: list[Update] = []
        self._last_id = 0
        self._changed = asyncio.Condition()

    async def write(self, sender: str, text: str) -> None:
        """Have a person write a message."""
        async with self._changed:
            self._last_id += 1
            self._updates.append(
                Update(update_id=self._last_id, sender=sender, text=text, sent_at=self._clock.now())
            )
            self._changed.notify_all()

    async def until_event(self, count: int) -> None:
        """Return once `events` is at least `count`."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.events >= count)

    async def until_delivered(self, texts: Collection[str]) -> None:
        """Return once each text has been delivered, as itself or as a marked repeat."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: (
                    {each.text.removeprefix(REPEAT_MARK) for each in self.delivered} >= set(texts)
                )
            )

    def _plain_texts(self) -> set[str]:
        return {each.text.removeprefix(REPEAT_MARK) for each in self.delivered}

    def app(self) -> Starlette:
        """The provider's HTTP API."""
        return Starlette(
            routes=[
                Route("/updates", self._get_updates),
                Route("/send", self._send, methods=["POST"]),
            ]
        )

    async def _get_updates(self, request: Request) -> Response:
        offset = int(request.query_params["offset"])
        async with self._changed:
            self._updates = [each for each in self._updates if each.update_id >= offset]
            try:
                async with asyncio.timeout(POLL_SECONDS):
                    await self._changed.wait_for(lambda: bool(self._updates))
            except TimeoutError:
                return JSONResponse([])
            self._count()
            return JSONResponse([each.model_dump(mode="json") for each in self._updates])

    async def _send(self, request: Request) -> Response:
        body = await request.json()
        async with self._changed:
            self._count()
            self.delivered.append(Delivered(body["chat"], body["outbox_id"], body["text"]))
        # The message has arrived; gaia learns of it a moment later, or not at all.
        await asyncio.sleep(0)
        async with self._changed:
            self._count()
        return JSONResponse({"message_id": len(self.delivered)})

    def _count(self) -> None:
        self.events += 1
        self._changed.notify_all()


@asynccontextmanager
async def running_provider(clock: Clock) -> AsyncIterator[tuple[ChatProvider, str]]:
    """A provider on loopback, and its URL."""
    provider = ChatProvider(clock)
    async with serving(provider.app()) as url:
        yield provider, url


class PollingChannel:
    """The channel of a `ChatProvider`. Implements `gaia.ports.Channel`."""

    name = "scripted"
    settles = True
    reports = False

    def __init__(self, url: str) -> None:
        self._http = httpx.AsyncClient(base_url=url, timeout=2 * POLL_SECONDS)
        self._serving = False

    async def serve(self, gateway: Gateway) -> None:
        offset = 0
        self._serving = True
        try:
            while True:
                answer = await self._http.get("/updates", params={"offset": offset})
                for each in answer.raise_for_status().json():
                    update = Update.model_validate(each)
                    await gateway.receive(self._inbound(update))
                    offset = update.update_id + 1
        finally:
            self._serving = False

    def split(self, text: str) -> Sequence[str]:
        return (text,)

    def takes(self, media_type: str) -> bool:
        return False

    async def send(self, outbound: Outbound) -> str:
        try:
            answer = await self._http.post(
                "/send",
                json={
                    "chat": outbound.chat,
                    "outbox_id": outbound.outbox_id,
                    "text": outbound.marked_text,
                },
            )
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as exc:
            raise RetryableSendError("the provider cannot be reached") from exc
        except httpx.TransportError as exc:
            raise UnknownSendError("the provider's answer was lost") from exc
        if answer.status_code != HTTPStatus.OK:
            raise PermanentSendError(f"the provider answered {answer.status_code}")
        return str(answer.json()["message_id"])

    async def fetch(self, attachment: Attachment, *, limit_bytes: int) -> bytes:
        """This provider knows no files."""
        raise AttachmentError(f"the scripted provider has no {attachment.kind}")

    def watch(self, event: TurnEvent) -> None:
        """Nobody watches."""

    def health(self) -> Health:
        return Health(ok=self._serving)

    def _inbound(self, update: Update) -> Inbound:
        return Inbound(
            address=Address(self.name, update.sender),
            chat=update.sender,
            provider_message_id=str(update.update_id),
            text=update.text,
            sent_at=update.sent_at,
        )

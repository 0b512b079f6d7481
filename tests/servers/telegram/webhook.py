"""The webhook: each update is POSTed to the bot's URL until it answers 2xx.

Updates of one chat come one after the other, those of different chats at the same time.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import httpx

from gaia.ports import Clock
from tests.servers.changes import Changes
from tests.servers.telegram.updates import Queued, UpdateQueue

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
RETRY_SECONDS = 1.0
"""The pause after a delivery that failed, on the server's clock."""
ANSWER_SECONDS = 60.0


@dataclass(slots=True)
class Webhook:
    """How the bot wants its updates, beside the URL."""

    secret: str = ""
    connections: int = 40
    last_error: tuple[int, str] | None = None


class Pusher:
    """Delivers the updates of a queue for as long as a webhook is set."""

    def __init__(
        self, webhook: Webhook, updates: UpdateQueue, changes: Changes, clock: Clock
    ) -> None:
        self._webhook = webhook
        self._updates = updates
        self._changes = changes
        self._clock = clock
        self._busy: dict[int, int | None] = {}

    async def run(self) -> None:
        """Run until cancelled."""
        # Only this machine is called, where a certificate is worth nothing.
        http = httpx.AsyncClient(timeout=ANSWER_SECONDS, verify=False)
        async with http, asyncio.TaskGroup() as tasks:
            while True:
                await self._changes.until(lambda: self._next() is not None)
                queued = self._next()
                if queued is not None:
                    self._busy[queued.update_id] = queued.chat_id
                    tasks.create_task(self._deliver(http, queued))

    def _next(self) -> Queued | None:
        """The oldest update whose chat has none under way."""
        if not self._updates.webhook_url or len(self._busy) >= self._webhook.connections:
            return None
        taken = set(self._busy.values())
        return next((each for each in self._updates.waiting if each.chat_id not in taken), None)

    async def _deliver(self, http: httpx.AsyncClient, queued: Queued) -> None:
        try:
            if await self._is_taken(http, queued):
                self._updates.confirm(queued)
            else:
                await self._clock.sleep(RETRY_SECONDS)
        finally:
            del self._busy[queued.update_id]
            self._changes.tell()

    async def _is_taken(self, http: httpx.AsyncClient, queued: Queued) -> bool:
        headers = {"Content-Type": "application/json"}
        if self._webhook.secret:
            headers[SECRET_HEADER] = self._webhook.secret
        body = json.dumps(queued.payload)
        try:
            answer = await http.post(self._updates.webhook_url, content=body, headers=headers)
        except httpx.TransportError as exc:
            return self._failed(f"{type(exc).__name__}: {exc}")
        if not answer.is_success:
            return self._failed(
                f"Wrong response from the webhook: {answer.status_code} {answer.reason_phrase}"
            )
        return True

    def _failed(self, why: str) -> bool:
        self._webhook.last_error = (int(self._clock.now().timestamp()), why)
        return False

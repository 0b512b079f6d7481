"""A response that tells step by step how far something is, for the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gaia.ops.report import Report

Tell = Callable[[Report], None]


class Steps(Response):
    """Does `work`, and sends what that tells: a line of JSON a step, as they come. Whoever
    stops listening stops nothing."""

    media_type = "application/x-ndjson"

    def __init__(self, work: Callable[[Tell], Awaitable[None]]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        steps: asyncio.Queue[Report | None] = asyncio.Queue()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._send(steps, send))
            await self._work(steps.put_nowait)
            steps.put_nowait(None)

    async def _send(self, steps: asyncio.Queue[Report | None], send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        while (step := await steps.get()) is not None:
            body = step.model_dump_json().encode() + b"\n"
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

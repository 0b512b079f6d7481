"""Hooks: the requests of providers, handed to their channels below `/hooks/<channel>`.

Whether a request is the provider's is for the channel to tell; what anybody may
send is bounded here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from gaia.messages import HookAnswer, HookRequest
from gaia.ports import Hooked

logger = logging.getLogger(__name__)

BODY_LIMIT_BYTES = 1_000_000
"""No update of Telegram and no webhook of Twilio comes near it."""

BODIES_LIMIT_BYTES = 16 * BODY_LIMIT_BYTES
"""So much may have come of all the requests whose end has not."""

BODY_SECONDS = 15.0
"""Providers send a body at once, and give up after so long themselves."""


def hook_routes(
    find: Callable[[str], Hooked | None], *, body_seconds: float = BODY_SECONDS
) -> Sequence[BaseRoute]:
    """The route that hands requests to the channel they name, which `find` finds."""
    bodies = _Bodies(body_seconds)

    async def hand_over(request: Request) -> Response:
        channel = find(request.path_params["channel"])
        if channel is None:
            return PlainTextResponse("not found", status_code=404)
        try:
            body = await bodies.read(request)
        except _RefusedError as exc:
            # The rest is not waited for.
            return PlainTextResponse(exc.reason, exc.status, {"Connection": "close"})
        try:
            answer = await channel.hook(_hook_request(request, body))
        except Exception:
            # A provider delivers again what is not answered with success.
            logger.exception("the hook of channel %s failed", request.path_params["channel"])
            answer = HookAnswer(503)
        return Response(
            answer.body,
            status_code=answer.status,
            headers=dict(answer.headers),
            media_type=answer.media_type,
        )

    methods = ["GET", "HEAD", "POST"]
    return [
        Route("/hooks/{channel}", hand_over, methods=methods),
        Route("/hooks/{channel}/{rest:path}", hand_over, methods=methods),
    ]


def _hook_request(request: Request, body: bytes) -> HookRequest:
    return HookRequest(
        method=request.method,
        path=request.path_params.get("rest", ""),
        # Starlette's own reading of it fails at what is not UTF-8.
        query=request.scope["query_string"].decode("latin-1"),
        body=body,
        headers={name.lower(): value for name, value in request.headers.items()},
    )


class _RefusedError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class _Bodies:
    """Reads bodies, and keeps only so much of them at once and for so long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._held = 0

    async def read(self, request: Request) -> bytes:
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                async for chunk in request.stream():
                    body += chunk
                    self._held += len(chunk)
                    self._check(len(body))
        except TimeoutError:
            raise _RefusedError(408, "too slow") from None
        except ClientDisconnect:
            raise _RefusedError(400, "gone") from None
        finally:
            self._held -= len(body)
        return bytes(body)

    def _check(self, size: int) -> None:
        if size > BODY_LIMIT_BYTES:
            raise _RefusedError(413, "too large")
        if self._held > BODIES_LIMIT_BYTES:
            raise _RefusedError(503, "too much at once")

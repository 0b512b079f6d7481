"""Hooks: the requests of providers, handed to their channels below `/hooks/<channel>`.

Whether a request is the provider's is for the channel to tell; what anybody may
send is bounded here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from gaia.messages import HookAnswer, HookRequest
from gaia.ports import Hooked

logger = logging.getLogger(__name__)

BODY_LIMIT_BYTES = 1_000_000
"""No update of Telegram and no webhook of Twilio comes near it."""


def hook_routes(channels: Mapping[str, Hooked]) -> Sequence[BaseRoute]:
    """The route that hands requests to the channel they name."""

    async def hand_over(request: Request) -> Response:
        channel = channels.get(request.path_params["channel"])
        if channel is None:
            return PlainTextResponse("not found", status_code=404)
        try:
            body = await _bounded_body(request)
        except ClientDisconnect:
            return PlainTextResponse("gone", status_code=400)
        if body is None:
            return PlainTextResponse("too large", status_code=413)
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


async def _bounded_body(request: Request) -> bytes | None:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT_BYTES:
            return None
    return bytes(body)

"""The web app: health, the hooks of providers and the memory page for whoever may reach the port,
control for the local socket, metrics on a port of their own.

One set of routes is served on two listeners. What only the machine's owner may
do is in the routes of the local socket alone, so that no header or address can
open it to the network. Whether a request to a hook, below `/hooks/<channel>`, is the provider's
is for the channel to tell; what anybody may send is bounded here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from gaia.errors import StoreError
from gaia.messages import HookAnswer, HookRequest
from gaia.ops.report import Report, StatusReport
from gaia.ops.status import Status
from gaia.ports import Clock, Hooked

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
logger = logging.getLogger(__name__)

HEALTH_SECONDS = 1.0
"""How long the public port repeats what it saw last."""

BODY_LIMIT_BYTES = 1_000_000
"""No update of Telegram and no webhook of Twilio comes near it."""

BODIES_LIMIT_BYTES = 16 * BODY_LIMIT_BYTES
"""So much may have come of all the requests whose end has not."""

BODY_SECONDS = 15.0
"""Providers send a body at once, and give up after so long themselves."""


def public_app(
    status: Status,
    hooked: Callable[[str], Hooked | None],
    clock: Clock,
    routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """What the TCP listener serves: whether gaia is well, the hooks of channels, and `routes`."""
    health = public_health_route(status.report, clock)
    return Starlette(routes=[health, _ready_route(status), *hook_routes(hooked), *routes])


def public_health_route(report: Callable[[], Awaitable[StatusReport]], clock: Clock) -> Route:
    """200 while gaia serves its channels and its store, 503 otherwise, and no word of why:
    anybody may ask. However often that is, gaia looks once a second."""
    looking = asyncio.Lock()
    looked_at, is_well = -HEALTH_SECONDS, False

    async def look() -> bool:
        try:
            return _is_serving(await report())
        except StoreError:
            return False

    async def healthz(request: Request) -> Response:
        nonlocal looked_at, is_well
        async with looking:
            if clock.monotonic() - looked_at >= HEALTH_SECONDS:
                is_well, looked_at = await look(), clock.monotonic()
        state = "ok" if is_well else "failing"
        return JSONResponse({"status": state}, status_code=200 if is_well else 503)

    return Route("/healthz", healthz)


def local_app(
    status: Status, wake: Callable[[], Awaitable[None]], routes: Sequence[BaseRoute]
) -> Starlette:
    """What the local socket serves: health, status, `routes` of the channels, and
    `wake`, for a process that wrote into gaia's queues."""

    async def report(request: Request) -> Response:
        try:
            report = await status.report()
        except StoreError as exc:
            return JSONResponse({"error": str(exc)}, status_code=503)
        return reported(report)

    async def look(request: Request) -> Response:
        try:
            await wake()
        except StoreError as exc:
            return JSONResponse({"error": str(exc)}, status_code=503)
        return Response(status_code=204)

    async def leave(request: Request, exc: Exception) -> Response:
        """Whoever hung up in the middle of a request reads no answer, and is no mistake."""
        return Response(status_code=400)

    return Starlette(
        routes=[
            *_health_routes(status),
            Route("/local/status", report),
            Route("/local/wake", look, methods=["POST"]),
            *routes,
        ],
        exception_handlers={ClientDisconnect: leave},
    )


def reported(report: Report) -> Response:
    """A report as the answer to whoever asked on this machine."""
    return Response(report.model_dump_json(), media_type="application/json")


def _health_routes(status: Status) -> list[BaseRoute]:
    async def healthz(request: Request) -> Response:
        """200 while gaia serves its channels and its store, 503 otherwise. A model
        that does not answer is told, and does not make gaia unhealthy."""
        try:
            report = await status.report()
        except StoreError as exc:
            return JSONResponse(
                {"status": "failing", "degraded": {"store": str(exc)}}, status_code=503
            )
        degraded = {part.name: part.detail for part in report.degraded}
        deaf = not _is_serving(report)
        state = "failing" if deaf else "degraded" if degraded else "ok"
        return JSONResponse(
            {"status": state, "degraded": degraded}, status_code=503 if deaf else 200
        )

    return [Route("/healthz", healthz), _ready_route(status)]


def _ready_route(status: Status) -> Route:
    async def readyz(request: Request) -> Response:
        """200 once everything is started, 503 before that and while gaia stops."""
        return JSONResponse({"ready": status.ready}, status_code=200 if status.ready else 503)

    return Route("/readyz", readyz)


def _is_serving(report: StatusReport) -> bool:
    return all(channel.ok for channel in report.channels)


def metrics_app(text: Callable[[], Awaitable[bytes]]) -> Starlette:
    """Serves what `text` gives, and nothing else."""

    async def metrics(request: Request) -> Response:
        return Response(await text(), headers={"content-type": CONTENT_TYPE})

    return Starlette(routes=[Route("/metrics", metrics)])


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

"""The web app: health for whoever may reach the port, control for the local socket.

One set of routes is served on two listeners. What only the machine's owner may
do is in the routes of the local socket alone, so that no header or address can
open it to the network.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gaia.errors import StoreError
from gaia.ops.status import Status
from gaia.ports import Hooked
from gaia.web.hooks import hook_routes

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def public_app(status: Status, hooked: Callable[[str], Hooked | None]) -> Starlette:
    """What the TCP listener serves: health, and the hooks of channels."""
    return Starlette(routes=[*_health_routes(status), *hook_routes(hooked)])


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
        return Response(report.model_dump_json(), media_type="application/json")

    async def look(request: Request) -> Response:
        try:
            await wake()
        except StoreError as exc:
            return JSONResponse({"error": str(exc)}, status_code=503)
        return Response(status_code=204)

    return Starlette(
        routes=[
            *_health_routes(status),
            Route("/local/status", report),
            Route("/local/wake", look, methods=["POST"]),
            *routes,
        ]
    )


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
        deaf = not all(channel.ok for channel in report.channels)
        state = "failing" if deaf else "degraded" if degraded else "ok"
        return JSONResponse(
            {"status": state, "degraded": degraded}, status_code=503 if deaf else 200
        )

    async def readyz(request: Request) -> Response:
        """200 once everything is started, 503 before that and while gaia stops."""
        return JSONResponse({"ready": status.ready}, status_code=200 if status.ready else 503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


def metrics_app(text: Callable[[], Awaitable[bytes]]) -> Starlette:
    """Serves what `text` gives, and nothing else."""

    async def metrics(request: Request) -> Response:
        return Response(await text(), headers={"content-type": CONTENT_TYPE})

    return Starlette(routes=[Route("/metrics", metrics)])

"""The metrics, for Prometheus: an app of its own, on a port of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_app(text: Callable[[], Awaitable[bytes]]) -> Starlette:
    """Serves what `text` gives, and nothing else."""

    async def metrics(request: Request) -> Response:
        return Response(await text(), headers={"content-type": CONTENT_TYPE})

    return Starlette(routes=[Route("/metrics", metrics)])

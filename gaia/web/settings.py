"""Settings for the command line: what differs, and taking it up. On the local socket alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gaia.ops.settings_report import DIFF_PATH, RELOAD_PATH, ReloadReport


def settings_routes(
    reload: Callable[[], Awaitable[ReloadReport]], differences: Callable[[], ReloadReport]
) -> Sequence[BaseRoute]:
    """Both answer with a `ReloadReport`."""

    async def take_up(request: Request) -> Response:
        return _answer(await reload())

    async def compare(request: Request) -> Response:
        return _answer(differences())

    return (
        Route(RELOAD_PATH, take_up, methods=["POST"]),
        Route(DIFF_PATH, compare, methods=["POST"]),
    )


def _answer(report: ReloadReport) -> Response:
    return Response(report.model_dump_json(), media_type="application/json")

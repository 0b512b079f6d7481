"""What the memory page is made from, and the routes by which it is reached.

The page itself, its templates and their engine are imported with the first request: most
daemons never get one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gaia.memory.preload import Room
from gaia.memory.search import Search
from gaia.ops.report import StatusReport
from gaia.ops.wire import PAGE_PATH, PageLink, PageRequest
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store.engine import Database
from gaia.swappable import Swappable
from gaia.web.page.sign_in import LINK_SECONDS, PATH, SignIn


@dataclass(frozen=True, slots=True)
class PageParts:
    """`changed` is called once a change of a memory is committed, `room` tells how much a
    conversation begins with, `report` how gaia is."""

    database: Database
    clock: Clock
    search: Search
    settings: Swappable[Settings]
    changed: Callable[[], None]
    room: Callable[[], Room]
    report: Callable[[], Awaitable[StatusReport]]
    sign_in: SignIn

    def public_link(self, user_id: str) -> str | None:
        """A link for the user at the public address; None where none leads to the page."""
        web = self.settings.value.web
        if not web.page or not web.public_url:
            return None
        return web.public_url + self.sign_in.link(user_id)


def page_route(parts: PageParts) -> BaseRoute:
    """The page, as long as `web.page` holds."""
    app: ASGIApp | None = None

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal app
        if not parts.settings.value.web.page:
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
            return
        if app is None:
            app = await asyncio.to_thread(_load, parts)
        await app(scope, receive, send)

    return Mount(PATH, app=serve)


def page_link_route(parts: PageParts, base_url: Callable[[], str]) -> BaseRoute:
    """Answers a `PageRequest` with a `PageLink`, at the address that `base_url` gives. For the
    control socket alone."""

    async def link(request: Request) -> Response:
        try:
            asked = PageRequest.model_validate_json(await request.body())
        except ValidationError as exc:
            return JSONResponse({"error": str(exc)}, status_code=400)
        if not parts.settings.value.web.page:
            told = "the memory page is switched off: set web.page in gaia.yaml to true"
            return JSONResponse({"error": told, "exit_code": 1}, status_code=422)
        url = base_url() + parts.sign_in.link(asked.user_id)
        return Response(
            PageLink(url=url, seconds=LINK_SECONDS).model_dump_json(),
            media_type="application/json",
        )

    return Route(PAGE_PATH, link, methods=["POST"])


def _load(parts: PageParts) -> ASGIApp:
    from gaia.web.page.app import page_app

    return page_app(parts)

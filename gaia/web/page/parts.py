"""What the memory page is made from, and the routes by which it is reached.

The page itself, its templates and their engine are imported with the first request: most
daemons never get one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gaia.errors import GaiaError
from gaia.memory.search.preload import Room
from gaia.memory.search.search import Search
from gaia.ops.report import StatusReport
from gaia.ops.wire import PAGE_PATH, PageLink, PageRequest
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store import page_sessions
from gaia.store.engine import Database
from gaia.swappable import Swappable
from gaia.web.app import reported

PATH = "/page"
"""Where the page is; below it, `enter` and a token is a link."""


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

    def add_public_link(self, session: Session, user_id: str, now: datetime) -> str | None:
        """Add a link that signs the user in at the public address; None where none leads to the
        page."""
        web = self.settings.value.web
        if not web.page or not web.public_url:
            return None
        return web.public_url + add_link(session, user_id, now)


def add_link(session: Session, user_id: str, now: datetime) -> str:
    """Add a link that signs the user in, once and soon; returns its path.

    Raises:
        UnknownUserError: They have been removed.
    """
    return f"{PATH}/enter/{page_sessions.add_link(session, user_id, now)}"


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
            return _refusal("the memory page is switched off: set web.page in gaia.yaml to true")
        try:
            now = parts.clock.now()
            url = base_url() + await parts.database.write(add_link, asked.user_id, now)
        except GaiaError as exc:
            return _refusal(str(exc), exc.exit_code)
        seconds = page_sessions.LINK_VALID_FOR.total_seconds()
        return reported(PageLink(url=url, seconds=seconds))

    return Route(PAGE_PATH, link, methods=["POST"])


def _refusal(told: str, exit_code: int = 1) -> Response:
    return JSONResponse({"error": told, "exit_code": exit_code}, status_code=422)


def _load(parts: PageParts) -> ASGIApp:
    from gaia.web.page.app import page_app

    return page_app(parts)

"""The page's app: its paths, and what holds for each request before anything is shown.

A name in `Host` that is not this machine's or the public one is refused, so that no other site's
name can be made to lead here; who is not signed in reads how to be; a form that is not of the
page does nothing. What a person wrote stands in the bodies of requests and answers alone.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from urllib.parse import parse_qsl, urlsplit

from sqlalchemy.orm import Session
from starlette.applications import Starlette
from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gaia.errors import StoreError, UnknownMemoryError, UnknownUserError
from gaia.store import page_sessions
from gaia.store.page_sessions import PageSession
from gaia.store.people import identities
from gaia.store.people.identities import User
from gaia.text import number_in
from gaia.web.page import deeds, views
from gaia.web.page.parts import PATH, PageParts
from gaia.web.page.render import STATIC, Visit, render, with_status

COOKIE = "gaia_page"

LONGEST_FORM = 64_000
"""Bytes: the longest memory in any script, and what else is in a form."""

SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

View = Callable[[Visit], Awaitable[Response]]


def page_app(parts: PageParts) -> Starlette:
    """The app, to be mounted at `PATH`."""
    guard = _Guard(parts)

    def see(path: str, view: View) -> Route:
        return Route(path, guard.around(view), methods=["GET"])

    def do(path: str, view: View) -> Route:
        return Route(path, guard.around(view), methods=["POST"])

    number = "/memory/{memory_id}"
    return Starlette(
        exception_handlers={405: _led_back},
        routes=[
            Route("/enter/{token}", guard.offer, methods=["GET"]),
            Route("/enter", guard.enter, methods=["POST"]),
            do("/leave", guard.leave),
            see("/", views.memories),
            do("/", views.memories),
            see(number, views.memory),
            see("/unsure", views.unsure),
            see("/people", views.people),
            see("/episodes", views.episodes),
            see("/days", views.days),
            see("/reminders", views.reminders),
            see("/shared", views.shared_notes),
            see("/prompt", views.prompt),
            do("/prompt", views.prompt),
            see("/state", views.state),
            *(do(f"{number}/{name}", deed) for name, deed in deeds.DEEDS.items()),
            do("/forget", deeds.forget_all),
            do("/forget/yes", deeds.confirm),
            Mount("/static", app=StaticFiles(directory=STATIC)),
        ],
    )


@dataclass(frozen=True, slots=True)
class _Guard:
    parts: PageParts

    def around(self, view: View) -> Callable[[Request], Awaitable[Response]]:
        """Answer a request by `view`, if it may be."""
        return partial(self._answer, view)

    async def offer(self, request: Request) -> Response:
        """Show the button that uses a link up: who only looks at a link, as chats do to show
        what it leads to, does not."""
        if not self._is_host_known(request):
            return _wrong_host()
        return _kept(render("enter.html", token=request.path_params["token"]))

    async def enter(self, request: Request) -> Response:
        """Use a link up, and begin the session."""
        if not self._is_host_known(request):
            return _wrong_host()
        form = await _form(request)
        token = None
        if _is_same_origin(request) and form is not None:
            token = await self._session_token(form.get("token", ""))
        if token is None:
            return _kept(with_status(render("signed_out.html", why="link", typed=""), 403))
        response = _kept(RedirectResponse(f"{PATH}/", status_code=303))
        response.set_cookie(
            COOKIE,
            token,
            path=PATH,
            httponly=True,
            samesite="strict",
            secure=self._is_https(request),
        )
        return response

    async def leave(self, visit: Visit) -> Response:
        """End the session."""
        await self.parts.database.write(page_sessions.leave, _token(visit.request))
        response = render("signed_out.html", why="left", typed="")
        response.delete_cookie(COOKIE, path=PATH)
        return response

    async def _answer(self, view: View, request: Request) -> Response:
        if not self._is_host_known(request):
            return _wrong_host()
        form: Mapping[str, str] = {}
        if request.method == "POST" and _is_same_origin(request):
            form = await _form(request) or {}
        typed = form.get("text", "")
        signed_in = await self._signed_in(request)
        if signed_in is None:
            return _kept(_signed_out(request, typed))
        session, user = signed_in
        if request.method == "POST" and not session.allows(form.get("form_token", "")):
            return _kept(with_status(render("refused.html", typed=typed), 403))
        visit = Visit(self.parts, request, user, session.form_token, form)
        try:
            return _kept(await view(visit))
        except UnknownMemoryError:
            return _kept(with_status(visit.page("missing.html", typed=typed), 404))

    async def _session_token(self, link_token: str) -> str | None:
        """Use a link up: the token of the session that it begins, None if it does not work."""
        database = self.parts.database
        # Whoever guesses keeps nobody's writes waiting.
        if not await database.read(page_sessions.has_link, link_token):
            return None
        return await database.write(page_sessions.enter, link_token, self.parts.clock.now())

    async def _signed_in(self, request: Request) -> tuple[PageSession, User] | None:
        """Whose browser it is, with the session that it uses; None if nobody's."""
        database, token, now = self.parts.database, _token(request), self.parts.clock.now()
        found = await database.read(_session_and_user, token, now) if token else None
        if found is not None and not found[0].is_noted(now):
            # A disk that is full keeps nobody out: the session ends sooner by that.
            with suppress(StoreError):
                await database.write(page_sessions.note_use, token, now)
        return found

    def _is_host_known(self, request: Request) -> bool:
        name = URL(scope=request.scope).hostname or ""
        public = urlsplit(self.parts.settings.value.web.public_url).hostname
        return name in ("localhost", public) or _is_address(name)

    def _is_https(self, request: Request) -> bool:
        public = urlsplit(self.parts.settings.value.web.public_url)
        return public.scheme == "https" and public.hostname == URL(scope=request.scope).hostname


def _token(request: Request) -> str:
    return request.cookies.get(COOKIE, "")


def _session_and_user(
    session: Session, token: str, now: datetime
) -> tuple[PageSession, User] | None:
    found = page_sessions.find(session, token, now)
    if found is None:
        return None
    try:
        return found, identities.find(session, found.user_id)
    except UnknownUserError:
        return None


def _is_address(name: str) -> bool:
    """Whether it is an IP address: that no other site can be made to have."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_same_origin(request: Request) -> bool:
    """Whether the browser says that a form is of this site, as far as it says anything."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    return site == "same-origin" and origin in (None, f"http://{host}", f"https://{host}")


async def _form(request: Request) -> Mapping[str, str] | None:
    """The fields of a form; None where it is too long or none."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            return None
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict"))
    except ValueError:
        return None


def _signed_out(request: Request, typed: str) -> Response:
    response = with_status(render("signed_out.html", why="over", typed=typed), 403)
    if "hx-request" in request.headers:
        # What stands around the part that was asked for is of no use either.
        response.headers["HX-Redirect"] = f"{PATH}/"
    return response


async def _led_back(request: Request, _: Exception) -> Response:
    """Lead who loads the address of a form again to the page that has the form."""
    number = number_in(request.path_params.get("memory_id", ""))
    return _kept(RedirectResponse(f"{PATH}/{f'memory/{number}' if number else ''}", 303))


def _wrong_host() -> Response:
    told = "This address is not one of gaia's: open the page as 'gaia memory page' says.\n"
    return _kept(PlainTextResponse(told, 421))


def _kept(response: Response) -> Response:
    """With the headers by which nobody else's script, frame or cache gets at it."""
    for name, value in SECURITY.items():
        response.headers[name] = value
    response.headers["Cache-Control"] = "no-store"
    return response

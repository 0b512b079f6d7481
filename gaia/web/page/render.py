"""One visit to the page, and how templates become answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gaia.core.reminder_text import recurs
from gaia.errors import UnknownMemoryError
from gaia.memory.browse import Choice
from gaia.memory.memory import Memory
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.store.people.users import Role, User
from gaia.text import counted, counted_memories, number_in
from gaia.web.page.parts import PageParts
from gaia.zones import zone_of

HERE = Path(__file__).parent
STATIC = HERE / "static"

SOURCES = {
    MemorySource.USER: "you had gaia keep it, word for word",
    MemorySource.TOOL: "kept by gaia while you talked",
    MemorySource.DIGEST: "said in a conversation",
    MemorySource.IMPORT: "taken from a file",
    MemorySource.DISCOVERY: "found on the machine, and confirmed by you",
}

STANDINGS = {
    MemoryStatus.ACTIVE: "in use",
    MemoryStatus.PENDING: "gaia is not sure",
    MemoryStatus.SUPERSEDED: "no longer true",
    MemoryStatus.ARCHIVED: "expired or undone",
}

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of somebody who is signed in, with what a form of the page sent."""

    parts: PageParts
    request: Request
    user: User
    form_token: str
    form: Mapping[str, str]

    @property
    def user_id(self) -> str:
        return self.user.user_id

    @property
    def memory_id(self) -> int:
        """The number in the path.

        Raises:
            UnknownMemoryError: None is there that a memory can have.
        """
        number = number_in(self.request.path_params["memory_id"])
        if number is None:
            raise UnknownMemoryError("the path names no memory")
        return number

    @property
    def wants_part(self) -> bool:
        """Whether htmx asks for a part of the page, and not for all of it."""
        return "hx-request" in self.request.headers

    @property
    def zone(self) -> tzinfo:
        """The time zone in which times are shown."""
        return zone_of(self.user.zone)

    async def read(
        self, query: Callable[Concatenate[Session, str, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What a query of the user's memory finds."""
        return await self.parts.database.read(query, self.user_id, *args, **kwargs)

    async def write(
        self, change: Callable[Concatenate[Session, str, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What a change of the user's memory comes to, once it is committed."""
        changed = await self.parts.database.write(change, self.user_id, *args, **kwargs)
        self.parts.changed()
        return changed

    def page(self, template: str, **values: object) -> HTMLResponse:
        """A template with what all pages need."""
        return render(
            template,
            user=self.user,
            is_owner=self.user.role is Role.OWNER,
            form_token=self.form_token,
            zone=self.zone,
            path=self.request.url.path,
            now=self.parts.clock.now(),
            **values,
        )


def render(template: str, **values: object) -> HTMLResponse:
    """A template as an answer."""
    return HTMLResponse(TEMPLATES.get_template(template).render(values))


def with_status(response: Response, status: int) -> Response:
    """The answer, with another status than success."""
    response.status_code = status
    return response


def _day(time: datetime, zone: tzinfo) -> str:
    local = time.astimezone(zone)
    return f"{local.day} {local:%B %Y}"


def _moment(time: datetime, zone: tzinfo) -> str:
    return f"{_day(time, zone)}, {time.astimezone(zone):%H:%M}"


def _has_quote(memory: Memory) -> bool:
    """Whether the sentence that a memory comes from says more than it."""
    return bool(memory.quote) and memory.quote != memory.text


TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters.update(day=_day, moment=_moment, recurs=recurs)
TEMPLATES.tests["quoted"] = _has_quote
TEMPLATES.globals.update(
    counted=counted,
    counted_memories=counted_memories,
    sources=SOURCES,
    standings=STANDINGS,
    kinds=list(MemoryKind),
    statuses=list(MemoryStatus),
    everything=Choice(),
)

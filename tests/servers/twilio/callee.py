"""Who is told of messages where there is no gaia: keeps what it was told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>'


@dataclass(frozen=True, slots=True)
class Told:
    """A request of Twilio's."""

    path: str
    form: dict[str, str]
    headers: dict[str, str]


def thanks() -> Response:
    """The answer that Twilio wants."""
    return Response(TWIML, media_type="text/xml")


@dataclass(slots=True)
class Callee:
    """Answers any request as `answer` says."""

    url: str = ""
    told: list[Told] = field(default_factory=list)
    answer: Callable[[], Response] = thanks

    @property
    def starlette(self) -> Starlette:
        """The app, to be served."""
        return Starlette(routes=[Route("/{path:path}", self._take, methods=["POST"])])

    @property
    def forms(self) -> list[dict[str, str]]:
        """What was told of messages of people."""
        return [each.form for each in self.told if "MessageStatus" not in each.form]

    @property
    def statuses(self) -> list[str]:
        """What was told of what became of messages of gaia."""
        return [each.form["MessageStatus"] for each in self.told if each.form not in self.forms]

    async def _take(self, request: Request) -> Response:
        async with request.form() as form:
            values = {name: str(value) for name, value in form.items()}
        self.told.append(Told(request.url.path, values, dict(request.headers)))
        return self.answer()

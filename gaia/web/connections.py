"""The connections of one listener: how many there may be, and how long each may take.

uvicorn sets no time for a request's head, and its `limit_concurrency` answers those that sent
one: neither keeps a descriptor from somebody who connects and says nothing. When a listener has
as many connections as it may, the one that gaia has waited for longest is closed, so that whoever
asks at once is answered, however many others only hold on.
"""

from __future__ import annotations

import asyncio
import logging
import resource
from collections import Counter
from dataclasses import dataclass
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

logger = logging.getLogger(__name__)

HEAD_SECONDS = 10.0
"""From the connection, or the answer before, to the end of a request's head. Browsers, proxies
and providers send theirs at once."""

REQUEST_SECONDS = 120.0
"""From a request's head to the end of the answer, on a port: enough for a file of 16 MB over a
slow line."""

SHARE_OF_DESCRIPTORS = 5
"""A listener may have this part of the descriptors that the process may: the two ports and the
control socket leave two fifths for the database, the channels and the model."""

FEWEST, MOST = 8, 1024

ACCEPTED_AT_ONCE = 32
"""So many connections may be open beyond the limit for a moment: asyncio accepts up to this
number before the first of them can be turned away."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many connections a listener has at most, and how many seconds each gets."""

    connections: int
    head_seconds: float = HEAD_SECONDS
    request_seconds: float | None = REQUEST_SECONDS
    """None for a listener whose answers may take as long as they need."""


def share_of_descriptors() -> int:
    """How many connections a listener may have under this process's limit of open files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST
    return max(FEWEST, min(MOST, soft // SHARE_OF_DESCRIPTORS))


class BoundedConfig(uvicorn.Config):
    """uvicorn's configuration of a server whose connections have bounds."""

    def __init__(self, app: Starlette, bounds: Bounds, *, websockets: bool) -> None:
        super().__init__(
            app,
            # The other parser that uvicorn may find keeps a head however long it is.
            http=BoundedConnection,
            ws="auto" if websockets else "none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            ws_ping_interval=None,
            backlog=ACCEPTED_AT_ONCE,
        )
        self.crowd = Crowd(bounds)


class Crowd:
    """The connections of a listener, those that gaia waits for in the order in which it began
    to wait."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._waiting: dict[BoundedConnection, None] = {}

    def await_client(self, connection: BoundedConnection) -> None:
        """Note that gaia waits for the client of `connection`. It keeps its place."""
        self._waiting.setdefault(connection)

    def work_for(self, connection: BoundedConnection) -> None:
        """Note that gaia no longer waits for the client of `connection`."""
        self._waiting.pop(connection, None)

    def make_room(self, count: int) -> None:
        """Close connections that gaia waits for until `count`, which are open, are no more than
        there may be."""
        excess = min(count - self.bounds.connections, len(self._waiting))
        if excess <= 0:
            return
        logger.warning(
            "more than %d connections are open: those that sent no request are closed",
            self.bounds.connections,
        )
        for _ in range(excess):
            self._one_too_many().hang_up()

    def _one_too_many(self) -> BoundedConnection:
        """The one that gaia has waited for longest, of the address that holds most: who holds on
        to many keeps nobody else's from its request."""
        held = Counter(connection.address for connection in self._waiting)
        [(fullest, _)] = held.most_common(1)
        return next(each for each in self._waiting if each.address == fullest)


class BoundedConnection(H11Protocol):
    """A connection within the bounds of its listener."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        if not isinstance(config, BoundedConfig):
            raise TypeError(f"a bounded connection cannot be of {config!r}")
        self._crowd = config.crowd
        self._request: object = None
        self._deadline: asyncio.TimerHandle | None = None
        self._is_writing_held_up = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._set_deadline(self._crowd.bounds.head_seconds)
        self._crowd.await_client(self)
        self._crowd.make_room(len(self.connections))

    def connection_lost(self, exc: Exception | None) -> None:
        self._let_go()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP. Where it comes in the middle of a request, or h11 cannot say so
        any more, the connection is closed, and what the request is answered goes nowhere."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:
            self.transport.close()

    def handle_websocket_upgrade(self, event: Any) -> None:
        if not all(value.isascii() for _, value in event.headers):
            # websockets would fail on it with a traceback.
            self.send_400_response("Invalid HTTP request received.")
            return
        self._let_go()
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._is_writing_held_up = True
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._is_writing_held_up = False
        self._look()

    @property
    def address(self) -> str:
        """Where it comes from, without the port; empty on a socket of this machine."""
        return self.client[0] if self.client else ""

    def hang_up(self) -> None:
        """Close the connection at once, whatever it is about."""
        self._let_go()
        self.connections.discard(self)
        self.transport.abort()

    def _look(self) -> None:
        """Set the deadline of what is under way, and note who waits for whom."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        request = None if self.cycle is None or self.cycle.response_complete else self.cycle
        if request is not self._request:
            self._request = request
            bounds = self._crowd.bounds
            self._set_deadline(bounds.request_seconds if request else bounds.head_seconds)
        if request is None or request.more_body or self._is_writing_held_up:
            self._crowd.await_client(self)
        else:
            self._crowd.work_for(self)

    def _set_deadline(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self.hang_up)

    def _let_go(self) -> None:
        self._set_deadline(None)
        self._crowd.work_for(self)

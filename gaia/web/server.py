"""Listeners: the sockets that the web app is served on, and uvicorn on them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from gaia.errors import ListenError
from gaia.web.connections import BoundedConfig, Bounds, share_of_descriptors

CLOSING_SECONDS = 2
"""How long open connections may take to end when the server stops."""

BACKLOG = 2048
"""How many connections wait to be accepted. The kernel keeps them, and gaia spends nothing on
them."""


class WebServer(uvicorn.Server):
    """uvicorn without its signal handlers: signals are the daemon's. Only a listener on a path
    has WebSockets, unless told otherwise, and answers that take as long as they need."""

    def __init__(
        self,
        app: Starlette,
        listener: socket.socket,
        *,
        bounds: Bounds | None = None,
        websockets: bool | None = None,
    ) -> None:
        is_local = listener.family == socket.AF_UNIX
        if bounds is None:
            connections = share_of_descriptors()
            bounds = Bounds(connections, request_seconds=None) if is_local else Bounds(connections)
        config = BoundedConfig(
            app, bounds, websockets=is_local if websockets is None else websockets
        )
        config.timeout_graceful_shutdown = CLOSING_SECONDS
        super().__init__(config)
        self._listener = listener

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # asyncio takes the number that it accepts at once for the queue's length as well.
        self._listener.listen(BACKLOG)

    async def run_until_cancelled(self) -> None:
        """Serve; on cancellation close the connections in good order."""
        serving = asyncio.create_task(self.serve(sockets=[self._listener]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self.should_exit = True
            await serving
            raise
        raise ListenError("the web server ended by itself")


def listen_on_port(host: str, port: int, *, block: str = "web") -> socket.socket:
    """A TCP listener. Port 0 takes any free port. `block` of the settings has both.

    Raises:
        ListenError: The port is taken, or the address is not this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            # Who connects before the server runs waits for it, and is not refused.
            listener.listen(BACKLOG)
        except BaseException:
            listener.close()
            raise
    except OSError as exc:
        raise ListenError(
            f"the {block} server cannot listen on {host}:{port} ({exc.strerror}): set "
            f"{block}.port in gaia.yaml to a free port, or {block}.enabled to false"
        ) from exc
    return listener


@contextmanager
def listening_on_path(path: Path) -> Iterator[socket.socket]:
    """The listener of `listen_on_path` for as long as the block lasts. Its file goes with it: one
    that is left behind tells of a daemon that was killed.

    Raises:
        ListenError: The socket cannot be made.
    """
    try:
        with listen_on_path(path) as listener:
            yield listener
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def listen_on_path(path: Path) -> socket.socket:
    """A listener on a Unix socket that only this user may open.

    Replaces what an earlier daemon left: call it with the daemon's lock held.

    Raises:
        ListenError: The socket cannot be made.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        path.unlink(missing_ok=True)
        listener.bind(str(path))
    except OSError as exc:
        listener.close()
        raise ListenError(
            f"the control socket {str(path)!r} cannot be made ({exc.strerror}): "
            "make gaia's home writable, or set GAIA_HOME to a folder on a local disk"
        ) from exc
    finally:
        os.umask(mask)
    return listener

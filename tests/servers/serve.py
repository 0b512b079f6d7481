"""Serves an ASGI app on loopback, within the running loop, for as long as a block lasts."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"

ROUNDS_TO_ACCEPT = 4
"""Rounds of the loop from an accepted connection to its protocol."""


@asynccontextmanager
async def serving(
    app: ASGIApp,
    *,
    port: int = 0,
    protocol: type[asyncio.Protocol] | None = None,
    keeps_open: bool = True,
) -> AsyncIterator[str]:
    """Serve on a free port unless one is given, and yield the URL.

    `protocol` replaces uvicorn's HTTP protocol. Without `keeps_open` each answer ends its
    connection, so that a client that nobody closes leaves none behind.

    Leaving the block cuts connections that are still open.
    """
    with socket.create_server((LOOPBACK, port)) as listener:
        # What uvicorn says of a connection that a script cut is no news.
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level=logging.CRITICAL + 1,
            lifespan="off",
            http=protocol or "auto",
            headers=[] if keeps_open else [("connection", "close")],
            # As hosts have it. uvicorn's five seconds are also after how long clients give an
            # idle connection up: one would ask over what the other is closing.
            timeout_keep_alive=75,
        )
        config.load()
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listener])
        try:
            host, bound = listener.getsockname()
            yield f"http://{host}:{bound}"
        finally:
            await _close(server)


async def _close(server: uvicorn.Server) -> None:
    """End at once. Uvicorn's own shutdown lets requests that are not answered go on,
    and takes a tenth of a second where there are none."""
    for listening in server.servers:
        listening.close()
    for rounds in range(20):
        # One that was just accepted is known after some rounds of the loop, and leaves in one
        # after it was cut: it would be the next test's.
        if rounds >= ROUNDS_TO_ACCEPT and not server.server_state.connections:
            break
        for connection in server.server_state.connections:
            connection.transport.abort()
        for task in server.server_state.tasks:
            if not task.cancelling():
                task.cancel()
        await asyncio.sleep(0)
    if tasks := set(server.server_state.tasks):
        await asyncio.wait(tasks)

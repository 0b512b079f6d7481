"""A connection that can be cut: reset on the wire, as when the network or a proxy fails.

And one that the client cuts: who waits for an answer no more needs none.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Coroutine
from typing import TypeVar, cast

from starlette.requests import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

T = TypeVar("T")

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class ClientGoneError(Exception):
    """The client went away before it was answered."""


class CuttableProtocol(H11Protocol):
    """Gives each request its transport, as `request.state.transport`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


def transport_of(request: Request) -> asyncio.Transport:
    """The transport of the request's connection."""
    return cast("asyncio.Transport", request.state.transport)


async def cut(request: Request) -> None:
    """Reset the connection; what was not answered never will be."""
    transport = transport_of(request)
    connection = transport.get_extra_info("socket")
    # A client that was killed is gone already.
    if not transport.is_closing():
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        transport.abort()
    await until_gone(request)


async def until_gone(request: Request) -> None:
    """Return once the client has gone away. The body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def is_open(request: Request) -> bool:
    """Whether the client still listens, as far as this end can tell."""
    return not transport_of(request).is_closing()


async def unless_gone(request: Request, work: Coroutine[None, None, T]) -> T:
    """What `work` returns. Raises `ClientGoneError` when the client does not wait for it."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(until_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGoneError
        return working.result()
    finally:
        working.cancel()
        gone.cancel()
        await asyncio.wait({working, gone})

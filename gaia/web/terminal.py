"""The WebSocket through which `gaia chat` reaches the terminal channel."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from channels.terminal import TerminalChannel
from channels.terminal_wire import TERMINAL_PATH

logger = logging.getLogger(__name__)


def terminal_route(find: Callable[[], TerminalChannel | None]) -> WebSocketRoute:
    """The route that `gaia chat` connects to. It answers on a UNIX socket only:
    whoever may open the socket is the owner, which a TCP port cannot tell."""

    async def attend(websocket: WebSocket) -> None:
        if not _is_local(websocket):
            logger.warning("A terminal client over TCP is refused")
            await websocket.close()
            return
        channel = find()
        if channel is None:
            logger.warning("A terminal client is refused: channels.terminal.enabled is false")
            await websocket.close()
            return
        await websocket.accept()
        try:
            await channel.attend(_WebSocketConnection(websocket))
        except ConnectionError:
            return

    return WebSocketRoute(TERMINAL_PATH, attend)


class _WebSocketConnection:
    """A `channels.terminal_attachment.Connection` over Starlette's WebSocket."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def read(self) -> str | None:
        try:
            return await self._websocket.receive_text()
        except (WebSocketDisconnect, KeyError):
            # A binary message has no text: whoever sends one is no client of ours.
            return None

    async def write(self, text: str) -> None:
        try:
            await self._websocket.send_text(text)
        except WebSocketDisconnect as exc:
            raise ConnectionError("the terminal client is gone") from exc


def _is_local(websocket: WebSocket) -> bool:
    """Whether the socket is a UNIX one: ASGI gives it a path and no port."""
    server = websocket.scope.get("server")
    return server is not None and server[1] is None

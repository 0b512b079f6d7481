"""Connections of strangers: each has its time, and all of them together leave room for one who
asks at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from gaia.testing.clock import until
from gaia.web.connections import Bounds
from gaia.web.server import WebServer, listen_on_path, listen_on_port

Connect = Callable[..., Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]

REQUEST = b"GET / HTTP/1.1\r\nHost: gaia\r\nConnection: close\r\n\r\n"
KEPT_OPEN = b"GET / HTTP/1.1\r\nHost: gaia\r\n\r\n"
HALF_A_HEAD = b"GET / HTTP/1.1\r\nHost: ga"
UPGRADE = (
    b"GET /socket HTTP/1.1\r\nHost: gaia\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SHORT, LONG = 0.1, 60.0


@asynccontextmanager
async def serving(bounds: Bounds, path: Path | None = None) -> AsyncIterator[Connect]:
    """`/` answers at once, `/slow` after three times `SHORT`, `/socket` is a WebSocket."""

    async def answer(request: Request) -> Response:
        return PlainTextResponse("here")

    async def answer_late(request: Request) -> Response:
        await asyncio.sleep(3 * SHORT)
        return PlainTextResponse("late")

    async def attend(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.receive()

    routes = [
        Route("/", answer, methods=["GET", "POST"]),
        Route("/slow", answer_late),
        WebSocketRoute("/socket", attend),
    ]
    listener = listen_on_path(path) if path else listen_on_port("127.0.0.1", 0)
    port = 0 if path else listener.getsockname()[1]
    server = WebServer(Starlette(routes=routes), listener, bounds=bounds)
    task = asyncio.create_task(server.run_until_cancelled())
    await until(lambda: server.started)
    writers: list[asyncio.StreamWriter] = []

    async def connect(
        from_: str = "127.0.0.1",
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if path:
            reader, writer = await asyncio.open_unix_connection(path)
        else:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(from_, 0))
        writers.append(writer)
        return reader, writer

    try:
        yield connect
    finally:
        for writer in writers:
            writer.close()
        task.cancel()
        await asyncio.wait((task,))
        listener.close()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """All that came until the server closed the connection."""
    try:
        async with asyncio.timeout(10):
            return await reader.read()
    except ConnectionError:
        return b""


async def ask(connect: Connect, request: bytes = REQUEST) -> bytes:
    reader, writer = await connect()
    writer.write(request)
    return await ended(reader)


async def test_who_says_nothing_is_hung_up_on() -> None:
    async with serving(Bounds(10, head_seconds=SHORT)) as connect:
        reader, _ = await connect()
        assert await ended(reader) == b""


async def test_a_head_that_comes_to_no_end_is_hung_up_on_however_it_trickles() -> None:
    async with serving(Bounds(10, head_seconds=SHORT)) as connect:
        reader, writer = await connect()
        ending = asyncio.create_task(ended(reader))
        writer.write(HALF_A_HEAD)
        while not ending.done():
            writer.write(b"x")
            await asyncio.sleep(SHORT / 10)
        assert ending.result() == b""


async def test_a_second_head_on_a_connection_has_its_time_too() -> None:
    async with serving(Bounds(10, head_seconds=SHORT)) as connect:
        reader, writer = await connect()
        writer.write(KEPT_OPEN + HALF_A_HEAD)
        answer = await ended(reader)
    assert answer.count(b"HTTP/1.1 200") == 1


async def test_an_answer_takes_longer_than_a_head_may_and_not_longer_than_a_request() -> None:
    slow = REQUEST.replace(b"/ ", b"/slow ", 1)
    async with serving(Bounds(10, head_seconds=SHORT)) as connect:
        assert (await ask(connect, slow)).endswith(b"late")
    async with serving(Bounds(10, request_seconds=SHORT)) as connect:
        assert await ask(connect, slow) == b""


async def test_a_crowd_that_only_holds_on_makes_room_for_whoever_asks() -> None:
    async with serving(Bounds(4, head_seconds=LONG)) as connect:
        crowd = [await connect() for _ in range(12)]
        for _, writer in crowd:
            writer.write(HALF_A_HEAD)
        assert (await ask(connect)).endswith(b"here")
        gone = [asyncio.create_task(ended(reader)) for reader, _ in crowd]
        await until(lambda: sum(each.done() for each in gone) == 9)
        assert [each.done() for each in gone] == [True] * 9 + [False] * 3
        for each in gone:
            each.cancel()


async def test_a_crowd_of_one_address_closes_nobody_elses_connection() -> None:
    async with serving(Bounds(4, head_seconds=LONG)) as connect:
        reader, writer = await connect("127.0.0.2")
        writer.write(REQUEST[:10])
        for _ in range(12):
            _, stranger = await connect("127.0.0.3")
            stranger.write(HALF_A_HEAD)
        assert (await ask(connect)).endswith(b"here")
        writer.write(REQUEST[10:])
        assert (await reader.read()).endswith(b"here")


async def test_bodies_that_do_not_come_make_room_too() -> None:
    unfinished = b"POST / HTTP/1.1\r\nHost: gaia\r\nContent-Length: 10\r\n\r\nsome"
    async with serving(Bounds(4, head_seconds=LONG)) as connect:
        for _ in range(8):
            _, writer = await connect()
            writer.write(unfinished)
        assert (await ask(connect)).endswith(b"here")


async def test_a_request_that_is_worked_on_is_not_closed_for_a_crowd() -> None:
    slow = REQUEST.replace(b"/ ", b"/slow ", 1)
    async with serving(Bounds(4, head_seconds=LONG)) as connect:
        asking = asyncio.create_task(ask(connect, slow))
        await asyncio.sleep(SHORT)
        crowd = [await connect() for _ in range(12)]
        assert len(crowd) == 12
        assert (await asking).endswith(b"late")


async def test_the_control_socket_keeps_a_chat_for_as_long_as_it_lasts(tmp_path: Path) -> None:
    bounds = Bounds(4, head_seconds=SHORT, request_seconds=None)
    async with serving(bounds, tmp_path / "socket") as connect:
        chat, writer = await connect()
        writer.write(UPGRADE)
        assert (await chat.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        crowd = [await connect() for _ in range(12)]
        for reader, _ in crowd:
            assert await ended(reader) == b""
        waiting = asyncio.create_task(chat.read())
        await asyncio.sleep(SHORT)
        assert not waiting.done()
        assert (await ask(connect)).endswith(b"here")
        waiting.cancel()


async def test_a_port_has_no_websockets() -> None:
    async with serving(Bounds(4, head_seconds=SHORT)) as connect:
        assert b" 101 " not in await ask(connect, UPGRADE)


BROKEN = (
    b"HEAD / HTTP/1.1\r\nHost: gaia\r\n\r\n\xff\r\n\r\n",
    b"HEAD / HTTP/1.1\r\nHost: gaia\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n",
    b"POST /slow HTTP/1.1\r\nHost: gaia\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n",
    b"GET /slow HTTP/1.1\r\nHost: gaia\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n",
    b"GET /slow HTTP/1.1\r\nHost: gaia\r\n\r\n\xff\r\n\r\n",
    UPGRADE.replace(b"ZQ==", b"ZQ=\xcf"),
)
"""Requests that cannot be answered as they go on, and one that must not become a WebSocket."""


@pytest.mark.parametrize("request_", BROKEN)
async def test_what_is_no_http_is_refused_without_a_traceback(
    tmp_path: Path, request_: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(Bounds(10), tmp_path / "socket") as connect:
        assert b"HTTP/1.1 5" not in await ask(connect, request_)
        assert (await ask(connect)).startswith(b"HTTP/1.1 200")
        # What the slow one is answered goes nowhere.
        await asyncio.sleep(4 * SHORT)
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []

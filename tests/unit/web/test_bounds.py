"""What a stranger may make the web server keep: a bounded piece of memory, for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette

from gaia.messages import HookAnswer, HookRequest
from gaia.testing.clock import until
from gaia.web.app import BODIES_LIMIT_BYTES, BODY_LIMIT_BYTES, hook_routes
from gaia.web.server import WebServer, listen_on_port

HEAD = b"POST /hooks/fake HTTP/1.1\r\nHost: gaia\r\nContent-Length: %d\r\n\r\n"

Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


class Listener:
    """A channel that takes everything."""

    async def hook(self, request: HookRequest) -> HookAnswer:
        return HookAnswer(200, b"%d" % len(request.body))


@asynccontextmanager
async def serving(body_seconds: float = 60.0) -> AsyncIterator[Connect]:
    listener = listen_on_port("127.0.0.1", 0)
    port = listener.getsockname()[1]
    routes = hook_routes({"fake": Listener()}.get, body_seconds=body_seconds)
    server = WebServer(Starlette(routes=routes), listener)
    task = asyncio.create_task(server.run_until_cancelled())
    await until(lambda: server.started)
    writers: list[asyncio.StreamWriter] = []

    async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
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


async def test_a_body_that_comes_to_no_end_is_hung_up_on() -> None:
    async with serving(body_seconds=0.05) as connect:
        reader, writer = await connect()
        writer.write(HEAD % 100 + b"some")
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 408 ")


async def test_a_body_that_is_too_large_is_hung_up_on() -> None:
    async with serving() as connect:
        reader, writer = await connect()
        writer.write(HEAD % 10**12 + b"x" * (BODY_LIMIT_BYTES + 1))
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 413 ")


async def test_many_bodies_at_once_are_not_all_kept() -> None:
    unfinished = BODIES_LIMIT_BYTES // BODY_LIMIT_BYTES
    async with serving() as connect:
        crowd = [await connect() for _ in range(unfinished + 1)]
        for _, writer in crowd:
            writer.write(HEAD % BODY_LIMIT_BYTES + b"x" * (BODY_LIMIT_BYTES - 1))
        reads = [asyncio.create_task(reader.read()) for reader, _ in crowd]
        done, _ = await asyncio.wait(reads, return_when=asyncio.FIRST_COMPLETED)
        assert all(task.result().startswith(b"HTTP/1.1 503 ") for task in done)
        for _, writer in crowd:
            writer.close()
        await asyncio.wait(reads)
        # Whatever they held is free again.
        reader, writer = await connect()
        writer.write(HEAD % 5 + b"hello")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("piece", [b"GET /" + b"x" * 100_000, b"X: " + b"x" * 100_000])
async def test_a_head_without_end_is_hung_up_on(piece: bytes) -> None:
    async with serving() as connect:
        reader, writer = await connect()
        writer.write(piece if piece.startswith(b"GET") else b"GET / HTTP/1.1\r\n" + piece)
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 400 ")

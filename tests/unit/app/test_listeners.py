"""A server moves to another port, and stays where it was when it cannot."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from gaia.app.tasks import Listeners, Place, Tasks
from gaia.errors import ListenError
from gaia.testing.clock import FakeClock

HOST = "127.0.0.1"


def free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def app() -> Starlette:
    async def hello(_: object) -> PlainTextResponse:
        return PlainTextResponse("hello")

    return Starlette(routes=[Route("/", hello)])


async def answers(port: int) -> bool:
    async with httpx.AsyncClient() as client:
        try:
            return (await client.get(f"http://{HOST}:{port}/")).text == "hello"
        except httpx.ConnectError:
            return False


@pytest.fixture
async def listening() -> AsyncIterator[Listeners]:
    with ExitStack() as stack:
        async with asyncio.TaskGroup() as group:
            tasks = Tasks(group, FakeClock())
            listening = Listeners(tasks, {"web": app})
            stack.enter_context(listening.closing())
            yield listening
            tasks.cancel()


async def test_a_server_moves(listening: Listeners) -> None:
    first, second = free_port(), free_port()
    listening.open("web", Place(HOST, first))
    assert await answers(first)
    await listening.move("web", Place(HOST, second))
    assert (await answers(first), await answers(second)) == (False, True)
    await listening.move("web", None)
    assert not await answers(second)
    await listening.move("web", Place(HOST, first))
    assert await answers(first)


async def test_where_it_cannot_listen_it_stays_where_it_was(listening: Listeners) -> None:
    first = free_port()
    listening.open("web", Place(HOST, first))
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=str(port)):
            await listening.move("web", Place(HOST, port))
    assert await answers(first)


async def test_at_its_own_port_it_may_take_another_address(listening: Listeners) -> None:
    port = free_port()
    listening.open("web", Place(HOST, port))
    assert await answers(port)
    await listening.move("web", Place("127.0.0.2", port))
    assert not await answers(port)

"""A load balancer before several gaias: it looks every moment which are ready, and gives each
connection to the next of those. One that is ready no more loses the connections it has.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import httpx

LOOK_SECONDS = 0.2
ANSWER_SECONDS = 1.0
BLOCK_BYTES = 65536


class Balancer:
    """Made by `running_balancer`."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.url = ""
        self._ready: dict[int, bool] = dict.fromkeys(ports, False)
        self._turn = 0
        self._busy: dict[int, set[asyncio.Task[None]]] = {port: set() for port in ports}

    def ready(self) -> list[int]:
        """The ports that are given connections."""
        return [port for port, is_ready in self._ready.items() if is_ready]

    async def until_ready(self, count: int) -> None:
        """Return once so many are ready."""
        while len(self.ready()) < count:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Look who is ready, until cancelled."""
        async with httpx.AsyncClient(timeout=ANSWER_SECONDS) as http:
            while True:
                await asyncio.gather(*(self._look_at(http, port) for port in self._ready))
                await asyncio.sleep(LOOK_SECONDS)

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Give a connection to the next that is ready."""
        ready = self.ready()
        if not ready:
            writer.close()
            return
        self._turn += 1
        port = ready[self._turn % len(ready)]
        task = asyncio.current_task()
        assert task is not None
        self._busy[port].add(task)
        try:
            with suppress(OSError):
                await _pass(port, reader, writer)
        except asyncio.CancelledError:
            if task.cancelling() > 1:
                raise
        finally:
            self._busy[port].discard(task)
            writer.close()

    async def _look_at(self, http: httpx.AsyncClient, port: int) -> None:
        try:
            answer = await http.get(f"http://127.0.0.1:{port}/readyz")
            is_ready = answer.status_code == httpx.codes.OK
        except httpx.HTTPError:
            is_ready = False
        self._ready[port] = is_ready
        if not is_ready:
            for task in tuple(self._busy[port]):
                task.cancel()


async def _pass(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    to_reader, to_writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        there = asyncio.create_task(_copy(reader, to_writer))
        back = asyncio.create_task(_copy(to_reader, writer))
        try:
            await asyncio.wait((there, back), return_when=asyncio.FIRST_COMPLETED)
        finally:
            there.cancel()
            back.cancel()
    finally:
        to_writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while block := await reader.read(BLOCK_BYTES):
            writer.write(block)
            await writer.drain()


@asynccontextmanager
async def running_balancer(ports: Sequence[int]) -> AsyncIterator[Balancer]:
    """A balancer before these ports of this machine, for as long as the block lasts."""
    balancer = Balancer(ports)
    server = await asyncio.start_server(balancer.forward, "127.0.0.1", 0)
    balancer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    looking = asyncio.create_task(balancer.look())
    try:
        yield balancer
    finally:
        looking.cancel()
        server.close()

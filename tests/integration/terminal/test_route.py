"""The WebSocket route itself, against raw clients."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from websockets.asyncio.client import ClientConnection, connect, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from channels.terminal import TerminalChannel
from channels.terminal_attachment import ACK_SECONDS
from channels.terminal_wire import (
    TERMINAL_PATH,
    HelloFrame,
    RefusedFrame,
    ServerFrame,
    WelcomeFrame,
    decode_server_frame,
    encode,
)
from gaia.testing.clock import FakeClock, until
from gaia.web.local import terminal_route
from gaia.web.server import WebServer, listen_on_port

if TYPE_CHECKING:
    from conftest import Terminal, TerminalDaemon


def raw_client(daemon: TerminalDaemon) -> connect:
    return unix_connect(str(daemon.socket_path), f"ws://localhost{TERMINAL_PATH}", close_timeout=0)


async def say_hello(client: ClientConnection, user: str = "ada") -> None:
    hello = HelloFrame(user=user, client_id="raw", interactive=True, version="0.1.0")
    await client.send(encode(hello))


async def read_to_end(client: ClientConnection) -> list[ServerFrame]:
    frames: list[ServerFrame] = []
    try:
        while True:
            frames.append(decode_server_frame(str(await client.recv())))
    except ConnectionClosed:
        return frames


async def test_a_client_over_tcp_is_refused() -> None:
    class Nobody:
        async def greet(self, address: object) -> None:
            raise AssertionError("a client over TCP got as far as the greeter")

    channel = TerminalChannel(Nobody(), FakeClock(), version="0.1.0")
    listener = listen_on_port("127.0.0.1", 0)
    port = listener.getsockname()[1]
    app = Starlette(routes=[terminal_route(lambda: channel)])
    server = WebServer(app, listener, websockets=True)
    serving = asyncio.create_task(server.run_until_cancelled())
    await until(lambda: server.started)
    with pytest.raises(InvalidStatus, match="403"):
        await connect(f"ws://127.0.0.1:{port}{TERMINAL_PATH}", proxy=None)
    serving.cancel()
    await asyncio.wait((serving,))


@pytest.mark.parametrize("nonsense", ["hello?", "{}", '{"kind": "delivered", "outbox_id": 1}'])
async def test_a_client_that_does_not_say_hello_is_hung_up_on(
    daemon: TerminalDaemon, nonsense: str
) -> None:
    async with daemon.running(), raw_client(daemon) as client:
        await client.send(nonsense)
        frames = await read_to_end(client)
    assert all(isinstance(frame, RefusedFrame) for frame in frames)


async def test_a_client_that_sends_bytes_is_hung_up_on(daemon: TerminalDaemon) -> None:
    async with daemon.running(), raw_client(daemon) as client:
        await client.send(b"\x00\x01")
        assert await read_to_end(client) == []


async def test_a_client_that_goes_silent_in_mid_sentence_harms_nobody(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core:
        async with raw_client(daemon) as client:
            await say_hello(client)
            client.transport.abort()
        async with asyncio.TaskGroup() as group:
            group.create_task(terminal.say("hello"))
            core.reply(await core.next_message(), "Hi.")
    assert terminal.stdout.getvalue() == "Hi.\n"


async def test_a_client_that_never_reads_delays_nobody_else(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, raw_client(daemon) as stuck:
        await say_hello(stuck, user="bob")
        assert isinstance(decode_server_frame(str(await stuck.recv())), WelcomeFrame)
        stuck.transport.pause_reading()
        core.say("bob", "x" * 4_000_000)
        await daemon.clock.until_sleeping()
        async with asyncio.TaskGroup() as group:
            group.create_task(terminal.say("hello"))
            core.reply(await core.next_message(), "Hi.")
        assert terminal.stdout.getvalue() == "Hi.\n"
        daemon.clock.advance(ACK_SECONDS)
        await until(lambda: not daemon.clock.sleeping)
        assert [outbound.chat for outbound in core.state.waiting] == ["bob"]
        stuck.transport.abort()

"""What becomes of messages and replies when the connection breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from websockets.asyncio.server import ServerConnection, unix_serve

from channels.terminal import REATTACH_SECONDS
from channels.terminal_wire import (
    ChunkFrame,
    ClientFrame,
    DeliveredFrame,
    HelloFrame,
    MessageFrame,
    ReceiptFrame,
    WelcomeFrame,
    decode_client_frame,
    encode,
)
from gaia.cli.chat.link import RESTART_SECONDS, WELCOMES_MISSED
from gaia.errors import NotRunningError, WireError
from gaia.testing.clock import until

if TYPE_CHECKING:
    from conftest import Terminal, TerminalDaemon

WELCOME = WelcomeFrame(
    user_name="Ada",
    model="Echo",
    embedded=False,
    new_user=False,
    conversation_turns=0,
    version="0.1.0",
    hosted=False,
)


async def read(connection: ServerConnection) -> ClientFrame:
    return decode_client_frame(str(await connection.recv()))


def reply_to(message: MessageFrame, *, outbox_id: int, final: bool) -> ChunkFrame:
    return ChunkFrame(
        outbox_id=outbox_id,
        text=f"chunk {outbox_id}",
        seq=0,
        final=final,
        turn_id=None,
        in_reply_to=(message.client_message_id,),
    )


async def test_an_answer_arrives_after_the_connection_was_cut(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say("hello"))
        inbound = await core.next_message()
        daemon.cut_connections()
        core.reply(inbound, "Hi.")
    assert terminal.stdout.getvalue() == "Hi.\n"
    assert "connection to gaia is lost" in terminal.stderr.getvalue()
    assert len(daemon.state.received) == 1


async def test_an_answer_arrives_after_the_daemon_restarted(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with asyncio.TaskGroup() as group:
        async with daemon.running() as core:
            group.create_task(terminal.say("hello"))
            inbound = await core.next_message()
        core.reply(inbound, "Hi.")
        async with daemon.running():
            await until(lambda: bool(terminal.stdout.getvalue()), terminal.clock)
    assert terminal.stdout.getvalue() == "Hi.\n"
    assert len(daemon.state.received) == 1


async def test_two_terminals_get_their_own_replies_after_a_restart(
    daemon: TerminalDaemon, terminal: Terminal, new_terminal
) -> None:
    other = new_terminal(terminal.host)
    async with asyncio.TaskGroup() as group:
        async with daemon.running() as core:
            group.create_task(terminal.say("one"))
            first = await core.next_message()
            group.create_task(other.say("two"))
            second = await core.next_message()
        core.reply(first, "echo one")
        core.reply(second, "echo two")
        async with daemon.running():
            attached = len(daemon.state.reachable)
            await until(lambda: len(daemon.state.reachable) == attached + 1, other.clock)
            await daemon.clock.until_sleeping()
            await until(lambda: len(daemon.state.reachable) == attached + 2, terminal.clock)
            daemon.clock.advance(REATTACH_SECONDS)
            await until(lambda: bool(terminal.stdout.getvalue() and other.stdout.getvalue()))
    assert terminal.stdout.getvalue() == "echo one\n"
    assert other.stdout.getvalue() == "echo two\n"


async def test_a_message_without_receipt_is_sent_again_under_its_id(terminal: Terminal) -> None:
    hellos: list[HelloFrame] = []
    messages: list[MessageFrame] = []

    async def serve(connection: ServerConnection) -> None:
        hello = await read(connection)
        assert isinstance(hello, HelloFrame)
        hellos.append(hello)
        await connection.send(encode(WELCOME))
        message = await read(connection)
        assert isinstance(message, MessageFrame)
        messages.append(message)
        if len(messages) == 1:
            connection.transport.abort()
            return
        await connection.send(encode(reply_to(message, outbox_id=1, final=True)))
        await connection.wait_closed()

    async with unix_serve(serve, str(terminal.home.control_socket)):
        await terminal.say("hello")
    assert messages[0] == messages[1]
    assert hellos[0].client_id == hellos[1].client_id
    assert hellos[1].waiting == (messages[0].client_message_id,)
    assert terminal.stdout.getvalue() == "chunk 1\n"


async def test_a_message_with_receipt_is_not_sent_again_but_waited_for(terminal: Terminal) -> None:
    hellos: list[HelloFrame] = []
    messages: list[MessageFrame] = []
    said_after_it: list[ClientFrame] = []

    async def serve(connection: ServerConnection) -> None:
        hello = await read(connection)
        assert isinstance(hello, HelloFrame)
        hellos.append(hello)
        await connection.send(encode(WELCOME))
        if len(hellos) == 1:
            message = await read(connection)
            assert isinstance(message, MessageFrame)
            messages.append(message)
            receipt = ReceiptFrame(client_message_id=message.client_message_id, outcome="accepted")
            await connection.send(encode(receipt))
            await connection.close()
            return
        await connection.send(encode(reply_to(messages[0], outbox_id=1, final=True)))
        said_after_it.append(await read(connection))

    async with unix_serve(serve, str(terminal.home.control_socket)):
        await terminal.say("hello")
    assert hellos[1].waiting == (messages[0].client_message_id,)
    assert said_after_it == [DeliveredFrame(outbox_id=1)]


async def test_a_chunk_that_comes_twice_is_printed_once_and_acknowledged_twice(
    terminal: Terminal,
) -> None:
    delivered: list[int] = []

    async def serve(connection: ServerConnection) -> None:
        await read(connection)
        await connection.send(encode(WELCOME))
        message = await read(connection)
        assert isinstance(message, MessageFrame)
        for outbox_id, final in ((1, False), (1, False), (2, True)):
            chunk = reply_to(message, outbox_id=outbox_id, final=final)
            await connection.send(encode(chunk))
            ack = await read(connection)
            assert isinstance(ack, DeliveredFrame)
            delivered.append(ack.outbox_id)

    async with unix_serve(serve, str(terminal.home.control_socket)):
        await terminal.say("hello")
    assert terminal.stdout.getvalue() == "chunk 1\nchunk 2\n"
    assert delivered == [1, 1, 2]


async def test_a_daemon_that_never_welcomes_is_given_up(terminal: Terminal) -> None:
    async def hang_up(connection: ServerConnection) -> None:
        await read(connection)

    async with unix_serve(hang_up, str(terminal.home.control_socket)):
        chatting = asyncio.create_task(terminal.say("hello"))
        for _ in range(WELCOMES_MISSED - 1):
            await terminal.clock.until_sleeping()
            terminal.clock.advance(10)
            await asyncio.sleep(0)
        with pytest.raises(NotRunningError, match="without a welcome"):
            await chatting


async def test_a_daemon_of_another_language_is_an_error(terminal: Terminal) -> None:
    async def babble(connection: ServerConnection) -> None:
        await connection.send("what?")
        await connection.wait_closed()

    async with unix_serve(babble, str(terminal.home.control_socket)):
        with pytest.raises(WireError, match="restart the daemon"):
            await terminal.say("hello")


async def test_a_daemon_that_does_not_come_back_is_replaced(
    daemon: TerminalDaemon, new_terminal
) -> None:
    @asynccontextmanager
    async def host() -> AsyncIterator[None]:
        async with daemon.running():
            yield

    terminal = new_terminal(host)
    async with asyncio.TaskGroup() as group:
        async with daemon.running() as core:
            group.create_task(terminal.say("hello"))
            inbound = await core.next_message()
        core.reply(inbound, "Hi.")
        await until(terminal.home.control_socket.exists, terminal.clock)
        assert terminal.clock.monotonic() >= RESTART_SECONDS
    assert terminal.stdout.getvalue() == "Hi.\n"

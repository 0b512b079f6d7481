from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from channels.terminal import REATTACH_SECONDS
from channels.terminal_attachment import ACK_SECONDS
from channels.terminal_wire import (
    ChunkFrame,
    ReceiptFrame,
    WelcomeFrame,
)
from gaia.errors import RetryableSendError, UnknownSendError, UnreachableError
from gaia.messages import REPEAT_MARK, Outbound
from tests.harness.terminal_peer import TerminalPeer

if TYPE_CHECKING:
    from conftest import Terminals


def outbound(*answered: str, outbox_id: int = 1, chat: str = "ada", final: bool = True) -> Outbound:
    return Outbound(
        outbox_id=outbox_id, chat=chat, text="Hi.", seq=0, final=final, in_reply_to=answered
    )


async def test_a_chunk_is_sent_when_the_client_has_printed_it(terminals: Terminals) -> None:
    peer = await terminals.attach()
    sending = asyncio.create_task(terminals.channel.send(outbound(outbox_id=5)))
    chunk = await peer.frame(ChunkFrame)
    assert not sending.done()
    peer.say_raw('{"kind": "delivered", "outbox_id": 4}')
    peer.say_raw(f'{{"kind": "delivered", "outbox_id": {chunk.outbox_id}}}')
    assert await sending == "client-of-ada:5"


async def test_a_reply_goes_to_the_client_that_wrote_the_message(terminals: Terminals) -> None:
    author = await terminals.attach(client_id="a", interactive=False)
    author.write_message("hello", message_id="m1")
    await author.frame(ReceiptFrame)
    other = await terminals.attach(client_id="b")
    sending = asyncio.create_task(terminals.channel.send(outbound("m1")))
    await author.print_chunk()
    await sending
    assert other.unread == 0


async def test_a_repeat_is_marked_for_all_but_the_author(terminals: Terminals) -> None:
    author = TerminalPeer(client_id="a")
    attending = terminals.connect(author)
    await author.welcomed()
    author.write_message("hello", message_id="m1")
    await author.frame(ReceiptFrame)
    repeat = replace(outbound("m1", final=False), is_repeat=True)
    sending = asyncio.create_task(terminals.channel.send(repeat))
    assert (await author.print_chunk()).text == "Hi."
    await sending
    author.leave()
    await attending
    other = await terminals.attach(client_id="b")
    sending = asyncio.create_task(terminals.channel.send(repeat))
    assert (await other.print_chunk()).text == REPEAT_MARK + "Hi."
    await sending


async def test_a_reply_goes_to_the_author_that_attached_again(terminals: Terminals) -> None:
    author = TerminalPeer(client_id="a", interactive=False)
    terminals.connect(author)
    author.hello(waiting=("m1",))
    await author.frame(WelcomeFrame)
    await terminals.attach(client_id="b")
    sending = asyncio.create_task(terminals.channel.send(outbound("m1")))
    await author.print_chunk()
    await sending


async def test_an_author_that_got_its_reply_is_not_the_author_of_what_follows(
    terminals: Terminals,
) -> None:
    author = await terminals.attach(client_id="a", interactive=False)
    author.write_message("hello", message_id="m1")
    await author.frame(ReceiptFrame)
    other = await terminals.attach(client_id="b")
    for peer, outbox_id in ((author, 1), (other, 2)):
        sending = asyncio.create_task(terminals.channel.send(outbound("m1", outbox_id=outbox_id)))
        await peer.print_chunk()
        await sending


async def test_a_message_by_itself_goes_to_the_interactive_client_attached_last(
    terminals: Terminals,
) -> None:
    await terminals.attach(client_id="a")
    last_interactive = await terminals.attach(client_id="b")
    await terminals.attach(client_id="c", interactive=False)
    sending = asyncio.create_task(terminals.channel.send(outbound()))
    await last_interactive.print_chunk()
    await sending


async def test_what_waits_does_not_block_a_client_that_is_alone_and_not_interactive(
    terminals: Terminals,
) -> None:
    peer = await terminals.attach(interactive=False)
    sending = asyncio.create_task(terminals.channel.send(outbound("from-an-earlier-client")))
    await peer.print_chunk()
    await sending


async def test_a_reply_never_goes_to_another_user(terminals: Terminals) -> None:
    await terminals.attach("bob")
    with pytest.raises(UnreachableError):
        await terminals.channel.send(outbound("m1", chat="ada"))


async def test_soon_after_a_start_a_reply_waits_for_its_author(terminals: Terminals) -> None:
    await terminals.stop()
    await terminals.start()
    terminals.clock.advance(-REATTACH_SECONDS + 1)
    peer = await terminals.attach()
    with pytest.raises(RetryableSendError) as caught:
        await terminals.channel.send(outbound("of-another-client"))
    assert caught.value.after_seconds == REATTACH_SECONDS - 1
    terminals.clock.advance(REATTACH_SECONDS - 1)
    sending = asyncio.create_task(terminals.channel.send(outbound("of-another-client")))
    await peer.print_chunk()
    await sending


async def test_a_client_that_leaves_before_it_printed_leaves_the_outcome_unknown(
    terminals: Terminals,
) -> None:
    peer = await terminals.attach()
    sending = asyncio.create_task(terminals.channel.send(outbound()))
    await peer.frame(ChunkFrame)
    peer.leave()
    with pytest.raises(UnknownSendError):
        await sending


async def test_a_stuck_client_is_dismissed_and_gets_the_chunk_when_it_comes_back(
    terminals: Terminals, caplog: pytest.LogCaptureFixture
) -> None:
    peer = TerminalPeer()
    attending = terminals.connect(peer)
    await peer.welcomed()
    terminals.core.say("ada", "Hi.")
    await peer.frame(ChunkFrame)
    await terminals.clock.until_sleeping()
    terminals.clock.advance(ACK_SECONDS)
    await attending
    assert [o.text for o in terminals.core.state.waiting] == ["Hi."]
    again = await terminals.attach()
    assert (await again.print_chunk()).outbox_id == 1
    assert "dismissed" in caplog.text


async def test_a_chunk_that_never_left_the_queue_was_not_sent(terminals: Terminals) -> None:
    peer = await terminals.attach()
    peer.readable.clear()
    peer.write_message("fills the pipe")
    await terminals.core.next_message()
    await asyncio.sleep(0)
    sending = asyncio.create_task(terminals.channel.send(outbound()))
    await terminals.clock.until_sleeping()
    terminals.clock.advance(ACK_SECONDS)
    with pytest.raises(UnreachableError):
        await sending


async def test_a_dismissed_client_is_not_waited_for_again(terminals: Terminals) -> None:
    peer = await terminals.attach()
    first = asyncio.create_task(terminals.channel.send(outbound()))
    await peer.frame(ChunkFrame)
    await terminals.clock.until_sleeping()
    terminals.clock.advance(ACK_SECONDS)
    with pytest.raises(UnknownSendError):
        await first
    with pytest.raises(UnreachableError):
        await terminals.channel.send(outbound())


async def test_a_client_that_attaches_twice_is_dismissed_once(terminals: Terminals) -> None:
    first = TerminalPeer(client_id="a")
    attending = terminals.connect(first)
    await first.welcomed()
    second = await terminals.attach(client_id="a")
    await attending
    sending = asyncio.create_task(terminals.channel.send(outbound()))
    await second.print_chunk()
    await sending

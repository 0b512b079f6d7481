from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from channels.terminal import HELLO_SECONDS
from channels.terminal_attachment import BACKLOG_FRAMES
from channels.terminal_wire import (
    ReceiptFrame,
    RefusedFrame,
    TurnEndedFrame,
    TurnStartedFrame,
    TurnTextFrame,
    WelcomeFrame,
)
from gaia.errors import UnreachableError
from gaia.messages import Address, Outbound, TurnEnded, TurnStarted, TurnText
from gaia.testing.clock import until
from tests.harness.terminal_peer import TerminalPeer

if TYPE_CHECKING:
    from conftest import Terminals


def outbound(*answered: str, outbox_id: int = 1, chat: str = "ada", final: bool = True) -> Outbound:
    return Outbound(
        outbox_id=outbox_id, chat=chat, text="Hi.", seq=0, final=final, in_reply_to=answered
    )


async def test_a_client_is_welcomed_with_what_the_greeter_knows(terminals: Terminals) -> None:
    peer = TerminalPeer("ada")
    terminals.connect(peer)
    welcome = await peer.welcomed()
    assert (welcome.user_name, welcome.model, welcome.embedded) == ("Ada", "Echo", True)
    assert (welcome.conversation_turns, welcome.version) == (2, "0.1.0")


async def test_a_client_that_the_greeter_refuses_is_told_why(terminals: Terminals) -> None:
    peer = TerminalPeer("mallory")
    attending = terminals.connect(peer)
    peer.hello()
    assert "gaia users add" in (await peer.frame(RefusedFrame)).reason
    await attending


async def test_a_client_that_speaks_nonsense_is_refused(terminals: Terminals) -> None:
    peer = TerminalPeer()
    attending = terminals.connect(peer)
    peer.say_raw("GET / HTTP/1.1")
    await peer.frame(RefusedFrame)
    await attending


async def test_while_the_channel_does_not_serve_it_hangs_up(terminals: Terminals) -> None:
    await terminals.stop()
    peer = TerminalPeer()
    peer.hello()
    await terminals.connect(peer)
    assert peer.unread == 0


async def test_when_the_channel_stops_its_clients_are_dismissed(terminals: Terminals) -> None:
    peer = TerminalPeer()
    attending = terminals.connect(peer)
    await peer.welcomed()
    await terminals.stop()
    await attending
    with pytest.raises(UnreachableError):
        await terminals.channel.send(outbound())


async def test_an_interactive_client_is_expected_to_write_soon(terminals: Terminals) -> None:
    await terminals.attach("bob", interactive=False)
    await terminals.attach("ada", interactive=True)
    assert terminals.core.state.expected == [Address("terminal", "ada")]


async def test_a_message_is_accepted_once_the_core_has_it(terminals: Terminals) -> None:
    peer = await terminals.attach()
    peer.write_message("hello", message_id="m1", wants_preview=True)
    receipt = await peer.frame(ReceiptFrame)
    assert (receipt.client_message_id, receipt.outcome) == ("m1", "accepted")
    (inbound,) = terminals.core.state.received
    assert (inbound.text, inbound.chat, inbound.provider_message_id) == ("hello", "ada", "m1")
    assert (inbound.address, inbound.direct) == (Address("terminal", "ada"), True)
    assert inbound.wants_preview
    assert inbound.sent_at == terminals.clock.now()


async def test_a_message_sent_again_is_accepted_again_and_received_once(
    terminals: Terminals,
) -> None:
    peer = await terminals.attach()
    for _ in range(2):
        peer.write_message("hello", message_id="m1")
        assert (await peer.frame(ReceiptFrame)).outcome == "accepted"
    assert len(terminals.core.state.received) == 1


async def test_a_message_of_somebody_who_may_not_write_is_denied(terminals: Terminals) -> None:
    terminals.core.denied_senders.add("ada")
    peer = await terminals.attach()
    peer.write_message("hello")
    assert (await peer.frame(ReceiptFrame)).outcome == "denied"


async def test_one_message_too_many_is_refused(terminals: Terminals) -> None:
    terminals.core.hasty_senders.add("ada")
    peer = await terminals.attach()
    peer.write_message("hello")
    assert (await peer.frame(ReceiptFrame)).outcome == "refused"


async def test_a_message_that_cannot_be_stored_is_not_accepted(
    terminals: Terminals, caplog: pytest.LogCaptureFixture
) -> None:
    terminals.core.store_is_broken = True
    peer = await terminals.attach()
    peer.write_message("my secret")
    assert (await peer.frame(ReceiptFrame)).outcome == "failed"
    assert "my secret" not in caplog.text
    terminals.core.store_is_broken = False
    peer.write_message("my secret")
    assert (await peer.frame(ReceiptFrame)).outcome == "accepted"


async def test_the_author_sees_a_preview_if_it_asked_for_one(terminals: Terminals) -> None:
    author = await terminals.attach(client_id="a")
    other = await terminals.attach(client_id="b")
    author.write_message("hello", message_id="m1", wants_preview=True)
    await author.frame(ReceiptFrame)
    terminals.channel.watch(TurnStarted("ada", "t1", ("m1",)))
    terminals.channel.watch(TurnText("ada", "t1", "Hi"))
    terminals.channel.watch(TurnText("ada", "another-turn", "No"))
    terminals.channel.watch(TurnEnded("ada", "t1"))
    terminals.channel.watch(TurnText("ada", "t1", "too late"))
    assert (await author.frame(TurnStartedFrame)).turn_id == "t1"
    assert (await author.frame(TurnTextFrame)).text == "Hi"
    assert (await author.frame(TurnEndedFrame)).turn_id == "t1"
    assert (author.unread, other.unread) == (0, 0)


async def test_an_author_hears_that_there_is_no_answer(terminals: Terminals) -> None:
    author = await terminals.attach(client_id="a", interactive=False)
    other = await terminals.attach(client_id="b")
    author.write_message("hello", message_id="m1", wants_preview=False)
    await author.frame(ReceiptFrame)
    terminals.channel.watch(TurnStarted("ada", "t1", ("m1",)))
    terminals.channel.watch(TurnEnded("ada", "t1", unanswered=("m1",)))
    assert (await author.frame(TurnEndedFrame)).unanswered == ("m1",)
    assert (author.unread, other.unread) == (0, 0)


async def test_a_client_that_asked_for_no_preview_gets_none(terminals: Terminals) -> None:
    peer = await terminals.attach()
    peer.write_message("hello", message_id="m1", wants_preview=False)
    await peer.frame(ReceiptFrame)
    terminals.channel.watch(TurnStarted("ada", "t1", ("m1",)))
    terminals.channel.watch(TurnText("ada", "t1", "Hi"))
    sending = asyncio.create_task(terminals.channel.send(outbound("m1")))
    await peer.print_chunk()
    await sending


async def test_a_preview_never_goes_to_another_user(terminals: Terminals) -> None:
    eavesdropper = TerminalPeer("bob")
    terminals.connect(eavesdropper)
    eavesdropper.hello(waiting=("m1",))
    await eavesdropper.frame(WelcomeFrame)
    terminals.channel.watch(TurnStarted("ada", "t1", ("m1",)))
    terminals.channel.watch(TurnText("ada", "t1", "private"))
    sending = asyncio.create_task(terminals.channel.send(outbound(chat="bob")))
    await eavesdropper.print_chunk()
    await sending


async def test_a_client_that_writes_and_never_reads_is_not_listened_to_for_ever(
    terminals: Terminals,
) -> None:
    peer = await terminals.attach()
    peer.readable.clear()
    for number in range(2 * BACKLOG_FRAMES):
        peer.write_message("again", message_id=f"m{number}")
    received = terminals.core.state.received
    await until(lambda: len(received) > BACKLOG_FRAMES)
    for _ in range(100):
        await asyncio.sleep(0)
    assert len(received) == BACKLOG_FRAMES + 1


async def test_a_slow_client_loses_the_preview_and_not_the_reply(terminals: Terminals) -> None:
    peer = await terminals.attach()
    peer.write_message("hello", message_id="m1", wants_preview=True)
    await peer.frame(ReceiptFrame)
    peer.readable.clear()
    terminals.channel.watch(TurnStarted("ada", "t1", ("m1",)))
    for number in range(10 * BACKLOG_FRAMES):
        terminals.channel.watch(TurnText("ada", "t1", str(number)))
    sending = asyncio.create_task(terminals.channel.send(outbound("m1")))
    await terminals.clock.until_sleeping()
    peer.readable.set()
    await peer.frame(TurnStartedFrame)
    texts = [int((await peer.frame(TurnTextFrame)).text) for _ in range(BACKLOG_FRAMES - 1)]
    assert texts == list(range(BACKLOG_FRAMES - 1))
    await peer.print_chunk()
    await sending
    terminals.channel.watch(TurnText("ada", "t1", "after the hole"))
    await asyncio.sleep(0)
    assert peer.unread == 0


async def test_a_client_that_never_says_hello_is_hung_up_on(terminals: Terminals) -> None:
    attending = terminals.connect(TerminalPeer())
    await terminals.clock.until_sleeping()
    terminals.clock.advance(HELLO_SECONDS)
    await attending

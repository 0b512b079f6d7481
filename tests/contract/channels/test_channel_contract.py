"""What `gaia.ports.Channel` promises, for every channel."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaia.errors import RetryableSendError, SendError
from gaia.messages import (
    Contact,
    Outbound,
    OutboundFile,
    TurnEnded,
    TurnEvent,
    TurnStarted,
    TurnText,
    TurnTool,
)
from gaia.testing.clock import until
from gaia.testing.fake_channel import FakeChannel

if TYPE_CHECKING:
    from conftest import Rig

WORDS = st.text(st.characters(categories=("L", "N", "Z"), include_characters="\n,"), max_size=60)
"""Text that is no markup of any channel."""


FILE = OutboundFile(
    "gaia.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", 4
)
"""Of a kind that every channel takes which takes any."""


def events(chat: str) -> tuple[TurnEvent, ...]:
    return (
        TurnStarted(chat, "t1", ("m1",)),
        TurnStarted("nobody", "t2", ()),
        TurnText(chat, "t1", "Hi"),
        TurnTool(chat, "t1", "clock"),
        TurnEnded(chat, "t1"),
        TurnEnded(chat, "never-started"),
    )


def chunk(chat: str) -> Outbound:
    return Outbound(outbox_id=1, chat=chat, text="Hi.", seq=0, final=True)


async def test_a_message_arrives_with_its_address_and_chat(rig: Rig) -> None:
    await rig.write("hello")
    inbound = await rig.core.next_message()
    assert inbound.text == "hello"
    assert inbound.address.channel == rig.channel.name
    assert inbound.chat == rig.chat
    assert inbound.sent_at.tzinfo is not None


async def test_a_redelivered_message_has_the_same_id(rig: Rig) -> None:
    await rig.write("hello", times=3)
    await rig.write("world")
    assert [inbound.text for inbound in rig.core.state.received] == ["hello", "world"]


async def test_a_reply_is_shown_in_order(rig: Rig) -> None:
    await rig.write("hello")
    rig.core.reply(await rig.core.next_message(), "one", "two", "three")
    assert [await rig.read() for _ in range(3)] == ["one", "two", "three"]


async def test_a_file_goes_with_the_last_chunk_where_the_channel_takes_it(rig: Rig) -> None:
    await rig.write("hello")
    inbound = await rig.core.next_message()
    rig.core.reply(inbound, "one", "two", file=FILE, content=b"PK\x00\xff")
    assert [await rig.read() for _ in range(2)] == ["one", "two"]
    taken = rig.channel.takes(FILE.media_type)
    assert rig.files() == ([b"PK\x00\xff"] if taken else [])


async def test_a_chunk_is_shown_whose_file_is_gone(rig: Rig) -> None:
    await rig.write("hello")
    rig.core.reply(await rig.core.next_message(), "It is gone.", file=FILE)
    rig.core.state.files.clear()
    assert await rig.read() == "It is gone."


async def test_a_chunk_whose_file_cannot_be_read_is_sent_again(rig: Rig) -> None:
    if isinstance(rig.channel, FakeChannel):
        pytest.skip("it asks for no file")
    await rig.write("hello")
    contact = Contact(written_at=(await rig.core.next_message()).sent_at)
    rig.core.store_is_broken = True
    with pytest.raises(RetryableSendError):
        await rig.channel.send(replace(chunk(rig.chat), file=FILE, contact=contact))


async def test_a_message_by_itself_is_shown(rig: Rig) -> None:
    rig.core.say(rig.chat, "It is time.")
    assert await rig.read() == "It is time."


async def test_each_sent_chunk_has_an_id_of_the_provider(rig: Rig) -> None:
    sending = asyncio.create_task(rig.channel.send(chunk(rig.chat)))
    await rig.read()
    assert await sending


async def test_sending_to_nobody_raises_an_error_of_sending(rig: Rig) -> None:
    with pytest.raises(SendError):
        await rig.channel.send(chunk("nobody"))


async def test_what_could_not_be_sent_is_shown_when_the_person_is_back(rig: Rig) -> None:
    await rig.leave()
    rig.core.say(rig.chat, "You were away.")
    await rig.arrive()
    assert await rig.read() == "You were away."


async def test_watching_neither_raises_nor_hinders_a_reply(rig: Rig) -> None:
    await rig.write("hello")
    for event in events(rig.chat):
        rig.channel.watch(event)
    rig.core.reply(await rig.core.next_message(), "Hi.")
    assert await rig.read() == "Hi."


async def test_a_channel_that_does_not_serve_can_be_watched_and_refuses_to_send(
    idle_rig: Rig,
) -> None:
    for event in events(idle_rig.chat):
        idle_rig.channel.watch(event)
    with pytest.raises(SendError):
        await idle_rig.channel.send(chunk(idle_rig.chat))


async def test_health_tells_whether_the_channel_serves(idle_rig: Rig) -> None:
    before = idle_rig.channel.health()
    assert not before.ok
    assert before.detail
    for _ in range(2):
        serving = asyncio.create_task(idle_rig.core.run())
        await until(lambda: idle_rig.channel.health().ok)
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        assert not idle_rig.channel.health().ok


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(WORDS, st.integers(1, 300))
def test_splitting_loses_no_word(idle_rig: Rig, text: str, times: int) -> None:
    whole = text * times
    shown = [idle_rig.shown(chunk) for chunk in idle_rig.channel.split(whole)]
    assert "".join("".join(shown).split()) == "".join(whole.split())

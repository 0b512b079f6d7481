from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gaia.testing.clock import until
from tests.servers.telegram import (
    BadGateway,
    CutAfterRead,
    Fault,
    Hang,
    TooManyRequests,
)

if TYPE_CHECKING:
    from conftest import Rig

POLL = "getUpdates"


async def test_what_people_write_is_received_in_order(rig: Rig) -> None:
    ada, bob = rig.telegram.person(100, "Ada"), rig.telegram.person(200, "Bob")
    ada.writes("one")
    bob.writes("two")
    ada.writes("three")
    received = await rig.until_received(3)
    assert [(each.chat, each.text) for each in received] == [
        ("100", "one"),
        ("200", "two"),
        ("100", "three"),
    ]
    assert received[0].sender_name == "Ada"
    assert received[0].sent_at == rig.clock.now()


async def test_what_was_written_while_gaia_was_off_is_received(idle_rig: Rig) -> None:
    idle_rig.telegram.person(100).writes("are you there?")
    async with idle_rig.serving():
        await idle_rig.until_received(1)
    assert idle_rig.telegram.requests("deleteWebhook")[0].parameters["drop_pending_updates"] is (
        False
    )


async def test_only_what_is_understood_is_asked_for(rig: Rig) -> None:
    await rig.until_well()
    asked = rig.telegram.requests(POLL)[0].parameters["allowed_updates"]
    assert asked == ["message", "edited_message", "callback_query", "my_chat_member"]


async def test_a_redelivered_update_is_received_once(rig: Rig) -> None:
    ada = rig.telegram.person(100)
    ada.writes("one")
    await rig.telegram.until_polled()
    assert rig.telegram.redeliver() == 1
    ada.writes("two")
    await rig.until_received(2)
    await rig.telegram.until_polled()
    assert rig.texts == ["one", "two"]


async def test_nothing_is_acknowledged_before_it_is_stored(rig: Rig) -> None:
    await rig.until_well()
    rig.core.store_is_broken = True
    ada = rig.telegram.person(100)
    ada.writes("one")
    ada.writes("two")
    await until(lambda: "cannot be stored" in rig.channel.health().detail)
    polls = len(rig.telegram.requests(POLL))
    await rig.sleep_off(1, 2, 4, 8, 16, 30, 30)
    assert len(rig.telegram.requests(POLL)) == polls
    assert len(rig.telegram.world.updates.waiting) == 2

    rig.core.store_is_broken = False
    await until(lambda: rig.texts == ["one", "two"])
    await rig.telegram.until_polled()
    assert rig.channel.health().ok


async def test_what_was_not_stored_when_gaia_ended_comes_again(idle_rig: Rig) -> None:
    async with idle_rig.serving():
        idle_rig.core.store_is_broken = True
        idle_rig.telegram.person(100).writes("one")
        await until(lambda: "cannot be stored" in idle_rig.channel.health().detail)
    async with idle_rig.serving(idle_rig.core.state):
        await idle_rig.until_received(1)
        await idle_rig.telegram.until_polled()
    assert idle_rig.texts == ["one"]


async def test_an_update_that_nobody_can_read_holds_up_none(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    ada = rig.telegram.person(100)
    ada.writes("one")
    update_id = rig.telegram.next_update_id()
    rig.telegram.inject_raw({"update_id": update_id, "message": {"text": "canary", "chat": 7}})
    rig.telegram.inject_raw("not an update")
    ada.writes("two")
    await rig.until_received(2)
    await rig.telegram.until_polled()
    (line,) = [each for each in caplog.messages if "is set aside" in each]
    assert f"update {update_id} is set aside" in line
    assert "message+text+chat" in line
    assert "Traceback" in line or 'File "' in line
    assert "canary" not in line


@pytest.mark.parametrize(
    ("fault", "pause"), [(BadGateway(), 1), (CutAfterRead(), 1), (TooManyRequests(3), 3)]
)
async def test_a_poll_that_fails_is_tried_again_and_seen(
    rig: Rig, fault: Fault, pause: float
) -> None:
    await rig.until_well()
    rig.telegram.faults = lambda request: fault if request.method == POLL else None
    rig.telegram.person(100).writes("one")
    await rig.until_ill("cannot be reached since 12:00 UTC")
    rig.telegram.no_more_faults()
    await rig.sleep_off(pause)
    await rig.until_well()
    assert rig.texts == ["one"]


async def test_pauses_between_polls_that_fail_grow(rig: Rig) -> None:
    await rig.until_well()
    rig.telegram.faults = lambda request: BadGateway() if request.method == POLL else None
    rig.telegram.person(100).writes("one")
    await rig.sleep_off(1, 2, 4, 8, 16, 30, 30)


async def test_a_poll_that_never_comes_back_is_a_stall_and_given_up(rig: Rig) -> None:
    await rig.until_well()
    rig.telegram.faults = lambda request: Hang() if request.method == POLL else None
    ada = rig.telegram.person(100)
    ada.writes("one")
    await rig.until_received(1)
    polls = len(rig.telegram.requests(POLL))
    await rig.telegram.until(lambda: len(rig.telegram.requests(POLL)) > polls - 1)
    await rig.sleep_off(75)
    await rig.until_ill("polling has stalled")
    rig.telegram.no_more_faults()
    ada.writes("two")
    await rig.sleep_off(1)
    assert rig.channel.health().is_stalled
    await rig.until_well()
    assert rig.texts == ["one", "two"]
    assert not rig.channel.health().is_stalled


async def test_silence_of_a_telegram_that_is_down_is_no_stall(rig: Rig) -> None:
    await rig.until_well()
    faults = {POLL: Hang(), "getMe": CutAfterRead()}
    rig.telegram.faults = lambda request: faults.get(request.method)
    rig.telegram.person(100).writes("one")
    await rig.until_received(1)
    await rig.sleep_off(75)
    await rig.until_ill("cannot be reached since")
    await rig.sleep_off(1)
    assert not rig.channel.health().is_stalled


async def test_telegram_is_left_alone_as_long_as_it_asks(rig: Rig) -> None:
    await rig.until_well()
    rig.telegram.faults = lambda request: TooManyRequests(600) if request.method == POLL else None
    rig.telegram.person(100).writes("one")
    await rig.until_ill("cannot be reached")
    await rig.sleep_off(600)
    assert not rig.channel.health().is_stalled


async def test_a_refused_token_is_told_and_tried_again(unknown_rig: Rig) -> None:
    async with unknown_rig.serving():
        await unknown_rig.sleep_off(1, 2, 4)
        await unknown_rig.until_ill("GAIA_TELEGRAM_BOT_TOKEN")


async def test_two_pollers_say_so_and_the_survivor_recovers(idle_rig: Rig, second_rig: Rig) -> None:
    first, second = idle_rig, second_rig
    conflict = "another process polls with this token"
    async with first.serving():
        await first.until_well()
        async with second.serving():
            await first.until_ill(conflict)
            await second.until_well()
            await first.sleep_off(5)
            await second.until_ill(conflict)
            assert conflict in first.channel.health().detail
        first.telegram.person(100).writes("one")
        await first.until_well()
        assert first.texts == ["one"]


async def test_a_webhook_that_somebody_set_is_removed_again(rig: Rig) -> None:
    await rig.until_well()
    rig.telegram.world.updates.webhook_url = "http://127.0.0.1:9/elsewhere"
    rig.telegram.world.changes.tell()
    await rig.until_ill("another process")
    rig.telegram.person(100).writes("one")
    await rig.sleep_off(5)
    await rig.until_well()
    assert rig.texts == ["one"]


async def test_a_start_without_telegram_waits_for_it(idle_rig: Rig) -> None:
    idle_rig.telegram.faults = lambda request: BadGateway()
    idle_rig.telegram.person(100).writes("one")
    async with idle_rig.serving():
        await idle_rig.until_ill("cannot be reached since 12:00 UTC")
        await idle_rig.sleep_off(1, 2)
        idle_rig.telegram.no_more_faults()
        await idle_rig.until_well()
        assert idle_rig.texts == ["one"]
    assert idle_rig.channel.health().detail == "not serving"


async def test_the_end_waits_for_nothing(idle_rig: Rig) -> None:
    async with asyncio.timeout(5):
        async with idle_rig.serving():
            await idle_rig.until_well()
            idle_rig.telegram.faults = lambda request: Hang()
            idle_rig.telegram.person(100).writes("one")
            await idle_rig.until_received(1)

"""Messages that no webhook told of are found, once, and health says why they came late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gaia.errors import RetryableSendError
from gaia.messages import MAYBE_FORWARDED, AttachmentKind, DeliveryReport, DeliveryStage, SentCopy
from gaia.testing.clock import until
from tests.servers.twilio import (
    FETCH_MESSAGE,
    LIST_MEDIA,
    LIST_MESSAGES,
    BadGateway,
    Refused,
    Step,
    TooManyRequests,
)

if TYPE_CHECKING:
    from conftest import Rig

ADA = "+4915112345678"
ROUND, HOUR = 300, 3600


async def next_look(rig: Rig) -> None:
    """Let the next look come and go."""
    before = len(rig.twilio.requests(LIST_MESSAGES))
    await rig.sleep_off(ROUND)
    await until(lambda: len(rig.twilio.requests(LIST_MESSAGES)) > before)
    await until(lambda: rig.is_asleep_for(ROUND))


async def test_what_was_written_while_gaia_was_off_is_found_in_order(idle_rig: Rig) -> None:
    rig = idle_rig
    ada = rig.twilio.person(ADA, "Ada")
    for text in ("one", "two", "three"):
        ada.writes(text)
        rig.clock.advance(60)
    sent_at = [message.at for message in rig.twilio.world.messages.values()]
    async with rig.serving(is_called=False):
        await rig.until_well()  # That they were missed while gaia was off is nobody's fault.
    assert rig.texts == ["one", "two", "three"]
    assert [inbound.sent_at for inbound in rig.received] == sent_at
    assert all(inbound.is_late for inbound in rig.received)
    assert {(inbound.address.sender, inbound.chat) for inbound in rig.received} == {(ADA, ADA)}
    assert rig.core.state.reachable == [ADA] * 3


async def test_what_may_have_been_forwarded_is_given_as_no_command(idle_rig: Rig) -> None:
    ada = idle_rig.twilio.person(ADA)
    ada.forwards("/reset")
    idle_rig.clock.advance(60)
    ada.writes("my name is Ada")
    async with idle_rig.serving(is_called=False):
        await idle_rig.until_well()
    assert idle_rig.texts == ['"/reset"', "my name is Ada"]
    assert [inbound.notes for inbound in idle_rig.received] == [(MAYBE_FORWARDED,)] * 2


async def test_what_is_older_than_a_day_is_left(idle_rig: Rig) -> None:
    ada = idle_rig.twilio.person(ADA)
    ada.writes("the day before yesterday")
    idle_rig.clock.advance(25 * HOUR)
    ada.writes("today")
    async with idle_rig.serving(is_called=False):
        await idle_rig.until_well()
    assert idle_rig.texts == ["today"]


async def test_what_the_webhook_told_of_is_not_new(rig: Rig) -> None:
    rig.twilio.person(ADA).writes("hi")
    (inbound,) = await rig.until_received(1)
    await next_look(rig)
    assert len(rig.received) == 1
    assert not inbound.is_late
    assert rig.channel.health().ok


async def test_a_webhook_that_does_not_reach_gaia_is_told_until_it_does(idle_rig: Rig) -> None:
    rig = idle_rig
    ada = rig.twilio.person(ADA)
    async with rig.serving(is_called=False):
        await rig.until_well()
        ada.writes("hello?")
        await next_look(rig)
        assert rig.texts == ["hello?"]
        await rig.until_ill("https://gaia.example/of/ada/hooks/whatsapp")
        rig.twilio.webhook_url = "https://gaia.example/of/ada/hooks/whatsapp"
        ada.writes("ah")
        await rig.until_received(2)
        assert rig.channel.health().ok


async def test_what_may_still_come_by_webhook_is_not_looked_for(idle_rig: Rig) -> None:
    rig = idle_rig
    async with rig.serving(is_called=False):
        await rig.until_well()
        rig.clock.advance(ROUND - 30)
        rig.twilio.person(ADA).writes("just now")
        await rig.sleep_off(30)
        await until(lambda: rig.is_asleep_for(ROUND))
        assert rig.texts == []
        await next_look(rig)
        assert rig.texts == ["just now"]


async def test_a_look_reaches_back_over_the_time_in_which_twilio_was_away(idle_rig: Rig) -> None:
    rig = idle_rig
    async with rig.serving(is_called=False):
        await rig.until_well()
        rig.twilio.faults = lambda request: BadGateway()
        await rig.sleep_off(ROUND)
        await rig.until_ill("Twilio cannot be reached since")
        rig.twilio.person(ADA).writes("meanwhile")
        rig.clock.advance(2 * HOUR)
        await rig.until_ill("Twilio cannot be reached since")
        rig.twilio.no_more_faults()
        await until(lambda: bool(rig.clock.sleeping))
        rig.clock.advance(60)
        await rig.until_received(1)
    assert rig.texts == ["meanwhile"]


async def test_refused_credentials_are_told_and_asked_for_seldom(idle_rig: Rig) -> None:
    rig = idle_rig
    rig.twilio.faults = lambda request: Refused(401, 20003)
    async with rig.serving(is_called=False):
        await rig.until_ill("GAIA_TWILIO_ACCOUNT_SID")
        await until(lambda: rig.is_asleep_for(ROUND))
        rig.twilio.no_more_faults()
        await rig.sleep_off(ROUND)
        await rig.until_well()


async def test_a_wish_to_be_left_alone_is_honoured(idle_rig: Rig) -> None:
    rig = idle_rig
    rig.twilio.faults = lambda request: TooManyRequests(77) if request.number == 1 else None
    async with rig.serving(is_called=False):
        await rig.sleep_off(77)
        await rig.until_well()


async def test_files_are_found_as_well(idle_rig: Rig) -> None:
    ada = idle_rig.twilio.person(ADA)
    ada.sends_photo(b"...", caption="my cat")
    async with idle_rig.serving(is_called=False):
        await idle_rig.until_well()
        (inbound,) = idle_rig.received
        (photo,) = inbound.attachments
        assert (inbound.text, photo.kind) == ("my cat", AttachmentKind.PHOTO)
        assert await idle_rig.channel.fetch(photo, limit_bytes=10) == b"..."


async def test_a_message_whose_files_were_deleted_comes_without(idle_rig: Rig) -> None:
    idle_rig.twilio.person(ADA).sends_photo(b"...", caption="my cat")
    idle_rig.twilio.faults = lambda request: (
        Refused(404, 20404) if request.operation == LIST_MEDIA else None
    )
    async with idle_rig.serving(is_called=False):
        await idle_rig.until_well()
    assert [(each.text, each.attachments) for each in idle_rig.received] == [("my cat", ())]


async def test_all_pages_are_read(idle_rig: Rig) -> None:
    ada = idle_rig.twilio.person(ADA)
    for number in range(230):
        ada.writes(str(number))
    async with idle_rig.serving(is_called=False):
        await idle_rig.until_well()
    assert sorted(map(int, idle_rig.texts)) == list(range(230))
    assert len(idle_rig.twilio.requests(LIST_MESSAGES)) >= 3


async def test_what_cannot_be_stored_comes_again(idle_rig: Rig) -> None:
    rig = idle_rig
    rig.twilio.person(ADA).writes("hi")
    rig.core.store_is_broken = True
    async with rig.serving(is_called=False):
        await rig.until_ill("messages cannot be stored, and wait at Twilio")
        rig.core.store_is_broken = False
        await rig.sleep_off(1)
        await rig.until_well()
    assert rig.texts == ["hi"]


async def test_a_late_message_of_a_stranger_is_not_answered(idle_rig: Rig) -> None:
    rig = idle_rig
    rig.core.denied_senders.add(ADA)
    rig.core.stranger_reply = "I don't know you."
    rig.twilio.person(ADA).writes("hi")
    async with rig.serving(is_called=False):
        await rig.until_well()
    assert rig.twilio.accepted() == []
    assert rig.core.state.reachable == []


def nobody_is_told(rig: Rig) -> None:
    """Have no call of Twilio's reach gaia."""
    rig.twilio.attempts = 1
    rig.twilio.reaches("https://gaia.example/of/ada", at="http://127.0.0.1:1")


async def test_that_a_message_failed_is_found_though_nobody_was_there_to_be_told(
    idle_rig: Rig,
) -> None:
    rig = idle_rig
    rig.twilio.person(ADA).writes("hi")
    rig.twilio.callbacks = lambda message, course: (Step("queued"), Step("undelivered", 63018))
    async with rig.serving():
        await rig.until_well()
        nobody_is_told(rig)
        sid = await rig.send(ADA, outbox_id=7)
        await rig.twilio.until_told()
        rig.core.state.on_their_way = [(rig.clock.now(), SentCopy(7, sid))]
        assert rig.core.state.reports == []
        await next_look(rig)
        await rig.until_reported(1)
    (report,) = rig.core.state.reports
    assert (report.outbox_id, report.provider_id, report.stage) == (7, sid, DeliveryStage.FAILED)
    assert isinstance(report.failure, RetryableSendError)


async def test_what_arrived_is_reported_at_the_next_start_and_what_is_deleted_is_not(
    idle_rig: Rig,
) -> None:
    rig = idle_rig
    rig.twilio.person(ADA).writes("hi")
    async with rig.serving():
        await rig.until_well()
        nobody_is_told(rig)
        sid = await rig.send(ADA)
        await rig.twilio.until_all_told()
    rig.core.state.on_their_way = [
        (rig.clock.now(), SentCopy(2, "SM" + "0f" * 16)),
        (rig.clock.now(), SentCopy(1, sid)),
    ]
    async with rig.serving(rig.core.state):
        await rig.until_well()
    assert rig.core.state.reports == [DeliveryReport(1, sid, DeliveryStage.DELIVERED)]
    assert len(rig.twilio.requests(FETCH_MESSAGE)) == 2


async def test_a_phone_that_is_off_is_not_asked_after_for_ever(idle_rig: Rig) -> None:
    rig = idle_rig
    async with rig.serving(is_called=False):
        await rig.until_well()
        rig.core.state.on_their_way = [(rig.clock.now(), SentCopy(1, "SM" + "0f" * 16))]
        rig.clock.advance(2 * HOUR)
        await next_look(rig)
    assert rig.twilio.requests(FETCH_MESSAGE) == []

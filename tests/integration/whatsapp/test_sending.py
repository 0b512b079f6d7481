from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import REPEAT_MARK, Contact, DeliveryStage, OutboundFile
from gaia.testing.clock import until
from tests.servers.twilio import (
    CREATE_MESSAGE,
    BadGateway,
    CutAfterRead,
    Fault,
    MalformedJson,
    Refused,
    ServerError,
    TooManyRequests,
    TwilioServer,
    failing,
    read,
)

if TYPE_CHECKING:
    from conftest import Rig

ADA, BOB = "+4915112345678", "+4915187654321"
STRANGER_TO_NUMBERS = "ID.1234567890123456"
A_DAY_AGO = timedelta(hours=24)
PDF = OutboundFile("memories.pdf", "application/pdf", 4)


def meets(rig: Rig, fault: Fault) -> None:
    """Have each message meet a fault."""
    rig.twilio.faults = lambda request: fault if request.operation == CREATE_MESSAGE else None


def long_ago(rig: Rig, *, asked: bool = False) -> Contact:
    now = rig.clock.now()
    return Contact(now - A_DAY_AGO, now - timedelta(hours=1) if asked else None)


async def test_formatting_is_whatsapps(rig: Rig) -> None:
    ada = rig.twilio.person(ADA)
    ada.writes("hi")
    sid = await rig.send(ADA, rig.channel.split("**bold** text")[0])
    await rig.twilio.until(lambda: rig.twilio.texts(ada) == ["*bold* text"])
    assert rig.only_message().sid == sid


async def test_somebody_without_a_number_is_written_to(rig: Rig) -> None:
    hidden = rig.twilio.person(STRANGER_TO_NUMBERS)
    hidden.writes("hi")
    (inbound,) = await rig.until_received(1)
    await rig.send(inbound.chat, "hello")
    await rig.twilio.until(lambda: rig.twilio.texts(hidden) == ["hello"])


async def test_a_possible_repeat_is_marked(rig: Rig) -> None:
    ada = rig.twilio.person(ADA)
    ada.writes("hi")
    await rig.send(ADA, "x", is_repeat=True)
    await rig.twilio.until(lambda: rig.twilio.texts(ada) == [f"{REPEAT_MARK}x"])


async def test_the_longest_chunk_is_taken_with_a_mark(rig: Rig) -> None:
    rig.twilio.person(ADA).writes("hi")
    chunks = rig.channel.split("word " * 800)
    for chunk in chunks:
        await rig.send(ADA, chunk, is_repeat=True)
    assert len(chunks) == 3
    assert max(len(each.body) for each in rig.twilio.accepted()) > 1500


async def test_what_became_of_a_chunk_is_reported(rig: Rig) -> None:
    rig.twilio.callbacks = read
    rig.twilio.person(ADA).writes("hi")
    sid = await rig.send(ADA, outbox_id=42)
    await rig.until_reported(3)
    reports = rig.core.state.reports
    assert {(each.outbox_id, each.provider_id) for each in reports} == {(42, sid)}
    assert [each.stage for each in reports] == [
        DeliveryStage.SENT,
        DeliveryStage.DELIVERED,
        DeliveryStage.READ,
    ]


async def test_a_closed_window_that_gaia_did_not_know_of_is_reported_as_such(rig: Rig) -> None:
    rig.twilio.person(ADA)
    await rig.send(ADA)
    await rig.until_reported(1)
    (report,) = rig.core.state.reports
    assert isinstance(report.failure, UnreachableError)
    assert report.failure.contact_lost


async def test_somebody_who_left_the_sandbox_is_waited_for(sandbox_rig: Rig) -> None:
    sandbox_rig.twilio.person(ADA)
    await sandbox_rig.send(ADA)
    await sandbox_rig.until_reported(1)
    failure = sandbox_rig.core.state.reports[0].failure
    assert isinstance(failure, UnreachableError)
    assert failure.contact_lost
    assert "joined the sandbox" in str(failure)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (BadGateway(), RetryableSendError),
        (ServerError(), UnknownSendError),
        (ServerError(processed=True), UnknownSendError),
        (MalformedJson(processed=True), UnknownSendError),
        (CutAfterRead(processed=True), UnknownSendError),
        (Refused(400, 21614), PermanentSendError),
        (Refused(400, 21606), RetryableSendError),
        (Refused(401, 20003), RetryableSendError),
        (Refused(403, 20403), RetryableSendError),
    ],
    ids=repr,
)
async def test_each_fault_has_its_end(rig: Rig, fault: Fault, kind: type[SendError]) -> None:
    meets(rig, fault)
    with pytest.raises(kind) as raised:
        await rig.send(ADA)
    assert type(raised.value) is kind


async def test_a_wish_to_be_left_alone_holds_for_the_chat_alone(rig: Rig) -> None:
    for address in (ADA, BOB):
        rig.twilio.person(address).writes("hi")
    rig.twilio.faults = lambda request: (
        TooManyRequests(30)
        if request.person == ADA and request.operation == CREATE_MESSAGE
        else None
    )
    for waits in (30, 30):
        with pytest.raises(RetryableSendError) as raised:
            await rig.send(ADA)
        assert raised.value.after_seconds == pytest.approx(waits)
    assert len(rig.twilio.requests(CREATE_MESSAGE)) == 1
    await rig.send(BOB)
    rig.twilio.no_more_faults()
    rig.clock.advance(30)
    await rig.send(ADA)


async def test_the_limit_of_a_day_is_waited_out_by_the_hour(rig: Rig) -> None:
    meets(rig, Refused(429, 63038, "Account exceeded the 50 daily messages limit"))
    with pytest.raises(RetryableSendError, match="no more messages today") as raised:
        await rig.send(ADA)
    assert raised.value.after_seconds == 3600


async def test_whoever_wrote_stop_is_not_written_to(rig: Rig) -> None:
    rig.twilio.person(ADA).stops()
    with pytest.raises(PermanentSendError, match="STOP"):
        await rig.send(ADA)


@pytest.mark.parametrize("chat", ["", "12", "whatsapp:+4915112345678", "a b", "../x"])
async def test_a_chat_that_is_none_of_whatsapps_is_dead(rig: Rig, chat: str) -> None:
    with pytest.raises(PermanentSendError):
        await rig.send(chat)
    assert rig.twilio.requests(CREATE_MESSAGE) == []


async def test_without_a_template_a_closed_window_waits(rig: Rig) -> None:
    with pytest.raises(UnreachableError, match="template is not set") as raised:
        await rig.send(ADA, contact=long_ago(rig))
    assert not raised.value.asked
    assert not raised.value.contact_lost
    assert rig.twilio.requests(CREATE_MESSAGE) == []


async def test_a_template_carries_a_short_reply(
    twilio: TwilioServer, build_rig: Callable[..., Rig]
) -> None:
    rig = build_rig(
        template=twilio.template("From gaia: {{words}} (end)"), template_variable="words"
    )
    ada = twilio.person(ADA)
    async with rig.serving():
        sid = await rig.send(ADA, "tea\nat four", outbox_id=7, contact=long_ago(rig))
        await twilio.until(lambda: twilio.texts(ada) == ["From gaia: tea · at four (end)"])
        await rig.until_reported(2)
    assert {(each.outbox_id, each.provider_id) for each in rig.core.state.reports} == {(7, sid)}


async def test_a_template_asks_for_what_it_cannot_carry_and_only_once(
    twilio: TwilioServer, build_rig: Callable[..., Rig]
) -> None:
    rig = build_rig(template=twilio.template("Dear reader, {{1}} -- gaia"), template_variable="1")
    ada = twilio.person(ADA)
    async with rig.serving():
        with pytest.raises(UnreachableError) as raised:
            await rig.send(ADA, "x" * 1000, contact=long_ago(rig))
        assert raised.value.asked
        await twilio.until(lambda: len(twilio.texts(ada)) == 1)
        with pytest.raises(UnreachableError) as raised:
            await rig.send(ADA, "x" * 1000, contact=long_ago(rig, asked=True))
        assert not raised.value.asked
        await until(lambda: any("/asked/1" in each.url for each in twilio.calls_made))
    assert "Write back to read it." in twilio.texts(ada)[0]
    assert len(twilio.requests(CREATE_MESSAGE)) == 1
    assert rig.core.state.reports == []


async def test_an_asking_of_which_nobody_knows_whether_it_arrived_is_not_repeated(
    twilio: TwilioServer, build_rig: Callable[..., Rig]
) -> None:
    rig = build_rig(template=twilio.template("Please write back."))
    twilio.person(ADA)
    async with rig.serving():
        meets(rig, CutAfterRead(processed=True))
        with pytest.raises(UnreachableError) as raised:
            await rig.send(ADA, contact=long_ago(rig))
    assert raised.value.asked


@pytest.mark.parametrize("later", [False, True])
async def test_a_chunk_waits_while_its_template_cannot_be_sent(
    twilio: TwilioServer, build_rig: Callable[..., Rig], *, later: bool
) -> None:
    sid = twilio.template("It is said: {{1}}, all of it", failure=63041 if later else None)
    rig = build_rig(template=sid, template_variable="1")
    twilio.person(ADA)
    async with rig.serving():
        await rig.until_well()
        if later:
            await rig.send(ADA, contact=long_ago(rig))
            await rig.until_reported(1)
            failure = rig.core.state.reports[0].failure
        else:
            meets(rig, Refused(400, 21655))
            with pytest.raises(UnreachableError) as raised:
                await rig.send(ADA, contact=long_ago(rig))
            failure = raised.value
        await rig.until_ill("template")
    assert isinstance(failure, UnreachableError)
    assert not failure.asked
    assert not failure.contact_lost


async def test_a_file_is_fetched_by_twilio_from_gaia(rig: Rig) -> None:
    ada = rig.twilio.person(ADA)
    ada.writes("/export")
    rig.core.state.files[5] = b"%PDF"
    await rig.send(ADA, "Here it is.", outbox_id=5, file=PDF)
    await rig.twilio.until(lambda: len(rig.twilio.messages(ada)) == 1)
    (message,) = rig.twilio.messages(ada)
    assert message.body == "Here it is."
    assert [(each.content, each.media_type) for each in message.media] == [
        (b"%PDF", "application/pdf")
    ]


async def test_the_text_of_a_file_that_is_gone_goes_alone(rig: Rig) -> None:
    ada = rig.twilio.person(ADA)
    ada.writes("/export")
    await rig.send(ADA, "Here it is.", outbox_id=5, file=PDF)
    await rig.twilio.until(lambda: rig.twilio.texts(ada) == ["Here it is."])
    assert rig.only_message().media_urls == ()


async def test_a_number_that_is_no_sender_is_told_until_it_works(rig: Rig) -> None:
    rig.twilio.person(ADA).writes("hi")
    meets(rig, Refused(400, 63007))
    with pytest.raises(RetryableSendError):
        await rig.send(ADA)
    await rig.until_ill("channels.whatsapp.number is no WhatsApp sender")
    rig.twilio.no_more_faults()
    await rig.send(ADA)
    assert rig.channel.health().ok


async def test_a_failure_that_is_the_owners_is_told_though_it_comes_late(rig: Rig) -> None:
    rig.twilio.callbacks = failing(63051)
    rig.twilio.person(ADA).writes("hi")
    await rig.send(ADA)
    await rig.until_ill("Meta has locked")


async def test_whoever_waited_for_the_channel_is_woken_when_it_serves(idle_rig: Rig) -> None:
    with pytest.raises(UnreachableError):
        await idle_rig.send(ADA)
    async with idle_rig.serving():
        await idle_rig.until_well()
    assert idle_rig.core.state.reachable == [ADA]

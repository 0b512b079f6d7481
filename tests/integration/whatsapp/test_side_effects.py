from __future__ import annotations

from typing import TYPE_CHECKING

from gaia.messages import TurnEnded, TurnStarted
from gaia.testing.clock import until
from tests.servers.twilio import (
    CREATE_MESSAGE,
    CREATE_TYPING,
    BadGateway,
    Hang,
    Refused,
    TooManyRequests,
)

if TYPE_CHECKING:
    from conftest import Rig

ADA = "+4915112345678"
TYPING_SECONDS = 20
ENDED = TurnEnded(ADA, "t1")


async def started(rig: Rig) -> TurnStarted:
    """A turn that answers what Ada wrote."""
    message = rig.twilio.person(ADA).writes("hi")
    await rig.until_received(1)
    return TurnStarted(ADA, "t1", (message.sid,))


async def test_somebody_sees_typing_while_a_turn_runs_and_not_after(rig: Rig) -> None:
    ada, turn = rig.twilio.person(ADA), await started(rig)
    rig.channel.watch(turn)
    rig.channel.watch(turn)
    await rig.twilio.until(lambda: rig.twilio.typing(ada) == 1)
    for count in (2, 3):
        await rig.sleep_off(TYPING_SECONDS)
        await rig.twilio.until(lambda count=count: rig.twilio.typing(ada) == count)
    await until(lambda: rig.is_asleep_for(TYPING_SECONDS))
    rig.channel.watch(ENDED)
    await until(lambda: not rig.is_asleep_for(TYPING_SECONDS))
    rig.clock.advance(TYPING_SECONDS)
    await rig.send(ADA)
    assert rig.twilio.typing(ada) == 3


async def test_typing_ends_with_a_turn_that_began_again_at_once(rig: Rig) -> None:
    ada, turn = rig.twilio.person(ADA), await started(rig)
    for event in (turn, ENDED, turn):
        rig.channel.watch(event)
    await rig.twilio.until(lambda: rig.twilio.typing(ada) == 1)
    await until(lambda: rig.is_asleep_for(TYPING_SECONDS))
    rig.channel.watch(ENDED)
    await until(lambda: not rig.is_asleep_for(TYPING_SECONDS))


async def test_what_nobody_asked_shows_no_typing(rig: Rig) -> None:
    for answered in ((), ("m1",), ("whatsapp:+49151",)):
        rig.channel.watch(TurnStarted(ADA, "t1", answered))
    await rig.send(ADA)
    assert rig.twilio.requests(CREATE_TYPING) == []


async def test_typing_goes_on_after_a_fault_of_the_network(rig: Rig) -> None:
    ada, turn = rig.twilio.person(ADA), await started(rig)
    rig.twilio.faults = lambda request: BadGateway() if request.count == 1 else None
    rig.channel.watch(turn)
    await rig.sleep_off(TYPING_SECONDS)
    await rig.twilio.until(lambda: rig.twilio.typing(ada) == 1)


async def test_typing_that_twilio_does_not_take_is_given_up(rig: Rig) -> None:
    turn = await started(rig)
    rig.twilio.faults = lambda request: Refused(400, 20422)
    rig.channel.watch(turn)
    await rig.twilio.until(lambda: len(rig.twilio.requests(CREATE_TYPING)) == 1)
    await until(lambda: not rig.is_asleep_for(TYPING_SECONDS))


async def test_no_typing_where_twilio_wants_to_be_left_alone(rig: Rig) -> None:
    turn = await started(rig)
    rig.twilio.faults = lambda request: TooManyRequests(25)
    rig.channel.watch(turn)
    await rig.sleep_off(TYPING_SECONDS)
    await until(lambda: rig.is_asleep_for(TYPING_SECONDS))
    assert len(rig.twilio.requests(CREATE_TYPING)) == 1
    await rig.sleep_off(TYPING_SECONDS)
    await rig.twilio.until(lambda: len(rig.twilio.requests(CREATE_TYPING)) == 2)


async def test_a_stranger_is_told_so(rig: Rig) -> None:
    rig.core.denied_senders.add(ADA)
    rig.core.stranger_reply = "I don't know you."
    ada = rig.twilio.person(ADA)
    ada.writes("hi")
    await rig.twilio.until(lambda: rig.twilio.texts(ada) == ["I don't know you."])
    assert rig.only_message().status_callback == ""
    assert rig.core.state.reachable == []


async def test_a_stranger_who_is_not_to_be_told_gets_nothing(rig: Rig) -> None:
    rig.core.denied_senders.add(ADA)
    rig.twilio.person(ADA).writes("hi")
    await rig.twilio.until_told()
    assert rig.twilio.requests(CREATE_MESSAGE) == []


async def test_a_reply_to_a_stranger_holds_up_nothing(rig: Rig) -> None:
    rig.core.denied_senders.add(ADA)
    rig.core.stranger_reply = "I don't know you."
    rig.twilio.faults = lambda request: Hang()
    rig.twilio.person(ADA).writes("hi")
    rig.twilio.person("+4915187654321").writes("hello")
    await rig.until_received(1)
    await rig.twilio.until_told()
    assert {call.status for call in rig.twilio.calls_made} == {200}

from __future__ import annotations

from typing import TYPE_CHECKING

from gaia.messages import MenuEntry, TurnEnded, TurnStarted
from gaia.testing.clock import until
from tests.servers.telegram import BadGateway, Blocked, Hang, TooManyRequests

if TYPE_CHECKING:
    from conftest import Rig

ADA = 100
MENU = (MenuEntry("help", "What I can do"), MenuEntry("stop", "Stop it"))
STARTED, ENDED = TurnStarted(str(ADA), "t1", ()), TurnEnded(str(ADA), "t1")


def scope(chat_id: int) -> dict[str, object]:
    return {"type": "chat", "chat_id": chat_id}


async def test_somebody_sees_typing_while_a_turn_runs_and_not_after(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    await rig.until_well()
    rig.channel.watch(STARTED)
    rig.channel.watch(STARTED)
    await rig.telegram.until(lambda: rig.telegram.actions(ada) == 1)
    for count in (2, 3):
        await rig.sleep_off(4)
        await rig.telegram.until(lambda count=count: rig.telegram.actions(ada) == count)
    await until(lambda: 4 in rig.clock.sleeping)
    rig.channel.watch(ENDED)
    await until(lambda: 4 not in rig.clock.sleeping)
    rig.clock.advance(20)
    await rig.send(ADA)
    assert rig.telegram.actions(ada) == 3


async def test_typing_ends_with_a_turn_that_began_again_at_once(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    await rig.until_well()
    for event in (STARTED, ENDED, STARTED):
        rig.channel.watch(event)
    await rig.telegram.until(lambda: rig.telegram.actions(ada) == 1)
    await until(lambda: 4 in rig.clock.sleeping)
    rig.channel.watch(ENDED)
    await until(lambda: 4 not in rig.clock.sleeping)


async def test_typing_ends_with_the_channel(idle_rig: Rig) -> None:
    ada = idle_rig.telegram.person(ADA)
    async with idle_rig.serving():
        await idle_rig.until_well()
        idle_rig.channel.watch(STARTED)
        await idle_rig.telegram.until(lambda: idle_rig.telegram.actions(ada) == 1)
    assert idle_rig.clock.sleeping == ()


async def test_typing_goes_on_through_a_fault(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    await rig.until_well()
    rig.telegram.faults = lambda request: BadGateway()
    rig.channel.watch(STARTED)
    await until(lambda: 4 in rig.clock.sleeping)
    rig.telegram.no_more_faults()
    rig.clock.advance(4)
    await rig.telegram.until(lambda: rig.telegram.actions(ada) == 1)


async def test_nobody_types_into_a_chat_that_wants_to_be_left_alone(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    await rig.until_well()
    rig.telegram.faults = lambda request: TooManyRequests(9)
    rig.channel.watch(STARTED)
    await rig.sleep_off(4, 4)
    assert len(rig.telegram.requests("sendChatAction")) == 1
    rig.telegram.no_more_faults()
    await rig.sleep_off(4)
    await rig.telegram.until(lambda: rig.telegram.actions(ada) == 1)


async def test_nobody_types_to_who_blocked_the_bot(rig: Rig) -> None:
    await rig.until_well()
    rig.telegram.faults = lambda request: Blocked()
    rig.channel.watch(STARTED)
    await rig.telegram.until(lambda: len(rig.telegram.requests("sendChatAction")) == 1)
    await until(lambda: rig.clock.sleeping == (75,))


async def test_the_menu_is_set_once_and_when_it_changes(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    rig.core.menu = MENU
    ada.writes("one")
    await rig.telegram.until(lambda: bool(rig.telegram.commands(scope(ADA))))
    assert rig.telegram.commands(scope(ADA)) == {"help": "What I can do", "stop": "Stop it"}
    ada.writes("two")
    await rig.until_received(2)
    rig.core.menu = MENU[:1]
    ada.writes("three")
    await rig.telegram.until(lambda: len(rig.telegram.commands(scope(ADA))) == 1)
    assert len(rig.telegram.requests("setMyCommands")) == 2


async def test_a_menu_that_could_not_be_set_is_tried_again_and_holds_up_nothing(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    rig.core.menu = MENU
    rig.telegram.faults = lambda request: (
        BadGateway() if request.method == "setMyCommands" else None
    )
    ada.writes("one")
    ada.writes("two")
    await rig.until_received(2)
    await rig.telegram.until(lambda: bool(rig.telegram.requests("setMyCommands")))
    rig.telegram.no_more_faults()
    await rig.until_well()
    ada.writes("three")
    await rig.telegram.until(lambda: bool(rig.telegram.commands(scope(ADA))))


async def test_a_stranger_is_told_so_and_gets_nothing_else(rig: Rig) -> None:
    eve = rig.telegram.person(ADA, "Eve")
    rig.core.denied_senders.add(str(ADA))
    rig.core.menu = MENU
    rig.core.stranger_reply = "I don't know you <yet>."
    eve.sends_photo(caption="hello")
    await rig.telegram.until(lambda: rig.telegram.texts(eve) == ["I don't know you <yet>."])
    rig.core.stranger_reply = None
    eve.writes("hello?")
    rig.telegram.person(200, "Bob").writes("hi")
    await rig.until_received(1)
    await rig.telegram.until_polled()
    asked = {request.method for request in rig.telegram.requests()}
    assert asked <= {"getMe", "deleteWebhook", "getUpdates", "sendMessage", "setMyCommands"}
    assert len(rig.telegram.texts(eve)) == 1


async def test_telling_a_stranger_holds_up_nobody(rig: Rig) -> None:
    rig.core.denied_senders.add(str(ADA))
    rig.core.stranger_reply = "I don't know you."
    rig.telegram.faults = lambda request: Hang() if request.method == "sendMessage" else None
    rig.telegram.person(ADA, "Eve").writes("hello")
    rig.telegram.person(200, "Bob").writes("hi")
    await rig.until_received(1)
    assert rig.texts == ["hi"]

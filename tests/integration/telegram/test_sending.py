from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
)
from gaia.messages import REPEAT_MARK, Button
from tests.servers.telegram import (
    BadGateway,
    BadRequest,
    Blocked,
    CutAfterRead,
    Fault,
    MalformedJson,
    ServerError,
    TooManyRequests,
)

if TYPE_CHECKING:
    from conftest import Rig

ADA, BOB, GROUP = 100, 200, -500
SEND = "sendMessage"


def failing(rig: Rig, fault: Fault) -> None:
    rig.telegram.faults = lambda request: fault if request.method == SEND else None


async def test_formatting_is_shown_as_formatting(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    name = await rig.send(ADA, rig.channel.split("**bold** & <b>")[0])
    (message,) = rig.telegram.messages(ada)
    assert message.text == "bold & <b>"
    assert [entity["type"] for entity in message.entities] == ["bold"]
    assert message.parameters["link_preview_options"] == {"is_disabled": True}
    assert name == f"{ADA}:{message.message_id}"


async def test_a_possible_repeat_is_marked(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    await rig.send(ADA, "<pre>x</pre>", is_repeat=True)
    assert rig.telegram.texts(ada) == [f"{REPEAT_MARK}x"]


@pytest.mark.parametrize(
    "reason",
    [
        "can't parse entities: Unsupported start tag",
        "ENTITIES_TOO_LONG",
        "ENTITY_BOUNDS_INVALID",
        "wrong message entity: Wrong URL host",
    ],
)
async def test_formatting_that_telegram_refuses_is_left_out(rig: Rig, reason: str) -> None:
    ada = rig.telegram.person(ADA)
    rig.telegram.faults = lambda request: BadRequest(reason) if request.count == 1 else None
    await rig.send(ADA, '<b>bold</b> &amp; <a href="https://a.b/?c&amp;d">sound</a>')
    (message,) = rig.telegram.messages(ada)
    assert message.text == "bold & sound (https://a.b/?c&d)"
    assert [entity["type"] for entity in message.entities] == ["url"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Blocked(), PermanentSendError),
        (BadRequest("not enough rights to send text messages to the chat"), RetryableSendError),
        (TooManyRequests(7), RetryableSendError),
        (BadGateway(), RetryableSendError),
        (ServerError(processed=True), UnknownSendError),
        (ServerError(), UnknownSendError),
        (MalformedJson(processed=True), UnknownSendError),
        (CutAfterRead(processed=True), UnknownSendError),
        (CutAfterRead(), UnknownSendError),
    ],
    ids=repr,
)
async def test_a_fault_is_an_error_of_sending_and_is_not_asked_for_twice(
    rig: Rig, fault: Fault, kind: type[SendError]
) -> None:
    rig.telegram.person(ADA)
    failing(rig, fault)
    with pytest.raises(SendError) as raised:
        await rig.send(ADA)
    assert type(raised.value) is kind
    assert rig.telegram.token not in str(raised.value)
    assert len(rig.telegram.requests(SEND)) == 1


async def test_an_unknown_chat_is_permanent(rig: Rig) -> None:
    for chat in ("4711", "ada", ""):
        with pytest.raises(PermanentSendError):
            await rig.send(chat)


async def test_no_connection_is_retryable(rig: Rig) -> None:
    await rig.until_well()
    rig.telegram.person(ADA)
    rig.channel._service.sender._api._base_url = "http://127.0.0.1:9/bot"  # type: ignore[union-attr]
    with pytest.raises(RetryableSendError):
        await rig.send(ADA)


async def test_a_channel_that_does_not_serve_tells_when_it_does(idle_rig: Rig) -> None:
    with pytest.raises(UnreachableError):
        await idle_rig.send(ADA)
    async with idle_rig.serving():
        await idle_rig.until_well()
        assert idle_rig.core.state.reachable == [str(ADA)]


@pytest.mark.parametrize(
    ("asked", "heeded"), [(0, 1), (90_000, 86_400), pytest.param(10**400, 86_400, id="huge")]
)
async def test_a_wish_to_be_left_alone_is_heeded_for_a_second_to_a_day(
    rig: Rig, asked: int, heeded: float
) -> None:
    rig.telegram.person(ADA)
    failing(rig, TooManyRequests(asked))
    with pytest.raises(RetryableSendError) as raised:
        await rig.send(ADA)
    assert raised.value.after_seconds == heeded


async def test_a_chat_that_wants_to_be_left_alone_is_and_others_are_not(rig: Rig) -> None:
    group = rig.telegram.group(GROUP, is_forum=True)
    topic = group.opens_topic(rig.telegram.person(ADA), "Trips")
    failing(rig, TooManyRequests(30))
    with pytest.raises(RetryableSendError) as raised:
        await rig.send(GROUP)
    assert raised.value.after_seconds == 30
    rig.telegram.no_more_faults()

    rig.clock.advance(10)
    with pytest.raises(RetryableSendError) as raised:
        await rig.send(f"{GROUP}:{topic}")
    assert raised.value.after_seconds == 20
    assert len(rig.telegram.requests(SEND)) == 1
    await rig.send(ADA)
    rig.clock.advance(20)
    await rig.send(f"{GROUP}:{topic}")
    assert rig.telegram.texts() == ["Hi.", "Hi."]


async def test_a_reply_in_a_group_refers_to_the_message_with_its_first_chunk(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    ada.writes(f"/help@{rig.telegram.bot_username}", to=group)
    asked = (await rig.until_received(1))[0].provider_message_id
    await rig.send(GROUP, "one", in_reply_to=(asked, "callback:7"))
    await rig.send(GROUP, "two", seq=1, in_reply_to=(asked,))
    await rig.send(GROUP, "three", in_reply_to=(f"{GROUP}:4711",))
    one, two, three = rig.telegram.messages(group)
    assert one.reply_to == int(asked.rpartition(":")[2])
    assert two.reply_to is None
    assert three.reply_to is None


async def test_a_reply_in_a_direct_chat_refers_to_nothing(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    ada.writes("hello")
    asked = (await rig.until_received(1))[0].provider_message_id
    await rig.send(ADA, in_reply_to=(asked,))
    assert rig.telegram.messages(ada)[0].reply_to is None


async def test_a_reply_in_a_topic_stays_there(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada], is_forum=True)
    topic = group.opens_topic(ada, "Trips")
    ada.writes(f"/help@{rig.telegram.bot_username}", to=group, thread=topic)
    (inbound,) = await rig.until_received(1)
    assert inbound.chat == f"{GROUP}:{topic}"
    await rig.send(inbound.chat)
    assert rig.telegram.texts(group, thread=topic) == ["Hi."]


async def test_a_reply_to_what_was_deleted_stays_in_its_topic(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada], is_forum=True)
    topic = group.opens_topic(ada, "Trips")
    ada.writes(f"/help@{rig.telegram.bot_username}", to=group, thread=topic)
    (inbound,) = await rig.until_received(1)
    rig.telegram.faults = lambda request: (
        BadRequest("message to be replied not found")
        if "reply_parameters" in request.parameters
        else None
    )
    await rig.send(inbound.chat, in_reply_to=(inbound.provider_message_id,))
    assert rig.telegram.texts(group, thread=topic) == ["Hi."]


@pytest.mark.parametrize(
    "reason", ["reply message not found", "message to reply not found", "REPLY_MESSAGE_ID_INVALID"]
)
async def test_what_it_replies_to_is_left_out_however_telegram_words_it(
    rig: Rig, reason: str
) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    asked = ada.writes(f"/help@{rig.telegram.bot_username}", to=group)
    rig.telegram.faults = lambda request: (
        BadRequest(reason) if "reply_parameters" in request.parameters else None
    )
    await rig.send(GROUP, in_reply_to=(f"{GROUP}:{asked.message_id}",))
    (message,) = rig.telegram.messages(group)
    assert (message.text, message.reply_to) == ("Hi.", None)


async def test_what_is_refused_of_buttons_is_not_taken_for_what_it_replies_to(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    asked = ada.writes(f"/help@{rig.telegram.bot_username}", to=group)
    failing(rig, BadRequest("REPLY_MARKUP_INVALID"))
    with pytest.raises(PermanentSendError):
        await rig.send(GROUP, in_reply_to=(f"{GROUP}:{asked.message_id}",))
    assert len(rig.telegram.requests(SEND)) == 1


async def test_all_of_an_answer_to_a_comment_stands_among_the_comments(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada], is_supergroup=True)
    post = group.discusses(rig.telegram.channel(-100700).posts("Our news"))
    asked = ada.writes("what?", to=group, reply_to=post, thread=post.message_id)
    name = f"{GROUP}:{asked.message_id}"
    for seq, text in enumerate(["one", "two", "three"]):
        await rig.send(GROUP, text, seq=seq, in_reply_to=(name,), turn_id="a")
    assert rig.telegram.texts(group, thread=post.message_id) == ["one", "two", "three"]
    one, two, three = rig.telegram.messages(group)
    assert [each.reply_to for each in (one, two, three)] == [
        asked.message_id,
        one.message_id,
        two.message_id,
    ]


async def test_an_answer_beside_the_comments_is_none_of_them(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada], is_supergroup=True)
    post = group.discusses(rig.telegram.channel(-100700).posts("Our news"))
    comment = ada.writes("what?", to=group, reply_to=post, thread=post.message_id)
    question = ada.writes("and you?", to=group)
    await rig.send(GROUP, "a", in_reply_to=(f"{GROUP}:{comment.message_id}",), turn_id="a")
    await rig.send(GROUP, "b", in_reply_to=(f"{GROUP}:{question.message_id}",), turn_id="b")
    await rig.send(GROUP, "c", seq=1, in_reply_to=(f"{GROUP}:{question.message_id}",), turn_id="b")
    assert [each.reply_to for each in rig.telegram.messages(group)[1:]] == [
        question.message_id,
        None,
    ]


async def test_a_topic_that_is_gone_is_left_out(rig: Rig) -> None:
    group = rig.telegram.group(GROUP, is_forum=True)
    await rig.send(f"{GROUP}:4711")
    assert rig.telegram.texts(group) == ["Hi."]


async def test_a_topic_that_is_closed_is_left_out_with_what_leads_there(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada], is_forum=True)
    topic = group.opens_topic(ada, "Trips")
    ada.writes(f"/help@{rig.telegram.bot_username}", to=group, thread=topic)
    (inbound,) = await rig.until_received(1)
    rig.telegram.faults = lambda request: (
        BadRequest("TOPIC_CLOSED")
        if request.parameters.keys() & {"message_thread_id", "reply_parameters"}
        else None
    )
    await rig.send(inbound.chat, in_reply_to=(inbound.provider_message_id,))
    assert rig.telegram.texts(group, thread=topic) == []
    assert rig.telegram.texts(group) == ["Hi."]


async def test_a_group_that_moved_is_told_and_written_to_again(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    await rig.until_well()
    failing(rig, BadGateway())
    larger = group.becomes_supergroup(-100900, by=ada)
    rig.telegram.no_more_faults()
    with pytest.raises(RetryableSendError):
        await rig.send(GROUP)
    assert (str(GROUP), "-100900") in rig.core.state.moved
    await rig.send(-100900)
    assert rig.telegram.texts(larger) == ["Hi."]


async def test_buttons_write_their_command_and_go_away(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    buttons = (Button("Let in", "/approve 3"), Button("No", "/deny 3"), Button("x", "/" + "y" * 64))
    await rig.send(ADA, buttons=buttons)
    (message,) = rig.telegram.messages(ada)
    assert message.buttons == {"Let in": "/approve 3", "No": "/deny 3"}

    query_id = ada.presses(message, "No")
    (inbound,) = await rig.until_received(1)
    assert inbound.text == "/deny 3"
    assert inbound.provider_message_id == f"callback:{query_id}"
    await rig.telegram.until(lambda: rig.telegram.answer_to(query_id) is not None)
    assert (rig.telegram.answer_to(query_id) or {})["text"] == "No"
    await rig.telegram.until(lambda: rig.telegram.messages(ada)[0].buttons == {})


async def test_two_hundred_chats_at_once_are_all_sent_to(rig: Rig) -> None:
    people = [rig.telegram.person(1000 + number) for number in range(200)]
    await asyncio.gather(*(rig.send(person.chat_id) for person in people))
    assert all(rig.telegram.texts(person) == ["Hi."] for person in people)

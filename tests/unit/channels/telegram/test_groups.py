from __future__ import annotations

from collections.abc import Callable

import pytest

from channels.telegram.events import Event, Ignored, Overheard, Written
from gaia.messages import Address, Inbound

Translate = Callable[..., Event]

GAIA = {"id": 4000, "is_bot": True, "first_name": "Gaia", "username": "Gaia_Bot"}
BOB = {"id": 9, "is_bot": False, "first_name": "Bob"}
PHOTO = [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]


def mention(text: str, name: str = "@gaia_bot") -> dict[str, object]:
    offset = len(text[: text.index(name)].encode("utf-16-le")) // 2
    return {"type": "mention", "offset": offset, "length": len(name)}


def replied(**fields: object) -> dict[str, object]:
    chat = {"id": -100500, "type": "supergroup", "title": "Family"}
    return {"message_id": 40, "date": 1, "chat": chat, "from": GAIA} | fields


def inbound(event: Event) -> Inbound:
    assert isinstance(event, Written), event
    return event.inbound


def test_a_group_is_one_of_its_own(group: Translate) -> None:
    message = inbound(group(text="/help@gaia_bot"))
    assert message.address == Address("telegram", "-100500")
    assert message.chat == "-100500"
    assert not message.direct
    assert message.sender_name == "Ada Lovelace"
    assert message.chat_title == "Family"


def test_a_topic_is_a_chat_of_the_group(group: Translate) -> None:
    message = inbound(group(text="/help@gaia_bot", message_thread_id=3, is_topic_message=True))
    assert message.chat == "-100500:3"
    assert message.address == Address("telegram", "-100500")


def test_what_is_not_for_the_bot_is_overheard_as_far_as_it_may_go_on(group: Translate) -> None:
    event = group(text="dinner at seven?")
    assert isinstance(event, Overheard)
    assert event.inbound.is_overheard
    assert isinstance(group(photo=PHOTO), Ignored)
    assert isinstance(
        group(text="yes", reply_to_message=replied(text="Eat?", **{"from": BOB})), Ignored
    )


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("@gaia_bot what time is it?", "what time is it?"),
        ("@Gaia_Bot, what time is it?", "what time is it?"),
        ("what time is it, @GAIA_BOT?", "what time is it,?"),
        ("👋 hey @gaia_bot what time is it?", "👋 hey what time is it?"),
        ("tell us @gaia_bot", "tell us"),
        ("@gaia_bot", "@gaia_bot"),
    ],
)
def test_a_mention_is_for_the_bot_and_taken_out(
    group: Translate, text: str, understood: str
) -> None:
    name = text[text.index("@") :][:9]
    assert inbound(group(text=text, entities=[mention(text, name)])).text == understood


def test_a_mention_in_a_caption_counts(group: Translate) -> None:
    text = "@gaia_bot what is this?"
    message = inbound(group(caption=text, caption_entities=[mention(text)], photo=PHOTO))
    assert message.text == "what is this?"


def test_a_mention_without_a_user_name_counts(group: Translate) -> None:
    entity = {"type": "text_mention", "offset": 0, "length": 4, "user": GAIA}
    assert inbound(group(text="Gaia hello", entities=[entity])).text == "hello"


def test_a_mention_of_somebody_else_is_not_for_the_bot(group: Translate) -> None:
    text = "@gaia_bottle is a name"
    assert isinstance(group(text=text, entities=[mention(text, "@gaia_bottle")]), Overheard)


def test_the_name_without_an_entity_is_no_mention(group: Translate) -> None:
    assert isinstance(group(text="mail me at x@gaia_bot"), Overheard)


def test_a_reply_to_the_bot_is_for_it(group: Translate) -> None:
    message = inbound(group(text="and tomorrow?", reply_to_message=replied(text="It rains.")))
    assert message.text == "and tomorrow?"
    assert message.notes == ('(in reply to a message of yours: "It rains.")',)


def test_a_message_in_a_topic_that_the_bot_opened_is_no_reply_to_it(group: Translate) -> None:
    opened = replied(forum_topic_created={"name": "Trips", "icon_color": 1})
    event = group(
        text="hi all", reply_to_message=opened, message_thread_id=40, is_topic_message=True
    )
    assert isinstance(event, Overheard)


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("/help@gaia_bot", "/help"),
        ("/remember@GAIA_bot tea", "/remember tea"),
    ],
)
def test_a_command_is_for_the_bot(group: Translate, text: str, understood: str) -> None:
    assert inbound(group(text=text)).text == understood


def test_a_command_that_names_no_bot_may_be_another_ones(group: Translate) -> None:
    event = group(text="/remember tea")
    assert isinstance(event, Overheard)
    assert event.inbound.text == "/remember tea"
    answer = group(text="/remember tea", reply_to_message=replied(text="It rains."))
    assert inbound(answer).text == "/remember tea"
    assert not inbound(answer).is_overheard


@pytest.mark.parametrize("text", ["/help@other_bot", "/etc/hosts", "see /help", "/ help", "/2"])
def test_a_command_of_another_bot_and_what_is_none_is_not_for_gaia(
    group: Translate, text: str
) -> None:
    assert isinstance(group(text=text), Ignored | Overheard)


def test_a_command_of_another_bot_is_ignored_even_as_a_reply(group: Translate) -> None:
    event = group(text="/help@other_bot", reply_to_message=replied(text="It rains."))
    assert isinstance(event, Ignored)


def test_a_part_of_an_album_may_be_for_the_bot_by_another_part(group: Translate) -> None:
    event = group(photo=PHOTO, media_group_id="g1")
    assert isinstance(event, Overheard)
    assert event.inbound.album == "g1"
    assert event.inbound.is_overheard


def test_what_people_write_to_a_channel_is_ignored(group: Translate) -> None:
    """They are many, each with their own topic, in what is called a group."""
    chat = {"id": -100900, "type": "supergroup", "title": "News", "is_direct_messages": True}
    about = {"direct_messages_topic": {"topic_id": 5, "user": BOB}}
    assert isinstance(group(text="/start@gaia_bot", chat=chat, **about), Ignored)


@pytest.mark.parametrize(("title", "name"), [("Boss", "Boss"), (None, "anonymous admin")])
def test_who_writes_as_the_group_is_one_of_it(
    group: Translate, title: str | None, name: str
) -> None:
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
    chat = {"id": -100500, "type": "supergroup", "title": "Family"}
    message = inbound(
        group(
            text="/help@gaia_bot", sender_chat=chat, author_signature=title, **{"from": anonymous}
        )
    )
    assert message.sender_name == name
    assert message.address == Address("telegram", "-100500")


@pytest.mark.parametrize(
    "fields",
    [
        {"sender_chat": {"id": -100777, "type": "channel", "title": "News"}},
        {"is_automatic_forward": True},
        {"from": {"id": 8, "is_bot": True, "first_name": "Other"}},
    ],
)
def test_bots_and_channels_are_ignored(group: Translate, fields: dict[str, object]) -> None:
    assert isinstance(group(text="/help@gaia_bot", **fields), Ignored)

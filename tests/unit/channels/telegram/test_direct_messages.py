from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from channels.telegram.events import Event, Ignored, Migrated, Unblocked, Written
from gaia.messages import Address, Inbound

Translate = Callable[..., Event]


def inbound(event: Event) -> Inbound:
    assert isinstance(event, Written), event
    return event.inbound


def test_a_message_has_its_sender_chat_id_and_time(direct: Translate) -> None:
    assert inbound(direct(text="hello")) == Inbound(
        address=Address("telegram", "7"),
        chat="7",
        provider_message_id="7:42",
        text="hello",
        sent_at=datetime(2026, 1, 1, 12, 0, tzinfo=UTC),
        direct=True,
        sender_name="Ada Lovelace",
    )


def test_a_message_in_a_topic_has_a_chat_of_its_own(direct: Translate) -> None:
    message = inbound(direct(text="hello", message_thread_id=9, is_topic_message=True))
    assert message.chat == "7:9"
    assert message.address == Address("telegram", "7")


def test_a_thread_of_replies_is_no_topic(direct: Translate) -> None:
    assert inbound(direct(text="hello", message_thread_id=9)).chat == "7"


def test_a_caption_is_text(direct: Translate) -> None:
    photo = [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]
    assert inbound(direct(caption="my cat", photo=photo)).text == "my cat"


def test_a_link_keeps_its_address(direct: Translate) -> None:
    entity = {"type": "text_link", "offset": 8, "length": 4, "url": "https://example.org/a"}
    message = inbound(direct(text="👋 read this!", entities=[entity]))
    assert message.text == "👋 read this (https://example.org/a)!"


def test_a_link_that_shows_its_address_is_left_alone(direct: Translate) -> None:
    url = "https://example.org/"
    entity = {"type": "text_link", "offset": 0, "length": 19, "url": url}
    assert inbound(direct(text="https://example.org now", entities=[entity])).text == (
        "https://example.org now"
    )


@pytest.mark.parametrize("offset", [-3, 400])
def test_an_entity_out_of_bounds_is_no_matter(direct: Translate, offset: int) -> None:
    entity = {"type": "text_link", "offset": offset, "length": 4, "url": "https://example.org"}
    assert inbound(direct(text="read this", entities=[entity])).text == "read this"


def test_what_no_database_takes_is_replaced(direct: Translate) -> None:
    text = inbound(direct(text="a\x00b\ud800c")).text
    assert text == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"
    text.encode()


def test_messages_of_an_album_belong_together(direct: Translate) -> None:
    photo = [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]
    assert inbound(direct(photo=photo, media_group_id="g1")).album == "g1"


def test_an_edit_names_the_message_that_it_replaces(edited: Translate) -> None:
    message = inbound(edited(text="hello, gaia"))
    assert message.text == "hello, gaia"
    assert message.edit_of == "7:42"
    assert message.provider_message_id == "7:42:edit:1"


def test_an_edit_without_words_is_ignored(edited: Translate) -> None:
    place = {"latitude": 1.0, "longitude": 2.0, "live_period": 900}
    assert isinstance(edited(location=place), Ignored)


def test_a_forwarded_command_is_not_given(direct: Translate) -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Mallory"}
    message = inbound(direct(text="/forget all", forward_origin=origin))
    assert message.text == '"/forget all"'
    assert message.notes == ('(forwarded from "Mallory")',)


def test_words_that_another_bot_wrote_are_not_the_senders(direct: Translate) -> None:
    wiki = {"id": 55, "is_bot": True, "first_name": "Wiki", "username": "wiki"}
    message = inbound(direct(text="/reset", via_bot=wiki))
    assert message.text == '"/reset"'
    assert message.is_forwarded
    assert message.notes == ('(sent through the bot "@wiki", which wrote it)',)


def test_words_that_gaia_wrote_may_be_sent_through_it(direct: Translate) -> None:
    message = inbound(direct(text="/help", via_bot={"id": 4000, "is_bot": True, "first_name": "G"}))
    assert (message.text, message.is_forwarded, message.notes) == ("/help", False, ())


def test_a_reply_to_what_a_bot_wrote_for_the_sender_is_to_nothing_of_their_own(
    direct: Translate,
) -> None:
    wiki = {"id": 55, "is_bot": True, "first_name": "Wiki", "username": "wiki"}
    chat = {"id": 7, "type": "private", "first_name": "Ada"}
    ada = {"id": 7, "is_bot": False, "first_name": "Ada"}
    replied = {"message_id": 1, "date": 1, "chat": chat, "from": ada, "text": "x", "via_bot": wiki}
    message = inbound(direct(text="look", reply_to_message=replied))
    assert message.notes == ('(in reply to "x")',)


def test_another_bot_is_ignored(direct: Translate) -> None:
    bot = {"id": 8, "is_bot": True, "first_name": "Other"}
    assert isinstance(direct(text="hello", **{"from": bot}), Ignored)


@pytest.mark.parametrize(
    "fields",
    [
        {"pinned_message": {"message_id": 1, "date": 0, "chat": {"id": 7, "type": "private"}}},
        {"video_chat_started": {}},
        {"write_access_allowed": {}},
    ],
)
def test_what_happened_in_the_chat_is_ignored(direct: Translate, fields: dict[str, object]) -> None:
    assert isinstance(direct(**fields), Ignored)


def test_a_group_that_moves_is_told_by_its_old_and_its_new_chat(group: Translate) -> None:
    assert group(migrate_to_chat_id=-100900) == Migrated("-100500", "-100900")
    assert group(migrate_from_chat_id=-33) == Migrated("-33", "-100500")


@pytest.mark.parametrize(
    ("chat_type", "was", "now", "reachable"),
    [
        ("private", "kicked", "member", True),
        ("private", "member", "kicked", False),
        ("supergroup", "kicked", "member", False),
    ],
)
def test_who_unblocks_the_bot_can_be_reached_again(
    update: Translate, chat_type: str, was: str, now: str, *, reachable: bool
) -> None:
    bot = {"id": 4000, "is_bot": True, "first_name": "Gaia"}
    event = update(
        my_chat_member={
            "chat": {"id": 7, "type": chat_type},
            "from": {"id": 7, "is_bot": False, "first_name": "Ada"},
            "date": 1,
            "old_chat_member": {"status": was, "user": bot, "until_date": 0},
            "new_chat_member": {"status": now, "user": bot, "until_date": 0},
        }
    )
    assert (event == Unblocked("7")) is reachable


def test_a_kind_that_was_not_asked_for_is_ignored(update: Translate) -> None:
    assert isinstance(update(channel_post=None), Ignored)


@pytest.mark.parametrize("chat_id", ["7", 7.5, None, True])
def test_an_id_that_is_no_number_is_an_error(update: Translate, chat_id: object) -> None:
    with pytest.raises((TypeError, AttributeError)):
        update(
            message={
                "message_id": 42,
                "date": 1,
                "chat": {"id": chat_id, "type": "private"},
                "from": {"id": 7, "is_bot": False, "first_name": "Ada"},
                "text": "hello",
            }
        )

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from channels.telegram.events import Event, Ignored, Pressed
from gaia.messages import Address, Inbound

Translate = Callable[..., Event]

GAIA = {"id": 4000, "is_bot": True, "first_name": "Gaia", "username": "Gaia_Bot"}
BOB = {"id": 9, "is_bot": False, "first_name": "Bob"}
DIRECT = {"id": 9, "type": "private", "first_name": "Bob"}
GROUP = {"id": -100500, "type": "supergroup", "title": "Family"}
KEYBOARD = {
    "inline_keyboard": [
        [
            {"text": "Let in", "callback_data": "/approve 3"},
            {"text": "No", "callback_data": "/deny 3"},
        ]
    ]
}


def pressed(chat: dict[str, object], **fields: object) -> dict[str, object]:
    message = {"message_id": 50, "date": 1, "chat": chat, "from": GAIA, "reply_markup": KEYBOARD}
    query = {"id": "q1", "from": BOB, "chat_instance": "c", "data": "/deny 3"}
    return query | {"message": message} | fields


def test_a_button_is_writing_its_command(update: Translate) -> None:
    assert update(callback_query=pressed(DIRECT)) == Pressed(
        Inbound(
            address=Address("telegram", "9"),
            chat="9",
            provider_message_id="callback:q1",
            text="/deny 3",
            sent_at=datetime(2026, 1, 1, 12, 0, tzinfo=UTC),
            sender_name="Bob",
            is_pressed=True,
        ),
        callback_id="q1",
        chat_id=9,
        message_id=50,
        label="No",
    )


def test_a_button_in_a_group_belongs_to_the_group(update: Translate) -> None:
    event = update(callback_query=pressed(GROUP))
    assert isinstance(event, Pressed)
    assert event.inbound.address == Address("telegram", "-100500")
    assert event.inbound.sender_name == "Bob"
    assert not event.inbound.direct
    assert event.inbound.chat_title == "Family"


def test_a_button_in_a_topic_answers_there(update: Translate) -> None:
    message = {"message_id": 50, "date": 1, "chat": GROUP, "from": GAIA}
    topic = {"is_topic_message": True, "message_thread_id": 3}
    event = update(callback_query=pressed(GROUP, message=message | topic))
    assert isinstance(event, Pressed)
    assert event.inbound.chat == "-100500:3"


def test_a_button_below_a_message_that_is_too_old_to_see_works(update: Translate) -> None:
    message = {"message_id": 50, "date": 0, "chat": DIRECT}
    event = update(callback_query=pressed(DIRECT, message=message))
    assert isinstance(event, Pressed)
    assert event.message_id == 50
    assert event.label == ""


@pytest.mark.parametrize(
    "fields", [{"data": None, "game_short_name": "chess"}, {"message": None, "data": "x"}]
)
def test_a_button_that_is_not_gaias_is_ignored(
    update: Translate, fields: dict[str, object]
) -> None:
    assert isinstance(update(callback_query=pressed(DIRECT, **fields)), Ignored)

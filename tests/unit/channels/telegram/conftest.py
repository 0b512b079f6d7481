"""Updates in Telegram's own form, and what they are translated to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from telegram import Update

from channels.telegram.events import Event
from channels.telegram.translation import translate
from channels.telegram.words import Me

ME = {"id": 4000, "is_bot": True, "first_name": "Gaia", "username": "Gaia_Bot"}
ADA = {"id": 7, "is_bot": False, "first_name": "Ada", "last_name": "Lovelace"}
NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)

Json = dict[str, object]
Translate = Callable[..., Event]


def message(*, in_group: bool = False, **fields: object) -> Json:
    """A message of Ada's in a chat with the bot, or in a group."""
    direct: Json = {"id": 7, "type": "private", "first_name": "Ada"}
    group: Json = {"id": -100500, "type": "supergroup", "title": "Family"}
    chat = group if in_group else direct
    return {"message_id": 42, "date": 1767268800, "chat": chat, "from": ADA} | fields


def translated(update: Json) -> Event:
    read = Update.de_json({"update_id": 1} | update, None)
    return translate(read, Me(4000, "Gaia_Bot"), NOW)


@pytest.fixture
def direct() -> Translate:
    """What a message with these fields comes to, in a chat with the bot."""
    return lambda **fields: translated({"message": message(**fields)})


@pytest.fixture
def group() -> Translate:
    """What a message with these fields comes to, in a group."""
    return lambda **fields: translated({"message": message(in_group=True, **fields)})


@pytest.fixture
def edited() -> Translate:
    """What an edit of a message comes to."""
    return lambda **fields: translated({"edited_message": message(edit_date=1767268860, **fields)})


@pytest.fixture
def update() -> Translate:
    """What an update with these fields comes to."""
    return lambda **fields: translated(fields)

"""Whether something said in a group is for the bot, and its words without the bot's name.

For the bot is what mentions it, replies to it, or is a command that names no
other bot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from telegram import Message, MessageEntity

from channels.telegram.context import replied_to
from channels.telegram.wording import covered, entities_of, raw_words, rendered

_COMMAND = re.compile(r"\s*(/[A-Za-z][A-Za-z0-9_]*)(?:@(\w+))?(?=\s|$)")
"""`/help` and `/help@bot`; `/etc/hosts` is a path."""


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself."""

    user_id: int
    username: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said in a group: the words, and whether they are for the bot."""

    text: str
    is_addressed: bool


def hear(message: Message, me: Me) -> Heard:
    """What a message in a group says, and whether it says it to the bot."""
    text, entities = raw_words(message), entities_of(message)
    command = _COMMAND.match(text)
    if command is not None and command[2] and command[2].casefold() != me.username.casefold():
        return Heard(rendered(text, entities), is_addressed=False)
    mentions = [entity for entity in entities if _is_mention(text, entity, me)]
    said = rendered(text, entities, without=mentions)
    if command is not None and command[2]:
        said = _COMMAND.sub(r"\1", said, count=1)
    return Heard(
        said or rendered(text, entities),
        is_addressed=bool(command or mentions or _replies_to(message, me)),
    )


def _is_mention(text: str, entity: MessageEntity, me: Me) -> bool:
    if entity.type == MessageEntity.TEXT_MENTION:
        return entity.user is not None and entity.user.id == me.user_id
    if entity.type == MessageEntity.MENTION:
        return covered(text, entity).casefold() == f"@{me.username}".casefold()
    return False


def _replies_to(message: Message, me: Me) -> bool:
    replied = replied_to(message)
    return (
        replied is not None and replied.from_user is not None and replied.from_user.id == me.user_id
    )

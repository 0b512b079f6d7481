"""The words of a message, and whether they are for the bot.

Links are spelled out; in a group the bot's name is left out. Telegram counts the place
of an entity in UTF-16 units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from telegram import Message, MessageEntity

from channels.base.intake import clean
from channels.telegram.rich_message import rich_words

_COMMAND = re.compile(r"\s*(/[A-Za-z][A-Za-z0-9_]*)(?:@(\w+))?(?=\s|$)")
"""`/help` and `/help@bot`; `/etc/hosts` is a path."""


def words_of(message: Message) -> str:
    """Return the words of a message, be they its text, a caption, or those of a rich message;
    links as "label (address)"."""
    return _rendered(_raw_words(message), _entities_of(message))


def _raw_words(message: Message) -> str:
    """Return the text or the caption as Telegram has it: entities count in it. A rich message
    has neither, and no entities."""
    return message.text or message.caption or rich_words(message)


def _entities_of(message: Message) -> Sequence[MessageEntity]:
    """Return the entities of what `_raw_words` returns."""
    return message.entities if message.text else message.caption_entities


def _rendered(
    text: str, entities: Sequence[MessageEntity], *, without: Sequence[MessageEntity] = ()
) -> str:
    """Spell out the addresses of links in `text`, and leave out the entities in `without`."""
    units = text.encode("utf-16-le", "surrogatepass")
    for entity in sorted(entities, key=lambda each: each.offset, reverse=True):
        start, end = 2 * entity.offset, 2 * (entity.offset + entity.length)
        if not 0 <= start < end <= len(units):
            continue
        if entity in without:
            units = _cut_out(units[:start], units[end:])
        elif entity.type == MessageEntity.TEXT_LINK and entity.url:
            label = _decoded(units[start:end])
            if label.strip() not in (entity.url, entity.url.rstrip("/")):
                units = units[:end] + _encoded(f" ({entity.url})") + units[end:]
    return clean(_decoded(units)).strip()


def quote_of(message: Message) -> str:
    """Return the words that a message quotes of another one."""
    return _rendered(message.quote.text, message.quote.entities or ()) if message.quote else ""


def replied_to(message: Message) -> Message | None:
    """Return the message that somebody chose to reply to. Within a topic, every message that
    replies to nothing has the topic's first one there."""
    replied = message.reply_to_message
    return None if replied is None or replied.forum_topic_created else replied


def _covered(text: str, entity: MessageEntity) -> str:
    """Return the part of `text` that an entity marks."""
    units = text.encode("utf-16-le", "surrogatepass")
    return _decoded(units[2 * entity.offset : 2 * (entity.offset + entity.length)])


def _cut_out(before: bytes, after: bytes) -> bytes:
    """Return what is left around a name that is taken out, with one space between words."""
    left, right = _decoded(before), _decoded(after)
    if not left.strip():
        return _encoded(left + right.lstrip(" ,:"))
    if left.endswith(" ") and (not right or right[0] in " ,.;:!?"):
        left = left.rstrip(" ")
    return _encoded(left + right)


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _decoded(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself."""

    user_id: int
    username: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said in a group: the words, and whether they are for the bot. A command that
    names no bot is for whichever knows it."""

    text: str
    is_addressed: bool
    is_for_any_bot: bool = False


def hear(message: Message, me: Me) -> Heard:
    """Return what a message in a group says, and whether it says it to the bot."""
    text, entities = _raw_words(message), _entities_of(message)
    command = _COMMAND.match(text)
    if command is not None and command[2] and command[2].casefold() != me.username.casefold():
        return Heard(_rendered(text, entities), is_addressed=False)
    mentions = [entity for entity in entities if _is_mention(text, entity, me)]
    said = _rendered(text, entities, without=mentions)
    if command is not None and command[2]:
        said = _COMMAND.sub(r"\1", said, count=1)
    names_me = bool((command and command[2]) or mentions or _replies_to(message, me))
    return Heard(
        said or _rendered(text, entities),
        is_addressed=names_me,
        is_for_any_bot=command is not None and not names_me,
    )


def names_another_bot(message: Message, me: Me) -> bool:
    """Whether a message names a bot that the bot itself is not, as far as it knows its name:
    the names of all bots end alike."""
    text = _raw_words(message)
    command = _COMMAND.match(text)
    mentions = (e for e in _entities_of(message) if e.type == MessageEntity.MENTION)
    named = [_covered(text, each).removeprefix("@").casefold() for each in mentions]
    if command is not None and command[2]:
        named.append(command[2].casefold())
    return any(each.endswith("bot") and each != me.username.casefold() for each in named)


def _is_mention(text: str, entity: MessageEntity, me: Me) -> bool:
    if entity.type == MessageEntity.TEXT_MENTION:
        return entity.user is not None and entity.user.id == me.user_id
    if entity.type == MessageEntity.MENTION:
        return _covered(text, entity).casefold() == f"@{me.username}".casefold()
    return False


def _replies_to(message: Message, me: Me) -> bool:
    replied = replied_to(message)
    return (
        replied is not None and replied.from_user is not None and replied.from_user.id == me.user_id
    )

"""The text of a message with its entities: links spelled out, the bot's name left out.

Telegram counts an entity's place in UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Sequence

from telegram import Message, MessageEntity

from channels.wording import clean


def words_of(message: Message) -> str:
    """The words of a message, be they its text or a caption; links as "label (address)"."""
    return rendered(raw_words(message), entities_of(message))


def raw_words(message: Message) -> str:
    """The text or the caption as Telegram has it: entities count in it."""
    return message.text or message.caption or ""


def entities_of(message: Message) -> Sequence[MessageEntity]:
    """The entities of what `raw_words` returns."""
    return message.entities if message.text else message.caption_entities


def rendered(
    text: str, entities: Sequence[MessageEntity], *, without: Sequence[MessageEntity] = ()
) -> str:
    """`text` with the addresses of its links, and without some of the entities."""
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


def covered(text: str, entity: MessageEntity) -> str:
    """The part of `text` that an entity marks."""
    units = text.encode("utf-16-le", "surrogatepass")
    return _decoded(units[2 * entity.offset : 2 * (entity.offset + entity.length)])


def _cut_out(before: bytes, after: bytes) -> bytes:
    """What is left around a name that is taken out, with one space between words."""
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

"""Updates as Telegram may send them, and as it never would: for a channel that no
update may stop.

They are made of the table of the Bot API, so that every type and field turns up;
some are left as they are, and others are broken in one to four places.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from tests.servers.telegram.table import BotApi, Field, Type

DEEPEST = 5
KINDS = ("message", "edited_message", "callback_query", "my_chat_member")
ODD_TEXTS = (
    "",
    " ",
    "/",
    "/help",
    "/help@",
    "/help@gaia_bot",
    "@gaia_bot",
    "\x00",
    "\ud83d",
    "\udc00\ud83d",
    "👩‍👩‍👧‍👦",
    "\u202e\u0301\u200b",
    "-1:2",
    "a" * 5000,
)
ODD_NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**63), 10**40, 1767268800)
SAID = (
    *("animation", "audio", "caption", "caption_entities", "checklist", "contact", "dice"),
    *("document", "entities", "external_reply", "forward_origin", "is_topic_message"),
    *("live_photo", "location", "media_group_id", "message_thread_id", "paid_media", "photo"),
    *("poll", "quote", "reply_to_message", "reply_to_story", "sender_chat", "sticker", "story"),
    *("text", "venue", "video", "video_note", "voice"),
)
"""Fields of messages that somebody wrote; the others mostly tell what happened."""
NAMED = {"private", "group", "supergroup", "channel", "text_link", "mention", "bot_command"}


class OddUpdates:
    """An endless, repeatable supply. Each text in them has `canary` in it."""

    def __init__(self, table: BotApi, seed: int, *, canary: str) -> None:
        self._table = table
        self._random = random.Random(seed)
        self._canary = canary

    def __iter__(self) -> Iterator[dict[str, JsonValue]]:
        while True:
            kind = self._random.choice([*KINDS, "message", "message", self._any_kind()])
            made: JsonValue = {kind: self._field(self._table.types["Update"].fields[kind], 0)}
            for _ in range(self._random.choice((0, 0, 1, 1, 2, 4))):
                made = self._broken(made)
            yield made if isinstance(made, dict) else {kind: made}

    def _any_kind(self) -> str:
        return self._random.choice([*self._table.types["Update"].fields.keys() - {"update_id"}])

    def _field(self, field: Field, depth: int) -> JsonValue:
        if field.always is not None:
            return field.always
        return self._of(self._random.choice(field.types), depth)

    def _of(self, name: str, depth: int) -> JsonValue:
        chance = self._random
        if name.startswith("Array of "):
            longest = 3 if depth < DEEPEST else 0
            inner = name.removeprefix("Array of ")
            return [self._of(inner, depth + 1) for _ in range(chance.randint(0, longest))]
        match name:
            case "Integer":
                return (
                    chance.choice(ODD_NUMBERS) if chance.random() < 0.01 else chance.randint(1, 99)
                )
            case "Float":
                return chance.uniform(-180, 180)
            case "True":
                return True
            case "Boolean":
                return chance.random() < 0.2
            case "String":
                return self._text()
        return self._object(name, depth)

    def _text(self) -> str:
        chance = self._random
        if chance.random() < 0.3:
            return chance.choice([*NAMED])
        return f"{chance.choice(ODD_TEXTS)}{self._canary}"

    def _object(self, name: str, depth: int) -> JsonValue:
        row = self._table.types.get(name)
        if row is None:
            return self._text()
        if row.subtypes:
            return self._of(self._random.choice(row.subtypes), depth)
        optional = self._optional(name, row, depth)
        made: dict[str, JsonValue] = {
            key: self._field(field, depth + 1)
            for key, field in row.fields.items()
            if field.required or key in optional
        }
        if name == "Chat":
            made["type"] = self._random.choice(("private", "private", "supergroup", "group"))
        if name == "Message" and self._random.random() < 0.8:
            made["from"] = self._object("User", depth + 1)
        return made

    def _optional(self, name: str, row: Type, depth: int) -> Sequence[str]:
        """The fields that an object of that name has beyond those it must have."""
        chance = self._random
        if depth > DEEPEST or not row.fields:
            return ()
        names = SAID if name == "Message" and chance.random() < 0.8 else [*row.fields]
        return chance.sample(names, min(len(names), chance.choice((0, 1, 1, 2, 3))))

    def _broken(self, value: JsonValue) -> JsonValue:
        """`value` with something wrong, somewhere in it."""
        chance = self._random
        if isinstance(value, dict) and value and chance.random() < 0.9:
            key = chance.choice([*value])
            match chance.randint(0, 5):
                case 0:
                    return {each: inner for each, inner in value.items() if each != key}
                case 1:
                    return value | {self._text(): value[key]}
                case _:
                    return value | {key: self._broken(value[key])}
        if isinstance(value, list) and value and chance.random() < 0.8:
            place = chance.randrange(len(value))
            return [*value[:place], self._broken(value[place]), *value[place + 1 :]]
        return self._junk()

    def _junk(self) -> JsonValue:
        chance = self._random
        deep: JsonValue = self._text()
        for _ in range(50):
            deep = [deep]
        junk: list[JsonValue] = [None, True, False, {}, [], [[]], deep, 1.5, -0.0, 1e300]
        junk += [*ODD_NUMBERS, self._text(), {self._text(): self._text()}]
        return chance.choice(junk)

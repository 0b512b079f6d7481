"""Text with entities as Telegram keeps it: cleaned, trimmed, offsets in UTF-16 units."""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from tests.servers.telegram.refusals import Json

MAX_ENTITIES = 100
"""Telegram drops those that come after."""

CODE = frozenset({"code", "pre"})
STYLES = frozenset({"bold", "italic", "underline", "strikethrough", "spoiler"})
QUOTES = frozenset({"blockquote", "expandable_blockquote"})
_OUTER_FIRST = ("blockquote", "expandable_blockquote", "pre", "code")

_SPACED = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f]")
"""What becomes a space."""
_DROPPED = re.compile("[\r\u2028-\u202e\u030a\u0333\u033f]")
"""What vanishes: TDLib's `clean_input_string`."""

_FOUND = (
    ("bot_command", re.compile(r"(?<!\w)(?<![/<>])/[a-zA-Z0-9_]{1,64}(?:@\w{3,32})?(?![\w/<>])")),
    ("url", re.compile(r"\bhttps?://[^\s<>\"]*[^\s<>\".,:;!?()\[\]']", re.IGNORECASE)),
    ("email", re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")),
    ("mention", re.compile(r"(?<![\w@])@[a-zA-Z0-9_]{3,32}(?!\w)")),
    ("hashtag", re.compile(r"(?<![\w#])#\w*[^\W\d_]\w*(?![\w#])")),
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A part of a text that means or looks something. Offsets count UTF-16 units.

    `argument` is the URL of a link, the language of a `pre`, the id of an emoji.
    """

    kind: str
    offset: int
    length: int
    argument: str = ""

    @property
    def end(self) -> int:
        return self.offset + self.length

    def json(self) -> Json:
        """The entity as a MessageEntity."""
        shown: Json = {"type": self.kind, "offset": self.offset, "length": self.length}
        names = {"text_link": "url", "pre": "language", "custom_emoji": "custom_emoji_id"}
        if self.argument and self.kind in names:
            shown[names[self.kind]] = self.argument
        return shown


@dataclass(frozen=True, slots=True)
class RichText:
    """A text and its entities."""

    text: str
    entities: tuple[Entity, ...] = ()

    def part(self, entity: Entity) -> str:
        """The characters that an entity covers."""
        encoded = self.text.encode("utf-16-le")
        return encoded[2 * entity.offset : 2 * entity.end].decode("utf-16-le")


def entity_of(shown: Json) -> Entity:
    """The entity that a MessageEntity describes."""
    named = shown.get("url") or shown.get("language") or shown.get("custom_emoji_id")
    offset, length = shown["offset"], shown["length"]
    if not isinstance(offset, int) or not isinstance(length, int):
        raise TypeError(f"{shown!r} is no MessageEntity")
    return Entity(str(shown["type"]), offset, length, str(named or ""))


def utf16_length(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def as_kept(rich: RichText) -> RichText:
    """The text as Telegram stores and shows it: trimmed, with commands, mentions and
    links found, no entity within code, none that covers nothing but space."""
    rich = _trimmed(_cleaned(rich))
    given = _in_order(e for e in rich.entities if rich.part(e).strip())
    whole = _first_wins(e for e in given if e.kind not in STYLES | QUOTES)
    code = [e for e in whole if e.kind in CODE]
    styles = chain.from_iterable(_outside(e, code) for e in given if e.kind in STYLES)
    quotes = [e for e in given if e.kind in QUOTES]
    found = _first_wins([*whole, *_found(rich.text)])
    entities = _in_order([*found, *styles, *quotes])
    return RichText(rich.text, tuple(entities[:MAX_ENTITIES]))


def _cleaned(rich: RichText) -> RichText:
    dropped = [utf16_length(rich.text[: m.start()]) for m in _DROPPED.finditer(rich.text)]
    text = _SPACED.sub(" ", _DROPPED.sub("", rich.text))

    def moved(offset: int) -> int:
        return offset - bisect.bisect_left(dropped, offset)

    entities = (
        dataclasses.replace(e, offset=moved(e.offset), length=moved(e.end) - moved(e.offset))
        for e in rich.entities
    )
    return RichText(text, tuple(each for each in entities if each.length))


def _trimmed(rich: RichText) -> RichText:
    text = rich.text.rstrip(" \n")
    first = min((e.offset for e in rich.entities), default=len(text))
    lead = min(len(text) - len(text.lstrip(" \n")), first)
    text, end = text[lead:], utf16_length(text[lead:])
    moved = [
        dataclasses.replace(
            e, offset=e.offset - lead, length=min(e.end - lead, end) - e.offset + lead
        )
        for e in rich.entities
        if e.offset - lead < end
    ]
    return RichText(text, tuple(moved))


def _in_order(entities: Iterable[Entity]) -> list[Entity]:
    def place(entity: Entity) -> tuple[int, int, int]:
        outer = entity.kind in _OUTER_FIRST
        rank = _OUTER_FIRST.index(entity.kind) if outer else len(_OUTER_FIRST)
        return entity.offset, -entity.length, rank

    return sorted(entities, key=place)


def _first_wins(entities: Iterable[Entity]) -> list[Entity]:
    kept: list[Entity] = []
    for entity in entities:
        if all(entity.offset >= each.end or entity.end <= each.offset for each in kept):
            kept.append(entity)
    return kept


def _outside(entity: Entity, holes: Sequence[Entity]) -> Iterable[Entity]:
    start = entity.offset
    for hole in (*holes, Entity("", entity.end, 0)):
        end = min(hole.offset, entity.end)
        if start < end:
            yield dataclasses.replace(entity, offset=start, length=end - start)
        start = max(start, hole.end)


def _found(text: str) -> Iterable[Entity]:
    for kind, pattern in _FOUND:
        for match in pattern.finditer(text):
            yield Entity(kind, utf16_length(text[: match.start()]), utf16_length(match.group()))

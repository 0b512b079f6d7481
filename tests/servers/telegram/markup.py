"""`parse_mode: HTML`, as Telegram's own parser reads it, with its words for what is wrong.

It follows `parse_html` of TDLib, the library on which the Bot API server is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.servers.telegram.refusals import ApiRefusal, bad_request
from tests.servers.telegram.texts import Entity, RichText, utf16_length

_KINDS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "span": "spoiler",
    "tg-spoiler": "spoiler",
    "tg-emoji": "custom_emoji",
    "a": "text_link",
    "pre": "pre",
    "code": "code",
    "blockquote": "blockquote",
}
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_CHARACTER = re.compile(r"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([a-zA-Z]+));?")
_LONGEST_NUMBER = 9
"""Characters of a numeric reference, the semicolon not counted."""
_SPACES = re.compile(r"\s*", re.ASCII)
_TAG_NAME = re.compile(r"[^\s>]*", re.ASCII)
_ATTRIBUTE_NAME = re.compile(r"[^\s=>]*", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z0-9.-]*")
_LINK = re.compile(r"(?:https?://|tg://|mailto:|tel:|(?:[\w-]+\.)+[a-z]{2,})\S*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Open:
    tag: str
    argument: str
    offset: int
    position: int


def parse_html(source: str) -> RichText:
    """The text and entities that `source` stands for. Raises `ApiRefusal`."""
    return _Parser(source).parse()


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._text: list[str] = []
        self._offset = 0
        self._open: list[_Open] = []
        self._entities: list[Entity] = []

    def parse(self) -> RichText:
        while self._at < len(self._source):
            if self._source.startswith("</", self._at):
                self._end_tag()
            elif self._source[self._at] == "<":
                self._start_tag()
            else:
                self._character()
        if self._open:
            tag = self._open[-1].tag
            raise _unparsable(f'Can\'t find end tag corresponding to start tag "{tag}"')
        return RichText("".join(self._text), tuple(map(_without_leftovers, self._entities)))

    def _character(self) -> None:
        character = self._decoded()
        self._text.append(character)
        self._offset += utf16_length(character)

    def _decoded(self) -> str:
        """The character here, or the one that a reference stands for; steps behind it."""
        match = _CHARACTER.match(self._source, self._at)
        character = _referenced(match) if match else None
        if match is None or character is None:
            self._at += 1
            return self._source[self._at - 1]
        self._at = match.end()
        return character

    def _start_tag(self) -> None:
        begin = self._at
        self._at += 1
        tag = self._take(_TAG_NAME).lower()
        if self._ended():
            raise self._wrong("Unclosed start tag", begin)
        if tag not in _KINDS:
            raise self._wrong(f'Unsupported start tag "{tag}"', begin)
        argument = ""
        while self._attributes_follow():
            argument = self._attribute(tag, begin) or argument
        self._at += 1
        if tag == "span" and argument != "spoiler":
            raise self._wrong('Tag "span" must have class "tg-spoiler"', begin)
        self._open.append(_Open(tag, argument, self._offset, len(self._text)))

    def _attributes_follow(self) -> bool:
        self._take(_SPACES)
        return self._source[self._at : self._at + 1] != ">"

    def _attribute(self, tag: str, begin: int) -> str:
        """What the attribute says that matters for the entity, or nothing."""
        name = self._take(_ATTRIBUTE_NAME)
        if self._ended():
            raise self._wrong("Unclosed start tag", begin)
        if not name:
            raise self._wrong(f'Empty attribute name in the tag "{tag}"', begin)
        self._take(_SPACES)
        if self._source[self._at : self._at + 1] != "=":
            return "expandable" if (tag, name) == ("blockquote", "expandable") else ""
        self._at += 1
        self._take(_SPACES)
        if self._ended():
            raise self._wrong(f'Unclosed start tag "{tag}"', begin)
        value = self._value()
        if self._ended():
            raise self._wrong("Unclosed start tag", begin)
        return _argument(tag, name, value)

    def _value(self) -> str:
        quote = self._source[self._at]
        if quote not in "\"'":
            begin = self._at
            token = self._take(_TOKEN).lower()
            if not self._ended() and self._source[self._at] not in " \t\n\r\v\f>":
                raise self._wrong("Unexpected end of name token", begin)
            return token
        self._at += 1
        value: list[str] = []
        while not self._ended() and self._source[self._at] != quote:
            value.append(self._decoded())
        self._at += 1
        return "".join(value)

    def _end_tag(self) -> None:
        begin = self._at
        if not self._open:
            raise self._wrong("Unexpected end tag", begin)
        self._at += 2
        tag = self._take(_TAG_NAME).lower()
        self._take(_SPACES)
        if self._source[self._at : self._at + 1] != ">":
            raise self._wrong("Unclosed end tag", begin)
        opened = self._open.pop()
        if tag not in ("", opened.tag):
            byte = self._byte(begin)
            raise _unparsable(
                f"Unmatched end tag at byte offset {byte}, "
                f'expected "</{opened.tag}>", found "</{tag}>"'
            )
        self._at += 1
        if self._offset > opened.offset:
            self._close(opened)

    def _close(self, opened: _Open) -> None:
        entity = Entity(
            _KINDS[opened.tag], opened.offset, self._offset - opened.offset, opened.argument
        )
        match opened.tag:
            case "a":
                url = opened.argument or "".join(self._text[opened.position :])
                if _LINK.match(url):
                    url = url if ":" in url else f"http://{url}/"
                    self._entities.append(Entity(entity.kind, entity.offset, entity.length, url))
            case "pre" | "code" if self._is_within(entity):
                inner = self._entities.pop()
                language = entity.argument or inner.argument
                self._entities.append(Entity("pre", entity.offset, entity.length, language))
            case "blockquote" if opened.argument:
                self._entities.append(Entity("expandable_blockquote", entity.offset, entity.length))
            case _:
                self._entities.append(entity)

    def _is_within(self, entity: Entity) -> bool:
        """Whether `pre` and `code` with a language cover the same text."""
        if not self._entities:
            return False
        inner = self._entities[-1]
        together = {inner.kind, entity.kind} == {"pre", "code"}
        same = (inner.offset, inner.length) == (entity.offset, entity.length)
        return together and same and bool(inner.argument or entity.argument)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._source, self._at)
        taken = match.group() if match else ""
        self._at += len(taken)
        return taken

    def _ended(self) -> bool:
        return self._at >= len(self._source)

    def _byte(self, position: int) -> int:
        return len(self._source[:position].encode())

    def _wrong(self, what: str, position: int) -> ApiRefusal:
        return _unparsable(f"{what} at byte offset {self._byte(position)}")


def _unparsable(reason: str) -> ApiRefusal:
    return bad_request(f"can't parse entities: {reason}")


def _without_leftovers(entity: Entity) -> Entity:
    """Without what only mattered while reading, such as the language of bare `code`."""
    if entity.kind in ("text_link", "pre", "custom_emoji"):
        return entity
    return Entity(entity.kind, entity.offset, entity.length)


def _referenced(match: re.Match[str]) -> str | None:
    hexadecimal, decimal, name = match.groups()
    if name:
        return _NAMED.get(name)
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    length = len(match.group().removesuffix(";"))
    if not 0 < code < 0x10FFFF or length > _LONGEST_NUMBER or 0xD800 <= code <= 0xDFFF:
        return None
    return chr(code)


def _argument(tag: str, name: str, value: str) -> str:
    match tag, name:
        case ("a", "href") | ("tg-emoji", "emoji-id"):
            return value
        case "code", "class" if value.startswith("language-"):
            return value.removeprefix("language-")
        case "span", "class" if value.startswith("tg-"):
            return value.removeprefix("tg-")
    return ""

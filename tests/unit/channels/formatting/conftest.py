"""A reader of Telegram's HTML that is stricter than Telegram and shares nothing with gaia."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

TOKEN = re.compile(
    r"""
      <(?P<open> b | i | s | code | pre | blockquote )>
    | <(?P<link> a )\ href="(?P<href> [^"<>\s]+ )">
    | <(?P<language> code )\ class="language-(?P<name> [A-Za-z0-9+\#._-]+ )">
    | </(?P<close> b | i | s | a | code | pre | blockquote )>
    | &(?P<escaped> lt | gt | amp | quot );
    | (?P<text> [^<>&]+ )
    """,
    re.VERBOSE,
)
ESCAPED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
CODE = {"code", "pre"}
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Entity:
    """A piece of formatting, as Telegram keeps it beside the text."""

    kind: str
    shown: str
    argument: str = ""


@dataclass(frozen=True)
class Message:
    """What a person gets to see."""

    text: str
    entities: tuple[Entity, ...]


Reader = Callable[[str], Message]


@dataclass
class Opened:
    tag: str
    start: int
    argument: str = ""


def read(html: str) -> Message:
    """The message that Telegram makes of `html`; fails where Telegram would refuse
    it, change it, or leave out a part of its formatting."""
    text, position = "", 0
    opened: list[Opened] = []
    entities: list[Entity] = []
    while position < len(html):
        token = TOKEN.match(html, position)
        assert token, f"not Telegram's HTML: {html[position : position + 30]!r}"
        position = token.end()
        if token["text"] or token["escaped"]:
            text += token["text"] or ESCAPED[token["escaped"]]
        elif token["close"]:
            last = opened.pop()
            assert last.tag == token["close"], f"{last.tag} is closed by {token['close']}"
            entities += ended(last, text[last.start :])
        else:
            new = Opened(
                token["open"] or token["link"] or token["language"],
                len(text),
                unescaped(token["href"] or token["name"] or ""),
            )
            check_place(new, opened, text)
            opened.append(new)
    assert not opened, f"{opened[-1].tag} is not closed"
    check_text(text)
    assert len(entities) <= 100
    return Message(text, tuple(entities))


def ended(last: Opened, shown: str) -> list[Entity]:
    assert shown.strip(), f"an empty {last.tag}"
    if last.tag == "pre" and shown.startswith("\n"):
        raise AssertionError("code begins with an empty line")
    if last.tag == "code" and last.argument:
        return []
    return [Entity(last.tag, shown, last.argument)]


def check_place(new: Opened, around: list[Opened], text: str) -> None:
    """Telegram's rules for what may be within what."""
    tags = [each.tag for each in around]
    assert new.tag not in tags, f"{new.tag} within {new.tag}"
    if new.tag == "code" and new.argument:
        assert tags[-1:] == ["pre"], "a language outside of pre"
        assert around[-1].start == len(text), "text before the language"
        around[-1].argument = new.argument
        return
    assert not CODE & set(tags), f"{new.tag} within code"
    if new.tag in CODE:
        assert set(tags) <= {"blockquote"}, f"{new.tag} within {tags}"
    if new.tag == "blockquote":
        assert not tags, f"a quote within {tags}"
    if new.tag == "a":
        assert re.match(r"https?://[^/?#]+\.|tg://", new.argument, re.IGNORECASE), new.argument


def check_text(text: str) -> None:
    assert text.strip(), "an empty message"
    assert len(text.encode("utf-16-le")) // 2 <= 4096
    assert not CONTROLS.search(text)
    assert text == text.rstrip(), "Telegram takes white space off the end"


def unescaped(value: str) -> str:
    assert not re.search(r"&(?!(lt|gt|amp|quot);)", value), f"a bare & in {value!r}"
    return re.sub(r"&(\w+);", lambda match: ESCAPED[match[1]], value)


@pytest.fixture(scope="session")
def telegram() -> Reader:
    """What Telegram makes of a chunk of HTML."""
    return read

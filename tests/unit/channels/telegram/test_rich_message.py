"""The words of rich messages, which other bots send and people forward."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import pytest

from channels.telegram.events import Event, Overheard, Written
from gaia.messages import Inbound
from tests.servers.telegram.table import load_bot_api

Translate = Callable[..., Event]

TABLE = load_bot_api().types
WORDLESS = {"RichBlockDivider", "RichBlockAnchor", "RichTextAnchor"}
KINDS = [
    name
    for name, kind in TABLE.items()
    if name.startswith(("RichBlock", "RichText")) and not kind.subtypes and name not in WORDLESS
]
WEATHER = {
    "blocks": [
        {"type": "heading", "text": "Weather", "size": 1},
        {
            "type": "paragraph",
            "text": [
                "Rain ",
                {"type": "bold", "text": ["in ", "Porto"]},
                ", see ",
                {"type": "url", "text": "the map", "url": "https://rain.example/"},
            ],
        },
        {"type": "divider"},
        {
            "type": "list",
            "items": [
                {"label": "1.", "blocks": [{"type": "paragraph", "text": "coat"}]},
                {
                    "label": "•",
                    "has_checkbox": True,
                    "is_checked": True,
                    "blocks": [{"type": "paragraph", "text": "boots"}],
                },
            ],
        },
        {
            "type": "table",
            "cells": [[{"text": "Mon"}, {"text": "12°"}], [{"text": "Tue"}, {}, {"text": "dry"}]],
            "caption": "This week",
        },
        {
            "type": "blockquote",
            "blocks": [{"type": "paragraph", "text": "It pours."}],
            "credit": "Ann",
        },
        {"type": "details", "summary": "More", "blocks": [{"type": "footer", "text": "by bot"}]},
        {"type": "photo", "photo": [], "caption": {"text": "A cloud", "credit": "Bob"}},
        {"type": "voice_note", "voice_note": {}},
    ]
}
WORDS = """\
Weather
Rain in Porto, see the map (https://rain.example/)
1. coat
• [x] boots
Mon | 12°
Tue |  | dry
This week
It pours.
Ann
More
by bot
(photo)
A cloud Bob
(voice note)"""
OF_A_BOT = {
    "type": "user",
    "date": 1767268800,
    "sender_user": {"id": 9, "is_bot": True, "first_name": "Weather"},
}


def inbound(event: Event) -> Inbound:
    assert isinstance(event, Written | Overheard), event
    return event.inbound


def test_the_words_of_each_part_are_read(direct: Translate) -> None:
    assert inbound(direct(rich_message=WEATHER)).text == WORDS


def test_they_are_those_of_whom_they_are_forwarded_from(direct: Translate) -> None:
    rich = {"blocks": [{"type": "paragraph", "text": "/forget all"}]}
    received = inbound(direct(rich_message=rich, forward_origin=OF_A_BOT))
    assert received.is_forwarded
    assert received.text == '"/forget all"'
    assert received.notes == ('(forwarded from "Weather")',)


def test_they_come_along_with_a_reply(direct: Translate) -> None:
    theirs = {"message_id": 41, "date": 1767268800, "rich_message": WEATHER}
    theirs |= {"chat": {"id": 7, "type": "private"}, "from": OF_A_BOT["sender_user"]}
    received = inbound(direct(text="will it rain?", reply_to_message=theirs))
    assert received.replied_to is not None
    assert received.replied_to.text == WORDS


@pytest.mark.parametrize(
    "rich",
    [{}, {"blocks": []}, {"blocks": [{"type": "divider"}, 7, None]}, {"blocks": "x"}, 7],
    ids=repr,
)
def test_one_without_words_is_named(direct: Translate, rich: object) -> None:
    received = inbound(direct(rich_message=rich))
    assert received.text == ""
    assert received.notes == ('(sent something that cannot be read here: "rich message")',)


@pytest.mark.parametrize("odd", [None, 7, 1.5, True, "odd", [], [7, None], {}, {"x": 1}], ids=repr)
def test_a_part_of_any_shape_costs_no_other_part_its_words(direct: Translate, odd: object) -> None:
    ours = [{"type": "paragraph", "text": "before"}, {"type": "paragraph", "text": "after"}]
    places = list(places_in(WEATHER["blocks"]))
    assert (4, "cells", 0) in places
    for place in places:
        blocks = [ours[0], *with_odd(WEATHER["blocks"], place, odd), ours[1]]
        text = inbound(direct(rich_message={"blocks": blocks})).text
        assert (text[:7], text[-6:]) == ("before\n", "\nafter"), place


def places_in(value: Any, above: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The way to each part of a value, and to each part of that."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts:
        yield (*above, key)
        if isinstance(part, dict | list):
            yield from places_in(part, (*above, key))


def with_odd(value: Any, place: Sequence[Any], odd: object) -> Any:
    """A copy of a value with something odd at a place."""
    if not place:
        return odd
    changed = copy(value)
    changed[place[0]] = with_odd(value[place[0]], place[1:], odd)
    return changed


@pytest.mark.parametrize("name", KINDS)
def test_no_kind_that_telegram_documents_loses_its_words(direct: Translate, name: str) -> None:
    made, words = example(name)
    blocks = {
        "RichBlockListItem": [{"type": "list", "items": [made]}],
        "RichBlockTableCell": [{"type": "table", "cells": [[made]]}],
        "RichBlockCaption": [{"type": "map", "caption": made}],
    }
    is_text = name.startswith("RichText")
    usual = [{"type": "paragraph", "text": made}] if is_text else [made]
    text = inbound(direct(rich_message={"blocks": blocks.get(name, usual)})).text
    assert words, name
    assert [word for word in words if word not in text] == []


def example(name: str) -> tuple[dict[str, object], list[str]]:
    """An object of that name with a word wherever people read one, and these words."""
    made: dict[str, object] = {}
    words = []
    for key, field in TABLE[name].fields.items():
        kind = field.types[0]
        word = f"{name}-{key}"
        if field.always is not None:
            made[key] = field.always
        elif kind == "RichText" or key in ("label", "expression", "alternative_text"):
            made[key] = word
            words.append(word)
        elif kind == "RichBlockCaption":
            made[key] = {"text": word, "credit": f"{word}-credit"}
            words += [word, f"{word}-credit"]
        elif kind == "Array of RichBlock":
            made[key] = [{"type": "paragraph", "text": word}]
            words.append(word)
        elif kind == "Array of RichBlockListItem":
            made[key] = [{"label": f"{word}-label", "blocks": []}]
            words.append(f"{word}-label")
        elif kind == "Array of Array of RichBlockTableCell":
            made[key] = [[{"text": word}]]
            words.append(word)
        elif kind == "String":
            made[key] = "x"
    if made.get("type") in ("animation", "audio", "photo", "video", "voice_note", "map"):
        words.append(str(made["type"]).replace("_", " "))
    return made, words

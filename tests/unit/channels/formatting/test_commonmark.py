"""The examples of the CommonMark specification, none of which may break or lose anything."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from channels.formatting.markdown import parse
from channels.formatting.telegram_html import is_link, plain, split, to_html

EXAMPLES = json.loads((Path(__file__).parent / "commonmark.json").read_text(encoding="utf-8"))
ENTITY = re.compile(r"&#?\w+;")
REFERENCE = re.compile(r"(?<=\])\[[^\]]*\]|^\[[^\]]*\]:", re.MULTILINE)


def numbered(example: Mapping[str, Any]) -> str:
    return f"{example['example']}-{example['section'].lower().replace(' ', '-')}"


@pytest.mark.parametrize("example", EXAMPLES, ids=numbered)
def test_an_example_is_a_message_that_telegram_takes(
    telegram: Callable[[str], Any], example: Mapping[str, Any]
) -> None:
    for chunk in split(example["markdown"], room=17):
        assert telegram(chunk).text == plain(chunk)


@pytest.mark.parametrize("example", EXAMPLES, ids=numbered)
def test_every_word_of_an_example_is_seen_or_is_where_a_link_leads(
    example: Mapping[str, Any],
) -> None:
    markdown = example["markdown"]
    document = parse(markdown, is_link)
    addresses = (unquote(span.argument) for span in document.spans)
    kept = " ".join([document.text, *addresses]).casefold()
    leads_nowhere = REFERENCE.sub("] ", ENTITY.sub(" ", markdown)).replace("_", " ")
    words = re.findall(r"\w+", leads_nowhere.casefold())
    assert [word for word in words if word not in kept] == []
    assert bool(document.text.strip()) == bool(markdown.strip())


def test_there_are_as_many_examples_as_in_the_specification() -> None:
    assert len(EXAMPLES) == 652
    assert to_html(parse(EXAMPLES[0]["markdown"], is_link)) == "<pre>foo baz     bim</pre>"

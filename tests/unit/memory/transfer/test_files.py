"""Memories in files: what is written is read again, and what people write is understood."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gaia.errors import CredentialError, UnfitMemoryError
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.memory.rows import text_hash
from gaia.memory.text import normalise, storable
from gaia.memory.transfer.export import to_word
from gaia.memory.transfer.importer import FileFormat, check, format_of
from gaia.memory.transfer.record import (
    Record,
    from_markdown,
    parse_line,
    record_of,
    statement_of,
    to_markdown,
)
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.testing.clock import START
from tests.harness.memories import a_memory

STORED = st.text(max_size=200).map(lambda text: storable(text).strip()).filter(normalise)


def read(text: str) -> list[tuple[int, str]]:
    return [(item.line, item.record.text) for item in from_markdown(text.split("\n"))]


@given(STORED, st.sampled_from(MemoryKind), st.booleans())
def test_a_line_of_json_holds_all_of_a_memory(text: str, kind: MemoryKind, hidden: bool) -> None:
    memory = a_memory(
        7,
        text,
        kind=kind,
        quote=f"I said {text}",
        subject="Sarah",
        context="work",
        sensitive=hidden,
        expires_at=START + timedelta(days=9),
    )
    line = record_of(memory, ["person:sarah", "sarah"]).to_json()
    assert "\n" not in line
    statement = statement_of(parse_line(line))
    assert statement.source is MemorySource.IMPORT
    assert statement.entities == ("person:sarah", "sarah")
    for field in ("text", "kind", "quote", "subject", "context", "sensitive", "expires_at"):
        assert getattr(statement, field) == getattr(memory, field)
    assert statement.said_at == memory.valid_from


def test_a_line_of_json_obeys_no_terminal() -> None:
    line = record_of(a_memory(1, "red \x1b[31m \x9b31m \u202ereversed"), []).to_json()
    assert line.isprintable()
    assert parse_line(line).text == "red \x1b[31m \x9b31m \u202ereversed"


@given(st.lists(st.builds(Record, text=STORED, kind=st.sampled_from(MemoryKind)), max_size=5))
@example([Record(text="- a\n  - b\n\n\n  c"), Record(text="# no heading"), Record(text="1. x")])
@example([Record(text="shopping:\n- milk\n\n- tea\n\ttab\n    deep"), Record(text="---")])
@example([Record(text="ends <!-- 2020-01-01 -->"), Record(text="```\ncode\n```")])
@example([Record(text="[x] done"), Record(text="-"), Record(text="a\rb\u2028c\x0bd")])
def test_markdown_is_read_again_as_it_was_written(records: list[Record]) -> None:
    dated = [each.model_copy(update={"said_at": START}) for each in records]
    items = list(from_markdown("\n".join(to_markdown("Memory", dated)).split("\n")))
    again = [item.record for item in items]
    assert [(each.kind, text_hash(each.text)) for each in again] == [
        (kind, text_hash(each.text)) for kind in MemoryKind for each in records if each.kind is kind
    ]
    assert all(each.said_at and abs(each.said_at - START) < timedelta(days=1) for each in again)


def test_markdown_says_what_is_hidden() -> None:
    record = Record(text="a secret", sensitive=True, said_at=START)
    (item,) = from_markdown(to_markdown("Memory", [record]))
    assert item.record.sensitive


def test_markdown_is_made_for_people() -> None:
    records = [
        Record(text="No meetings on Friday", kind=MemoryKind.RULE, said_at=START),
        Record(text="I live in Ulm\nsince 2019", said_at=START),
    ]
    day = START.astimezone().date()
    assert "\n".join(to_markdown("What gaia remembers of Ada", records)) == (
        "# What gaia remembers of Ada\n\n## Facts\n\n"
        f"- I live in Ulm\n  since 2019 <!-- {day} -->\n\n"
        f"## Rules\n\n- No meetings on Friday <!-- {day} -->"
    )


def test_bullets_and_lines_are_memories_and_the_rest_is_not() -> None:
    text = """\
# About me

I live in Ulm
I drink tea
* Sarah is my sister
  and lives in Bonn
1) My bike is red
   - and new

-

---
<!-- a remark -->
```
  + indented alike
  + and so is this
"""
    assert read(text) == [
        (3, "I live in Ulm"),
        (4, "I drink tea"),
        (5, "Sarah is my sister\nand lives in Bonn"),
        (7, "My bike is red\n - and new"),
        (15, "indented alike"),
        (16, "and so is this"),
    ]


def test_a_heading_that_names_a_kind_holds_until_the_next() -> None:
    text = "one\n## Preferences\n- two\n### rule\n- three\n# Other things\n- four"
    assert [item.record.kind for item in from_markdown(text.split("\n"))] == [
        MemoryKind.FACT,
        MemoryKind.PREFERENCE,
        MemoryKind.RULE,
        MemoryKind.FACT,
    ]


def test_a_date_that_there_is_not_is_no_date() -> None:
    (item,) = from_markdown(["- tea <!-- 2026-02-31 -->"])
    assert (item.record.text, item.record.said_at) == ("tea", None)


@pytest.mark.parametrize("text", [' \n {"text": "a"}', "{"])
def test_what_begins_like_json_is_json(text: str) -> None:
    assert format_of(text) is FileFormat.JSONL


@pytest.mark.parametrize("text", ["", "- {braces}", "[link](x)"])
def test_everything_else_is_text(text: str) -> None:
    assert format_of(text) is FileFormat.MARKDOWN


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("no json", "this is no memory in JSON"),
        ("[]", "this is no memory in JSON"),
        ("{}", "text: field required"),
        ('{"text": 7}', "text: input should be a valid string"),
        ('{"text": "a", "kind": "wish"}', "kind: input should be 'fact'"),
        ('{"text": "a", "said_at": "2026-01-01T00:00:00"}', "said_at: input should have timezone"),
        ('{"text": "a", "said_at": "0001-01-01T00:00:00+14:00"}', "no time of a calendar"),
        ('{"text": "a", "said_at": "9999-12-31T23:59:59-12:00"}', "no time of a calendar"),
        ('{"text": "a", "context": "two words"}', "context: "),
        ('{"text": "\\ud800"}', "this is no memory in JSON"),
    ],
)
def test_a_line_that_is_no_memory_says_why(line: str, cause: str) -> None:
    with pytest.raises(UnfitMemoryError, match=cause):
        parse_line(line)


def test_a_line_of_a_newer_gaia_is_taken_for_what_is_known_of_it() -> None:
    assert parse_line('{"text": "a", "mood": "good"}').text == "a"


def test_times_of_any_zone_are_utc() -> None:
    record = parse_line('{"text": "a", "said_at": "2026-01-01T01:00:00+02:00"}')
    assert record.said_at == datetime(2025, 12, 31, 23, tzinfo=UTC)


def test_entities_are_written_in_one_way() -> None:
    record = Record(text="a", entities=("Person: Sarah Chen", "??"))
    assert statement_of(record).entities == ("person:sarah_chen",)


def test_the_mistakes_of_a_file_are_named_by_line_and_hold_no_word_of_it() -> None:
    lines = [
        json.dumps({"text": "fine"}),
        "",
        "oops hunter2",
        json.dumps({"text": "my password is hunter2!"}),
        json.dumps({"text": "x" * (LONGEST_MEMORY + 1)}),
        json.dumps({"text": " "}),
    ]
    checked = check("\n".join(lines), FileFormat.JSONL)
    assert [each.text for each in checked.statements] == ["fine"]
    assert [each.line for each in checked.mistakes] == [3, 4, 5, 6]
    assert "a password" in checked.mistakes[1].cause
    assert "2,001 characters" in checked.mistakes[2].cause
    assert not any("hunter2" in each.cause for each in checked.mistakes)


def test_a_credential_in_a_text_file_is_a_mistake_too() -> None:
    checked = check("tea\n\n- my password is hunter2!", FileFormat.MARKDOWN)
    assert [each.line for each in checked.mistakes] == [3]
    with pytest.raises(CredentialError):
        statement_of(Record(text="my password is hunter2!"))


W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def paragraphs(document: bytes) -> list[str]:
    """The text of each paragraph; a line break is one."""
    with ZipFile(BytesIO(document)) as parts:
        assert parts.testzip() is None
        for name in parts.namelist():
            ElementTree.fromstring(parts.read(name))
        body = ElementTree.fromstring(parts.read("word/document.xml"))
    marks = {f"{W}br": "\n", f"{W}tab": "\t"}
    return [
        "".join(marks.get(each.tag, each.text or "") for each in paragraph.iter())
        for paragraph in body.iter(f"{W}p")
    ]


def test_memories_stand_below_their_kinds() -> None:
    records = [
        Record(text="No meetings on Friday", kind=MemoryKind.RULE),
        Record(text="I see Dr Weber", said_at=NOON, sensitive=True),
        Record(text="The gate:\n1. push\n2. pull", said_at=NOON),
    ]
    assert paragraphs(to_word("What gaia remembers of Ada", records)) == [
        "What gaia remembers of Ada",
        "Facts",
        "•\tI see Dr Weber  2026-05-03, hidden",
        "•\tThe gate:\n1. push\n2. pull  2026-05-03",
        "Rules",
        "•\tNo meetings on Friday",
    ]


@given(st.text(max_size=40))
def test_whatever_is_remembered_the_document_can_be_read(text: str) -> None:
    shown = paragraphs(to_word("Ada", [Record(text=f"<w:p>&{text}")]))[-1]
    assert shown.startswith("•\t<w:p>&")


def test_the_same_memories_are_the_same_document() -> None:
    records = [Record(text="Likes boats", said_at=NOON)]
    assert to_word("Ada", records) == to_word("Ada", records)


def test_an_older_file_says_held_of_what_is_pending() -> None:
    assert parse_line('{"text": "I may ski", "held": true}').pending
    assert parse_line(parse_line('{"text": "I may ski", "held": true}').to_json()).pending
    assert not parse_line('{"text": "I ski"}').pending

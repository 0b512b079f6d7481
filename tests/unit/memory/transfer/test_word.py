"""A document of memories: well formed whatever is in them, and the same each time."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZipFile

from hypothesis import given
from hypothesis import strategies as st

from gaia.memory.transfer.export import to_word
from gaia.memory.transfer.record import Record
from gaia.store.memory_tables import MemoryKind

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

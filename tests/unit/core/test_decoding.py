"""Which files are text, and what they say, in the encodings that people's files have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.core.decoding import decode, is_text
from gaia.messages import Attachment, AttachmentKind

SAID = "Grüße, 世界\nline two"


@pytest.mark.parametrize(
    ("media_type", "file_name", "text"),
    [
        ("text/plain", None, True),
        ("text/csv; charset=utf-8", "a.csv", True),
        ("application/json", None, True),
        ("image/svg+xml", "a.svg", True),
        ("application/octet-stream", "main.RS", True),
        ("video/mp2t", "app.ts", True),
        ("application/octet-stream", "photo.bin", False),
        ("application/octet-stream", None, False),
        ("application/pdf", "report.pdf", False),
        ("image/png", "picture.png", False),
    ],
)
def test_documents_of_text_are_known_by_type_or_name(
    media_type: str, file_name: str | None, text: bool
) -> None:
    attachment = Attachment(AttachmentKind.DOCUMENT, "f", media_type, file_name=file_name)
    assert is_text(attachment) is text


def test_what_is_no_document_is_no_text() -> None:
    assert not is_text(Attachment(AttachmentKind.PHOTO, "f", "text/plain", file_name="a.txt"))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (SAID.encode(), SAID),
        (SAID.encode("utf-8-sig"), SAID),
        (SAID.encode("utf-16"), SAID),
        (b"\xfe\xff" + SAID.encode("utf-16-be"), SAID),
        (SAID.encode("utf-32"), SAID),
        ("déjà vu".encode("latin-1"), "déjà vu"),
        ("“quoted” — €5".encode("cp1252"), "“quoted” — €5"),
        (b"caf\xe9 \x81", "café \x81"),
        (b"one\r\ntwo\rthree", "one\ntwo\nthree"),
        (b"", ""),
        (b"PK\x03\x04\x00\x00", None),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", None),
        (b"\xff\xfe\x00\xd8", None),
    ],
)
def test_text_is_read_by_its_mark_or_as_what_it_must_be(content: bytes, text: str | None) -> None:
    assert decode(content) == text


@given(st.binary())
def test_anything_is_read_or_refused(content: bytes) -> None:
    text = decode(content)
    assert text is None or "\0" not in text


@given(st.text(st.characters(exclude_characters="\0\r\ufeff", exclude_categories=("Cs",))))
def test_utf_8_comes_through_unchanged(text: str) -> None:
    assert decode(text.encode()) == text

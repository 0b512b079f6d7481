from __future__ import annotations

from urllib.parse import urlencode

import pytest

from channels.whatsapp.requests import MOST_FIELDS, Params, read_form, read_json


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", {}),
        (b"a=1&b=2", {"a": ("1",), "b": ("2",)}),
        (b"a=1&b=&a=2&a=1", {"a": ("1", "2", "1"), "b": ("",)}),
        (b"a", {"a": ("",)}),
        (b"a=1;b=2", {"a": ("1;b=2",)}),
        (b"Body=one+two%2Bthree%0Afour", {"Body": ("one two+three\nfour",)}),
        ("Body=größe".encode(), {"Body": ("größe",)}),
    ],
)
def test_a_form_is_read_with_all_its_values(
    body: bytes, expected: dict[str, tuple[str, ...]]
) -> None:
    assert read_form(body).values == expected


def test_what_cannot_be_stored_is_replaced_when_it_is_read() -> None:
    form = read_form(b"Body=a%00b")
    assert form.getall("Body") == ("a\x00b",)
    assert form.get("Body") == "a\N{REPLACEMENT CHARACTER}b"
    assert read_json(b'{"Body": "\\ud800"}').get("Body") == "\N{REPLACEMENT CHARACTER}"


def test_a_line_is_one_and_bounded() -> None:
    params = Params.of({"ProfileName": "  Ada\r\n Lovelace " + "x" * 200})
    assert params.line("ProfileName", 13) == "Ada Lovelace…"
    assert params.line("nothing") == ""


def test_json_is_read_like_a_form() -> None:
    body = (
        b'{"s": "x", "i": 7, "f": 1.5, "b": true, "n": null, "o": {}, "l": ["y", 2, null], "e": []}'
    )
    assert read_json(body).values == {
        "s": ("x",),
        "i": ("7",),
        "f": ("1.5",),
        "b": ("true",),
        "l": ("y", "2"),
    }


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'"x"',
        b"{",
        b"\xff{}",
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
        b"{" + b",".join(b'"%d": 1' % number for number in range(MOST_FIELDS + 1)) + b"}",
    ],
    ids=["empty", "list", "text", "cut", "bytes", "deep", "long number", "many"],
)
def test_what_is_no_object_cannot_be_read(body: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_json(body)


def test_the_longest_message_is_read_and_longer_forms_are_not() -> None:
    longest = "\N{GRINNING FACE}" * 4096
    assert read_form(urlencode({"Body": longest}).encode()).get("Body") == longest
    with pytest.raises(ValueError, match="too long"):
        read_form(b"Body=" + b"%41" * 70_000)


def test_a_form_of_too_many_fields_cannot_be_read() -> None:
    assert len(read_form(b"&".join(b"%d=1" % number for number in range(MOST_FIELDS)))) == 400
    with pytest.raises(ValueError, match="fields"):
        read_form(b"&" * MOST_FIELDS)

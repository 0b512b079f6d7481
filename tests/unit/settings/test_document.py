"""YAML down to plain data: what it may not contain, and where that stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.mistakes import Mistake
from gaia.settings.document import Place, parse_document

FILE = Path("gaia.yaml")


def mistake_of(text: str) -> Mistake:
    (mistake,) = parse_document(FILE, text).mistakes
    return mistake


def test_places_of_keys_and_values_are_known() -> None:
    document = parse_document(FILE, "a:\n  b: [1, 2]\n")
    assert document.values == {"a": {"b": [1, 2]}}
    assert document.key_places["a", "b"] == Place(2, 3)
    assert document.value_places["a", "b", "1"] == Place(2, 10)


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("a:\n\tb: 1\n", 2, 1, "cannot start any token"),
        ("a: 1\nb: [2\n", 3, 1, "expected ',' or ']'"),
        ("a: 'x\n", 2, 1, "unexpected end of stream"),
        ("a: 1\n---\nb: 2\n", 2, 1, "another document"),
        ("a: 1\nb: \x01\n", 2, 4, "the character U+0001 is no text"),
        ("- a\n- b\n", 1, 1, "the file holds no keys with values"),
        ("just words\n", 1, 1, "the file holds no keys with values"),
        ("a: 1\nb: 2\na: 3\n", 3, 1, "stands here again, and first in line 1"),
        ("? [a]\n: 1\n", 1, 3, "has a key that is not a word"),
        ('"\\ud800": 1\n', 1, 1, "has a key that is not a word"),
        ("a: &x {b: 1}\nc: *x\n", 1, 4, "repeats another value"),
        ("a: !!python/object/apply:os.system [x]\n", 1, 4, "has the tag"),
        ("a: !secret x\n", 1, 4, "has the tag '!secret'"),
        ("a: !!int x\n", 1, 4, "cannot be read as int"),
        ("a: !!bool x\n", 1, 4, "cannot be read as bool"),
        ('a: "\\ud800"\n', 1, 4, "cannot be read as str"),
        (f"a: {'9' * 5000}\n", 1, 4, "cannot be read as int"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    text: str, line: int, column: int, problem: str
) -> None:
    mistake = mistake_of(text)
    assert (mistake.line, mistake.column) == (line, column)
    assert problem in mistake.problem


def test_tabs_are_told_to_become_spaces() -> None:
    assert mistake_of("a:\n\tb: 1\n").remedy == "Indent with spaces only"


def test_the_first_of_two_equal_keys_is_kept() -> None:
    assert parse_document(FILE, "a: 1\na: 2\n").values == {"a": 1}


def test_deep_nesting_is_refused() -> None:
    assert mistake_of("[" * 5000).problem == "the file is nested too deeply"


def test_aliases_cannot_blow_the_file_up() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30))
    document = parse_document(FILE, f"l0: &l0 [x]\n{levels}\n")
    assert document.mistakes


def test_dates_stay_text() -> None:
    assert parse_document(FILE, "a: 2024-13-45\nb: 2024-01-02\n").values == {
        "a": "2024-13-45",
        "b": "2024-01-02",
    }


def test_a_removed_value_is_gone_and_the_rest_stays() -> None:
    document = parse_document(FILE, "a: {b: 1, c: [2, {d: 3}]}\n")
    document.remove(("a", "c", "1", "d"))
    document.remove(("a", "b"))
    document.remove(("a", "nothing"))
    assert document.values == {"a": {"c": [2, {}]}}

"""Two tables are the same, or a row of them is named that is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import Connection, create_engine

from gaia.errors import StoreError
from gaia.ops.database_copy.copy import compare
from gaia.ops.database_copy.rows import PlainTable, Row, _json_text
from gaia.store.tables import Base

ROWS: Sequence[Row] = [("u1", "a", 1, 2), ("u1", "b", 1, 1), ("u2", "a", 2, 1)]


@pytest.fixture
def terms() -> PlainTable:
    with create_engine("sqlite://").connect() as connection:
        return plain("memory_terms", connection)


def plain(name: str, connection: Connection) -> PlainTable:
    return PlainTable.of(Base.metadata.tables[name], connection)


def test_the_same_rows_are_all_told(terms: PlainTable) -> None:
    assert list(compare(terms, iter(ROWS), iter(ROWS))) == ROWS
    assert list(compare(terms, iter(()), iter(()))) == []


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (ROWS[:2], "user_id 'u2', term 'a', memory_id 2 is not in the copy"),
        (ROWS[1:], "user_id 'u1', term 'a', memory_id 1 is not in the copy"),
        ((), "user_id 'u1', term 'a', memory_id 1 is not in the copy"),
        ((*ROWS, ("u3", "a", 3, 1)), "user_id 'u3', term 'a', memory_id 3 is in the copy alone"),
        ((("u0", "a", 3, 1), *ROWS), "user_id 'u0', term 'a', memory_id 3 is in the copy alone"),
        (
            (ROWS[0], ("u1", "b", 1, 7), ROWS[2]),
            r"user_id 'u1', term 'b', memory_id 1 has another value in the copy \(count\)",
        ),
        ((*ROWS[:2], ("u2", "a", 2, None)), r"memory_id 2 has another value in the copy \(count\)"),
    ],
)
def test_a_row_that_differs_is_named(terms: PlainTable, found: Sequence[Row], told: str) -> None:
    with pytest.raises(StoreError, match=f"in table 'memory_terms', the row with .*{told}"):
        list(compare(terms, iter(ROWS), iter(found)))


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        ("1", "1"),
        (1, "1"),
        ("1.0", "1"),
        ("-2.50", "-2.5"),
        (-2.5, "-2.5"),
        ("1e+16", "10000000000000000"),
        ("12345678901234567890", "1.2345678901234567e+19"),
        (1.2345678901234567e19, "1.2345678901234567e+19"),
        ('"1.0"', '"1.0"'),
        ("[1.0, null]", "[1.0, null]"),
        ("null", "null"),
    ],
)
def test_numbers_that_are_all_of_a_json_are_as_sqlite_keeps_them(kept: object, text: str) -> None:
    assert _json_text(kept) == text  # type: ignore[arg-type]

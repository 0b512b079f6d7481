"""How PostgreSQL is told what gaia's tables and statements say of SQLite: wider numbers, texts
without bounds that are ordered by their characters, the same clause for conflicts, and no NUL
in a text.

Whoever opens a PostgreSQL database imports it.
"""

from __future__ import annotations

from typing import Any

from psycopg.adapt import Buffer
from psycopg.types.string import StrDumper
from sqlalchemy import Column, Integer, String, Text
from sqlalchemy.dialects.sqlite.dml import (
    OnConflictClause,
    OnConflictDoNothing,
    OnConflictDoUpdate,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateColumn


class WithoutNul(StrDumper):
    """People may send a NUL, which a text of PostgreSQL's cannot hold."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\N{REPLACEMENT CHARACTER}"))


@compiles(OnConflictDoNothing, "postgresql")
@compiles(OnConflictDoUpdate, "postgresql")
def _alike(clause: OnConflictClause, compiler: Any, **kw: object) -> str:
    """The clause is the same in both; PostgreSQL has one more way to name what conflicts."""
    clause.constraint_target = None  # type: ignore[attr-defined]
    updates = isinstance(clause, OnConflictDoUpdate)
    visit = (
        compiler.visit_on_conflict_do_update if updates else compiler.visit_on_conflict_do_nothing
    )
    said: str = visit(clause, **kw)
    return said


@compiles(Integer, "postgresql")
def _wide(kind: Integer, compiler: object, **_: object) -> str:
    """A number that somebody types may be any: SQLite's have 64 bits too."""
    return "BIGINT"


@compiles(CreateColumn, "postgresql")
def _numbered(column: CreateColumn, compiler: Any, **kw: object) -> str | None:
    """Numbers that the database gives are as wide as the columns that refer to them."""
    declared: str | None = compiler.visit_create_column(column, **kw)
    return declared and declared.replace(" SERIAL", " BIGSERIAL", 1)


@compiles(String, "postgresql")
@compiles(Text, "postgresql")
def _unbounded(kind: String, compiler: object, **kw: object) -> str:
    """A bound of a text is a hint for people: SQLite does not keep to it either. What it is in
    order, or in small letters, does not hang on the language of a server."""
    return 'TEXT COLLATE "C"' if isinstance(kw.get("type_expression"), Column) else "TEXT"

"""What all tables of gaia.db share: their base, and times that stay aware UTC across
SQLite, which has no time zones.

Of an index, tables tell what SQLite wants to know alone: a clause of another database's
loads all that is known of that one. The migrations, which make the tables, have both.
"""

from __future__ import annotations

from dataclasses import Field, fields
from datetime import UTC, datetime
from typing import Any, ClassVar, Protocol

from sqlalchemy import DateTime as SqlDateTime
from sqlalchemy import Dialect, MetaData, Table, Text, TypeDecorator
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

NEVER_REUSE_IDS = {"sqlite_autoincrement": True}


class pairs(FunctionElement[Any]):  # noqa: N801 - a function of SQL's
    """The keys and values of an object of JSON's, as rows; the values as text or numbers."""

    name = "pairs"
    inherit_cache = True


@compiles(pairs)
def _in_sqlite(element: pairs, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **kw)})"


@compiles(pairs, "postgresql")
def _in_postgres(element: pairs, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_each_text(CAST({compiler.process(element.clauses, **kw)} AS json))"


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time. A naive one is a mistake and raises."""

    impl = SqlDateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"time without a zone: {value!r}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """The base of all tables."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {datetime: UtcDateTime, str: Text}  # noqa: RUF012


def table_of(row: type[Base]) -> Table:
    """The table of a row class. What every turn asks of it is asked in statements that are
    built once: to build one takes longer than to run it."""
    return Base.metadata.tables[row.__tablename__]


def values_of(kind: type[_Dataclass], row: Base) -> dict[str, Any]:
    """What a row has in the columns that the fields of a dataclass are named after."""
    return {field.name: getattr(row, field.name) for field in fields(kind)}

"""The rows of gaia's tables as values that are the same in each database, in the order of their
keys, a batch at a time.

JSON stays the text that it was written as: read as values, NULL and JSON's null would be the same.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    LargeBinary,
    MetaData,
    Select,
    String,
    Table,
    Text,
    TypeDecorator,
    cast,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.types import TypeEngine

from gaia.store import digest_tables, memory_tables, ops_tables, upkeep_tables  # noqa: F401
from gaia.store.revision import REVISION_TABLE, table_names
from gaia.store.tables import Base

Row = tuple[Any, ...]

TABLES = tuple(Base.metadata.sorted_tables)
"""All of gaia's tables, each behind those that it refers to."""

BATCH_ROWS = 500

WITHOUT_NUL = "without_nul"
"""A function that connections to SQLite get while they are copied from."""

DIGITS = tuple("-0123456789")
LARGEST = 2**63

NUL = "\0"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class _JsonText(TypeDecorator[str]):
    """The text of JSON."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else _json_text(value)


class _PostgresJsonText(_JsonText):
    """PostgreSQL's driver would read it as values."""

    cache_ok = True

    def bind_expression(self, bindvalue: Any) -> ColumnElement[Any]:
        return cast(bindvalue, JSON)

    def column_expression(self, column: Any) -> ColumnElement[Any]:
        return cast(column, Text)


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of gaia's as one kind of database has it."""

    table: Table
    in_postgres: bool

    @classmethod
    def of(cls, table: Table, connection: Connection) -> PlainTable:
        """The table in the database of that connection."""
        in_postgres = is_postgres(connection)
        columns = [
            Column(each.name, _plain_type(each.type, in_postgres), primary_key=each.primary_key)
            for each in table.columns
        ]
        return cls(Table(table.name, MetaData(), *columns), in_postgres)

    @property
    def name(self) -> str:
        return self.table.name

    def count(self, connection: Connection) -> int:
        """How many rows there are."""
        return connection.execute(select(func.count()).select_from(self.table)).scalar_one()

    def read(
        self, connection: Connection, *, without_nul: bool = False
    ) -> Generator[Sequence[Row]]:
        """All rows in the order of their keys; with `without_nul` in the order that keys have
        whose NULs were replaced."""
        asked = {"yield_per": self._batch_rows()}
        with connection.execute(self._ordered(without_nul), execution_options=asked) as result:
            for batch in result.partitions():
                yield [tuple(row) for row in batch]

    def write(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Insert rows."""
        names = self.table.columns.keys()
        values = [dict(zip(names, row, strict=True)) for row in rows]
        connection.execute(insert(self.table), values)

    def key(self, row: Row) -> Row:
        """The primary key of a row."""
        in_key = zip(self.table.columns, row, strict=True)
        return tuple(value for column, value in in_key if column.primary_key)

    def key_text(self, row: Row) -> str:
        """The primary key of a row, for people."""
        names = (column.name for column in self.table.columns if column.primary_key)
        pairs = zip(names, self.key(row), strict=True)
        return ", ".join(f"{name} {value!r}" for name, value in pairs)

    def differences(self, row: Row, other: Row) -> Sequence[str]:
        """The columns in which two rows differ."""
        compared = zip(self.table.columns.keys(), row, other, strict=True)
        return [name for name, one, another in compared if one != another]

    def _ordered(self, without_nul: bool) -> Select[Any]:
        keys = (column for column in self.table.columns if column.primary_key)
        return select(self.table).order_by(*(self._sorted(key, without_nul) for key in keys))

    def _sorted(self, key: Column[Any], without_nul: bool) -> ColumnElement[Any]:
        """A part of the key, so that texts have the order of their bytes in UTF-8."""
        if not isinstance(key.type, String):
            return key
        if self.in_postgres:
            return key.collate("C")
        return getattr(func, WITHOUT_NUL)(key) if without_nul else key

    def _batch_rows(self) -> int:
        """Files may be large."""
        has_files = any(isinstance(column.type, LargeBinary) for column in self.table.columns)
        return 1 if has_files else BATCH_ROWS


def replace_nul(value: Any) -> Any:
    """A value as PostgreSQL can hold it."""
    return value.replace(NUL, REPLACEMENT) if isinstance(value, str) else value


def is_postgres(connection: Connection) -> bool:
    """Whether it is a connection to PostgreSQL."""
    return connection.dialect.name == "postgresql"


def count_rows(connection: Connection) -> Mapping[str, int]:
    """How many rows there are, by the names of the tables, whosever they are."""
    rows = {}
    for table in sorted(table_names(connection) - {REVISION_TABLE}):
        query = text(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - as the database has it
        rows[table] = connection.execute(query).scalar_one()
    return rows


def _plain_type(kind: TypeEngine[Any], in_postgres: bool) -> TypeEngine[Any]:
    if not isinstance(kind, JSON):
        return kind
    return _PostgresJsonText() if in_postgres else _JsonText()


def _json_text(value: str | float) -> str:
    """JSON as it was written, but for a number that is all of it: SQLite, which has those as
    numbers, keeps 1.0 as 1, and no more than 64 bits of one."""
    if isinstance(value, str) and not value.startswith(DIGITS):
        return value
    number = json.loads(value) if isinstance(value, str) else value
    if isinstance(number, float) and number.is_integer() and abs(number) < LARGEST:
        number = int(number)
    return json.dumps(number if abs(number) < LARGEST else float(number))

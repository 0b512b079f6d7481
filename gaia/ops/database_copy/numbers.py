"""The last numbers that a database has given to rows, so that none is given again: also not
those of rows that are gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Column, Connection, Table, func, select, text

from gaia.ops.database_copy.rows import TABLES, is_postgres

_SEQUENCE = text("SELECT pg_get_serial_sequence(:table, :column)")
_SET_SEQUENCE = text("SELECT setval(CAST(:sequence AS regclass), :number, :is_called)")


def last_numbers(connection: Connection) -> Mapping[str, int]:
    """By the names of tables; 0 where none was given."""
    given = _in_postgres(connection) if is_postgres(connection) else _in_sqlite(connection)
    return {
        table.name: max(
            given.get(table.name, 0), connection.execute(select(func.max(column))).scalar() or 0
        )
        for table, column in _numbered()
    }


def set_last_numbers(connection: Connection, numbers: Mapping[str, int]) -> None:
    """Have the next row of each table get a number above these."""
    if is_postgres(connection):
        for table, column in _numbered():
            number = numbers[table.name]
            values = {"number": max(number, 1), "is_called": number > 0}
            sequence = _sequence(connection, table, column)
            connection.execute(_SET_SEQUENCE, {"sequence": sequence, **values})
        return
    connection.execute(text("DELETE FROM sqlite_sequence"))
    for name, number in numbers.items():
        if number:
            row = {"name": name, "number": number}
            connection.execute(text("INSERT INTO sqlite_sequence VALUES (:name, :number)"), row)


def _numbered() -> Iterator[tuple[Table, Column[int]]]:
    """The tables whose rows the database numbers, and the columns that hold the numbers."""
    for table in TABLES:
        column = table.autoincrement_column
        if column is not None:
            yield table, column


def _in_sqlite(connection: Connection) -> Mapping[str, int]:
    rows = connection.execute(text("SELECT name, seq FROM sqlite_sequence"))
    return {row.name: row.seq for row in rows}


def _in_postgres(connection: Connection) -> Mapping[str, int]:
    given = {}
    for table, column in _numbered():
        sequence = _sequence(connection, table, column)
        query = text(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 - quoted by it
        last, is_called = connection.execute(query).one()
        given[table.name] = last if is_called else 0
    return given


def _sequence(connection: Connection, table: Table, column: Column[int]) -> str:
    """The sequence that numbers a table's rows, as it is named in a statement."""
    names = {"table": table.name, "column": column.name}
    return str(connection.execute(_SEQUENCE, names).scalar_one())

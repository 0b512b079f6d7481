"""Copies what a home keeps into another database, all or nothing, and compares each row before
that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from itertools import zip_longest

from sqlalchemy import URL, Connection
from sqlalchemy.exc import SQLAlchemyError

from gaia.errors import StoreError
from gaia.ops.database_copy.numbers import last_numbers, set_last_numbers
from gaia.ops.database_copy.rows import (
    NUL,
    TABLES,
    PlainTable,
    Row,
    is_postgres,
    replace_nul,
)
from gaia.ops.database_copy.sources import is_at, source_of
from gaia.ops.database_copy.targets import postgres_target, sqlite_target
from gaia.paths import Home
from gaia.store.location import database_url, there_is_one
from gaia.store.lock import DaemonLock
from gaia.store.processes import homes

Counting = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Tells of work with a name: how much is done, and of how much."""

TOLD_EACH = 100
"""Rows that are compared between two looks at how far it is."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied: the rows by table, and how many texts lost a NUL, by table as well.
    `was_postgres` says where from."""

    was_postgres: bool
    rows: Mapping[str, int]
    changed_texts: Mapping[str, int]


def copy_database(home: Home, target: URL | None, counting: Counting) -> Copied:
    """Copy what the home keeps into a PostgreSQL database, or into its gaia.db for None. Blocks.

    Raises:
        AlreadyRunningError: The home's daemon runs.
        StoreError: One of the two cannot be used, the target holds something, or the copy
            differs; nothing is left there.
        SettingsError: The settings may name a database, and something in them is wrong.
    """
    if not there_is_one(home):
        raise StoreError(f"there is nothing to copy: {str(home.database)!r} is not there")
    if target is None and database_url(home) is None:
        raise StoreError(
            f"{str(home.database)!r} is where gaia keeps what it knows now: name a PostgreSQL "
            "database to copy it into"
        )
    home.create()
    try:
        with DaemonLock(home), source_of(home) as source:
            if target is not None and is_at(source, target):
                raise StoreError("source and target are the same database: name another one")
            to = sqlite_target(home.database) if target is None else postgres_target(target)
            with to as connection:
                return _copy(source, connection, counting)
    except SQLAlchemyError as exc:
        raise StoreError(f"nothing was copied: {_cause(exc)}") from exc


def _copy(source: Connection, target: Connection, counting: Counting) -> Copied:
    tables = [(PlainTable.of(table, source), PlainTable.of(table, target)) for table in TABLES]
    rows = {table.name: table.count(source) for table, _ in tables}
    total, loses_nul = sum(rows.values()), is_postgres(target)
    changed: dict[str, int] = {}
    with counting("copying") as told:
        done = 0
        for table, copy in tables:
            with closing(_read(table, source)) as batches:
                for batch in batches:
                    if loses_nul and (lost := _texts_with_nul(batch)):
                        changed[table.name] = changed.get(table.name, 0) + lost
                    _write(copy, target, _without_nul(batch) if loses_nul else batch)
                    done += len(batch)
                    told(done, total)
    with counting("comparing") as told:
        done = 0
        for table, copy in tables:
            was_changed = table.name in changed
            with (
                closing(_each(table, source, without_nul=was_changed)) as expected,
                closing(_each(copy, target)) as found,
            ):
                for _ in compare(copy, expected, found):
                    done += 1
                    if done % TOLD_EACH == 0 or done == total:
                        told(done, total)
    _copy_numbers(source, target)
    if is_postgres(source) and is_postgres(target):
        homes.copy(source, target)
    return Copied(is_postgres(source), rows, changed)


def compare(table: PlainTable, expected: Iterator[Row], found: Iterator[Row]) -> Iterator[Row]:
    """Each row, once it is the same in both.

    Raises:
        StoreError: It is not, or is in one of them alone.
    """
    for row, copy in zip_longest(expected, found):
        if row == copy:
            yield row
        elif copy is None or (row is not None and table.key(row) < table.key(copy)):
            raise _differs(table, row, "is not in the copy")
        elif row is None or table.key(row) > table.key(copy):
            raise _differs(table, copy, "is in the copy alone")
        else:
            columns = ", ".join(table.differences(row, copy))
            raise _differs(table, row, f"has another value in the copy ({columns})")


def _differs(table: PlainTable, row: Row, what: str) -> StoreError:
    return StoreError(
        f"the copy is not what was copied, so that nothing of it was kept: in table "
        f"{table.name!r}, the row with {table.key_text(row)} {what}"
    )


def _copy_numbers(source: Connection, target: Connection) -> None:
    numbers = last_numbers(source)
    set_last_numbers(target, numbers)
    for name, number in last_numbers(target).items():
        if number != numbers[name]:
            raise StoreError(
                f"the copy is not what was copied, so that nothing of it was kept: the last row "
                f"of table {name!r} had the number {numbers[name]}, and has {number} there"
            )


def _each(
    table: PlainTable, connection: Connection, *, without_nul: bool = False
) -> Generator[Row]:
    with closing(_read(table, connection, without_nul=without_nul)) as batches:
        for batch in batches:
            yield from _without_nul(batch) if without_nul else batch


def _read(
    table: PlainTable, connection: Connection, *, without_nul: bool = False
) -> Generator[Sequence[Row]]:
    try:
        yield from table.read(connection, without_nul=without_nul)
    except (SQLAlchemyError, ValueError, TypeError) as exc:
        raise StoreError(
            f"nothing was copied: table {table.name!r} has a row that cannot be read "
            f"({_cause(exc)})"
        ) from exc


def _write(table: PlainTable, connection: Connection, rows: Sequence[Row]) -> None:
    try:
        table.write(connection, rows)
    except (SQLAlchemyError, ValueError, TypeError) as exc:
        first, last = table.key_text(rows[0]), table.key_text(rows[-1])
        where = f"the row with {first}" if first == last else f"one with {first} to {last}"
        raise StoreError(
            f"nothing was copied: in table {table.name!r}, {where} cannot be kept in the target "
            f"({_cause(exc)})"
        ) from exc


def _without_nul(rows: Sequence[Row]) -> Sequence[Row]:
    return [tuple(map(replace_nul, row)) for row in rows]


def _texts_with_nul(rows: Sequence[Row]) -> int:
    return sum(isinstance(value, str) and NUL in value for row in rows for value in row)


def _cause(exc: Exception) -> str:
    """What the database says first; the rest would quote the row."""
    said = str(getattr(exc, "orig", None) or exc).strip()
    return said.partition("\n")[0]

"""What one engine of the tests has compiled, the next one does not compile again."""

from __future__ import annotations

from sqlalchemy import Column, Engine, Integer, MetaData, Table, create_engine, insert, select
from sqlalchemy.engine.interfaces import CacheStats
from sqlalchemy.event import listen
from sqlalchemy.pool import StaticPool

NUMBERS = Table("numbers", MetaData(), Column("number", Integer, primary_key=True))


def engine_with(number: int) -> Engine:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    NUMBERS.create(engine)
    with engine.begin() as connection:
        connection.execute(insert(NUMBERS).values(number=number))
    return engine


def greater(engine: Engine, number: int) -> tuple[list[int], CacheStats]:
    """The numbers that are greater, and whether the question was compiled before."""
    hits = []
    listen(engine, "before_cursor_execute", lambda *told: hits.append(told[4].cache_hit))
    with engine.connect() as connection:
        found = list(connection.scalars(select(NUMBERS.c.number).where(NUMBERS.c.number > number)))
    return found, hits[0]


def test_a_statement_is_compiled_once_and_asks_each_database_for_its_own() -> None:
    one, other = engine_with(1), engine_with(7)
    assert greater(one, 0) == ([1], CacheStats.CACHE_MISS)
    assert greater(other, 3) == ([7], CacheStats.CACHE_HIT)
    assert greater(other, 8) == ([], CacheStats.CACHE_HIT)
    one.dispose()
    other.dispose()

"""SQL that is compiled once for all databases of the tests, and not again for each of them.

What SQLAlchemy compiles it keeps with an engine, and a test has an engine of its own: to
compile the same statements again took a quarter of its time. gaia keeps its one engine.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

_compiled: LRUCache[Any, Any] = LRUCache(2000)


class SharingDialect(SQLiteDialect_pysqlite):
    """SQLite as SQLAlchemy speaks it. All of them speak the same, so what one of them has
    compiled is right for the others."""

    supports_statement_cache = True

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=_compiled)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


def share() -> None:
    """Have the engines that are made from now on compile together."""
    registry.register("sqlite", __name__, SharingDialect.__name__)

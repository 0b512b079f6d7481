"""Vectors in a PostgreSQL database, by its extension pgvector and mem0's store for it: several
processes share them.

mem0 makes a table for each index, of ids, vectors and whose they are. All vectors of one user
are compared, found by an index on whose they are: HNSW's graph, which mem0 has by default, is
one of all users, looks at the nearest of all, and takes none of more than 2,000 numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from gaia.errors import IndexUnavailableError, StoreError
from gaia.extras import POSTGRESQL
from gaia.memory.index.factories import Factories, Options, Vectors
from gaia.memory.index.parts import USER, IndexStore, Placement
from gaia.memory.index.shared import SharedStorage, SharedStore, translated

if TYPE_CHECKING:
    from psycopg.sql import Composed
    from sqlalchemy import URL, Connection

PGVECTOR = "pgvector"
"""The name of the store, among mem0's."""

EXTENSION = "vector"
"""What PostgreSQL calls it."""

LOCK = 0x67616976
"""The key of the advisory lock under which tables are made: "gaiv". PostgreSQL's `IF NOT
EXISTS` fails of two that begin at the same time."""

CONNECTIONS = 3

PLACE = ("host", "port", "user", "password", "dbname", "sslmode")
"""Options that tell, beside `connection_string`, where the database is."""
OURS = frozenset({*PLACE, "connection_string", "minconn", "maxconn"})
"""Options that mem0 does not get: it has gaia's connections."""

NOT_INSTALLED = (
    "{name} has no pgvector: install it on its server, such as Debian's postgresql-17-pgvector, "
    "or name another store in memory.vector_store"
)
NOT_ALLOWED = (
    "gaia may not add pgvector to {name}: have its administrator run "
    '"CREATE EXTENSION vector" there, or name another store in memory.vector_store'
)


class Connections:
    """What mem0 takes for a pool of psycopg's: connections such as those to gaia's tables.

    mem0 closes what it was given whenever it gives up a collection: only `dispose` does it.
    """

    def __init__(self, url: URL) -> None:
        # Its driver is an extra.
        from sqlalchemy import event

        from gaia.store.postgres.connections import open_engine
        from gaia.store.postgres.faults import name_of

        self.name = name_of(url)
        self._engine = open_engine(url, connections=CONNECTIONS, pings=True)
        event.listen(self._engine, "connect", _as_mem0_expects)

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """A connection of psycopg's, with a transaction that is its user's to commit.

        Raises:
            StoreError: The server is at fault.
        """
        from gaia.store.postgres.faults import store_error

        try:
            held = self._engine.raw_connection()
            try:
                yield held.driver_connection
            finally:
                held.close()
        except Exception as exc:
            fault = store_error(self.name, getattr(exc, "orig", None) or exc)
            if fault is None:
                raise
            raise fault from exc

    def run(self, statement: Composed, *values: object) -> None:
        """Run a statement, and commit it. Raises as `connection` does."""
        with self.connection() as connection:
            connection.execute(statement, values)
            connection.commit()

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """A transaction, while none of another process is in here.

        Raises:
            StoreError: The server is at fault.
        """
        from sqlalchemy import text

        with self._engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            yield connection

    def close(self) -> None:
        """They stay open, for other collections."""

    def dispose(self) -> None:
        """Close them. They are opened again when they are needed."""
        self._engine.dispose()


class PgvectorStorage(SharedStorage):
    """Implements `Storage` in the database at `url`."""

    def __init__(self, url: URL, options: Options, folder: Path, factories: Factories) -> None:
        kept = {key: value for key, value in options.items() if key not in OURS}
        super().__init__(PGVECTOR, {"hnsw": False, **kept}, folder, factories)
        self._connections = Connections(url)

    def open(self, index_id: int, placement: Placement, dimensions: int) -> IndexStore:
        collection = self._collection(index_id, dimensions)
        return PgvectorStore(collection, self._name(index_id), self._connections)

    def missing(self) -> str:
        """Why the extension cannot be used, empty when it can. It is added where it may be.

        Raises:
            IndexUnavailableError: The database does not answer.
        """
        with translated(PGVECTOR):
            return self._missing()

    def close(self) -> None:
        super().close()
        with translated(PGVECTOR):
            self._connections.dispose()

    def _missing(self) -> str:
        from sqlalchemy import text

        found = text("SELECT installed_version FROM pg_available_extensions WHERE name = :name")
        name = self._connections.name
        try:
            with self._connections.alone() as connection:
                row = connection.execute(found, {"name": EXTENSION}).one_or_none()
                if row is None:
                    return NOT_INSTALLED.format(name=name)
                if row.installed_version is None:
                    connection.execute(text(f"CREATE EXTENSION {EXTENSION}"))
        except StoreError as exc:
            if getattr(exc.__cause__, "sqlstate", "") != "42501":
                raise
            return NOT_ALLOWED.format(name=name)
        return ""

    def _made(self, options: Mapping[str, object], dimensions: int) -> Vectors:
        if cause := self.missing():
            raise IndexUnavailableError(cause)
        pool = {"connection_pool": self._connections}
        collection = super()._made({**options, **pool}, dimensions)
        with translated(PGVECTOR):
            self._make_table(collection, str(options["collection_name"]))
        return collection

    def _make_table(self, collection: Vectors, table: str) -> None:
        from psycopg.sql import SQL, Identifier

        make_index = SQL("CREATE INDEX IF NOT EXISTS {} ON {} ((payload->>{}))").format(
            Identifier(f"{table}_{USER}_idx"), Identifier(table), USER
        )
        with self._connections.alone():
            collection.create_col()
            self._connections.run(make_index)


class PgvectorStore(SharedStore):
    """Implements `IndexStore` over one table."""

    def __init__(self, collection: Vectors, table: str, connections: Connections) -> None:
        super().__init__(PGVECTOR, collection)
        self._table = table
        self._connections = connections

    def _delete(self, vectors: Iterable[str]) -> None:
        """All at once: mem0 commits each, which a disk takes its time for."""
        from psycopg.sql import SQL, Identifier

        delete = SQL("DELETE FROM {} WHERE id = ANY(%s::uuid[])").format(Identifier(self._table))
        with translated(PGVECTOR):
            self._connections.run(delete, list(vectors))


def _as_mem0_expects(connection: Any, record: object) -> None:
    from psycopg.types.string import StrDumperUnknown

    # mem0 gives ids as texts, and leaves it to PostgreSQL what they are.
    connection.adapters.register_dumper(str, StrDumperUnknown)
    # A plan that is made once does not know whose vectors are asked for.
    connection.prepare_threshold = None


def place_of(config: Mapping[str, JsonValue], url: URL | None) -> URL:
    """The database that `memory.vector_store.config` names; `url`, which is the home's own,
    when it names none.

    Raises:
        IndexUnavailableError: There is none, or it cannot be told which.
    """
    if not POSTGRESQL.is_installed:
        raise IndexUnavailableError(
            "memory.vector_store is pgvector, and PostgreSQL's driver is not installed: "
            f"{POSTGRESQL.install_line}"
        )
    told = {each: str(config[each]) for each in PLACE if config.get(each) is not None}
    text = str(config.get("connection_string") or "")
    if text or told:
        return _read_place(text, told)
    if url is None:
        raise IndexUnavailableError(
            "memory.vector_store is pgvector, and nothing says in which database: name it in "
            "memory.vector_store.config, or keep all of gaia in PostgreSQL (docs/scale.md)"
        )
    return url


def _read_place(text: str, told: Mapping[str, str]) -> URL:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict
    from sqlalchemy import URL

    from gaia.settings.urls import DATABASE_DRIVER

    try:
        # However a tool writes the scheme.
        bare = "postgresql://" + text.partition("://")[2] if "://" in text else text
        found = {key: str(value) for key, value in conninfo_to_dict(bare, **told).items()}
        port = found.pop("port", "")
        return URL.create(
            DATABASE_DRIVER,
            username=found.pop("user", None),
            password=found.pop("password", None),
            host=found.pop("host", None),
            port=int(port) if port else None,
            database=found.pop("dbname", None),
            query=found,
        )
    except (ProgrammingError, ValueError):
        # Its own words may quote a password.
        raise IndexUnavailableError(
            "memory.vector_store.config does not name a database in a way that PostgreSQL "
            "understands: write connection_string as postgresql://USER@HOST/DATABASE"
        ) from None

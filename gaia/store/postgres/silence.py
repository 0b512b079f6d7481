"""Connections that are given up after a long silence.

A way to the server may stand still while TCP goes on: a proxy or a firewall that takes all and
hands on nothing. No keepalive tells that, and libpq would wait for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

RV = TypeVar("RV")

SILENT_SECONDS = 60.0
"""How long an answer is waited for. It is longer than a lock may take: see `connections`."""

LONG_SECONDS = 3600.0
"""The same for what works on whole tables."""


class _Impatient:
    """Closes itself once nothing has come for `silent_seconds` while something was asked.
    Whoever asked sees a lost connection."""

    silent_seconds = SILENT_SECONDS
    pgconn: psycopg.pq.abc.PGconn

    def _while_heard(self, gen: PQGen[RV]) -> PQGen[RV]:
        """Do what `gen` does. psycopg asks it several times a second, with nothing ready."""
        heard_at = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    heard_at = time.monotonic()
                elif time.monotonic() - heard_at > self.silent_seconds:
                    self.pgconn.finish()
                    silence = f"nothing came back for {self.silent_seconds:g} s"
                    raise psycopg.OperationalError(silence)
                wanted = gen.send(ready)
        except StopIteration as ended:
            result: RV = ended.value
            return result


class ImpatientConnection(_Impatient, psycopg.Connection[Any]):
    """One for threads."""

    def wait(self, gen: PQGen[RV], *args: Any, **kwargs: Any) -> RV:
        return super().wait(self._while_heard(gen), *args, **kwargs)


class ImpatientAsyncConnection(_Impatient, psycopg.AsyncConnection[Any]):
    """One for the loop."""

    async def wait(self, gen: PQGen[RV], *args: Any, **kwargs: Any) -> RV:
        return await super().wait(self._while_heard(gen), *args, **kwargs)


def connector(silent_seconds: float) -> Callable[..., ImpatientConnection]:
    """What makes connections with that patience, in SQLAlchemy's event `do_connect`."""

    def connect(
        dialect: object, record: object, arguments: Any, words: dict[str, Any]
    ) -> ImpatientConnection:
        connection = ImpatientConnection.connect(*arguments, **words)
        connection.silent_seconds = silent_seconds
        return connection

    return connect

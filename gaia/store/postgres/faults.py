"""The faults of a PostgreSQL server: what it says when it cannot be used, in words that help
its owner.

Only faults of the server, its disk or the way to it are translated: a broken constraint or a
wrong statement is the caller's, and stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import psycopg
from sqlalchemy import URL, Engine, ExceptionContext, event
from sqlalchemy.exc import StatementError

from gaia.errors import StoreError, VanishedError

REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "28": "does not let gaia in ({detail}): check the user and the password in its address",
        "3D": "does not exist ({detail}): create it, or mend its address",
        "53": "has run out of something ({detail}): give its server room, or more connections",
        "55": "stayed locked by another process ({detail}): end what holds it, then try again",
        "25": (
            "cannot be written ({detail}): check that the address is that of the primary server, "
            "and that its user may write"
        ),
        "42501": "is not gaia's to change ({detail}): give its user the right to",
        "57": "is about to stop, or has ended what gaia asked ({detail}): try again",
        "58": "cannot be read or written ({detail}): look at its server's disk and log",
        "XX": "is damaged, or its server has a fault ({detail}): look at the server's log",
    }
)
"""By the code of the condition, or its class,
https://www.postgresql.org/docs/current/errcodes-appendix.html."""

ENDED = ("57P01", "57P02", "57P03", "57P05", "25P03", "25P04")
"""The codes with which a server ends a connection."""

UNREACHABLE = (
    "does not answer ({detail}): check that its server runs and has a connection left, and that "
    "its address, its user and its password are right"
)
"""Who is refused before anything is asked is told why in words alone."""


class LostConnectionError(StoreError):
    """A connection to PostgreSQL is gone, or none can be made."""


class TakenForDeadError(VanishedError):
    """Another process has taken over what this one did: nothing that it still does counts."""

    exit_code = 75


def name_of(url: URL) -> str:
    """What a database is called, without a password."""
    place = f"{url.host or 'this machine'}" + (f":{url.port}" if url.port else "")
    return f"the PostgreSQL database {url.database or ''!r} at {place}"


def translate_failures(engine: Engine, url: URL) -> None:
    """Make faults of the server raise `StoreError`, with the driver's own as its cause."""
    name = name_of(url)

    def translate(context: ExceptionContext) -> BaseException | None:
        if context.is_pre_ping:
            # One that was lost while nobody used it, which SQLAlchemy makes again.
            return None
        original = context.original_exception
        failed = store_error(name, original)
        if failed is None and context.sqlalchemy_exception is not None:
            _leave_out_values(original, context.sqlalchemy_exception)
        return failed

    event.listen(engine, "handle_error", translate)


def _leave_out_values(original: BaseException, raised: StatementError) -> None:
    """Of a row that breaks a constraint PostgreSQL tells all that is in it, which may be what
    somebody said, and what is raised may come to stand in the log."""
    primary = original.diag.message_primary if isinstance(original, psycopg.Error) else None
    if primary:
        original.args = (primary,)
        raised.args = (f"({type(original).__module__}.{type(original).__name__}) {primary}",)


def store_error(name: str, exc: BaseException) -> StoreError | None:
    """The `StoreError` that tells of `exc`, or None when `exc` is not about the server."""
    if not isinstance(exc, psycopg.Error):
        return None
    code = exc.sqlstate or ""
    detail = " ".join(str(exc).split())
    is_gone = not code and isinstance(exc, psycopg.OperationalError | psycopg.InterfaceError)
    if is_gone or code.startswith("08") or code in ENDED:
        return LostConnectionError(f"{name} {UNREACHABLE.format(detail=detail)}")
    remedy = REMEDIES.get(code) or REMEDIES.get(code[:2])
    return StoreError(f"{name} {remedy.format(detail=detail)}") if remedy else None

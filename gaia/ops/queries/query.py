"""A query: its name on the control socket, what it asks for, and how it is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from pydantic import PlainSerializer

from gaia.ops.report import Report

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from gaia.sessions.service import SessionStore

Q = TypeVar("Q", bound=Report)
A = TypeVar("A", bound=Report)

QUERY_PATH = "/local/query"
"""Below it, each query has the path of its name."""

Moment = Annotated[datetime, PlainSerializer(datetime.isoformat, str, when_used="json")]
"""A time, as scripts have always read it: with its offset in numbers."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a query is answered from: one view of the database, the sessions if there are
    any, the present time, and whether a daemon runs."""

    session: AsyncSession
    sessions: Callable[[], Awaitable[SessionStore | None]]
    now: datetime
    running: bool


@dataclass(frozen=True, slots=True)
class Query(Generic[Q, A]):
    """A kind of question and its answer. `find` answers it, `without_database` does where
    there is no database yet; either may raise a `GaiaError`."""

    name: str
    question: type[Q]
    answer: type[A]
    find: Callable[[Source, Q], Awaitable[A]]
    without_database: Callable[[Q], A]


class Everything(Report):
    """The question that names no detail."""

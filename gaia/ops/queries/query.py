"""A query: its name on the control socket, what it asks for, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from pydantic import PlainSerializer

from gaia.ops.report import Report

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


Q = TypeVar("Q", bound=Report)
A = TypeVar("A", bound=Report)

QUERY_PATH = "/local/query"
"""Below it, each query has the path of its name."""

Moment = Annotated[datetime, PlainSerializer(datetime.isoformat, str, when_used="json")]
"""A time, as scripts have always read it: with its offset in numbers."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a query is answered from: one view of the database, the present time, and whether
    a daemon runs."""

    session: Session
    now: datetime
    running: bool


@dataclass(frozen=True, slots=True)
class Query(Generic[Q, A]):
    """A kind of question and its answer. `find` answers it, `without_database` does where
    there is no database yet; either may raise a `GaiaError`."""

    name: str
    question: type[Q]
    answer: type[A]
    find: Callable[[Source, Q], A]
    without_database: Callable[[Q], A]

    def answer_from(self, session: Session, asked: Q, now: datetime, *, running: bool) -> A:
        """The answer, within the caller's transaction."""
        return self.find(Source(session, now, running), asked)


class Everything(Report):
    """The question that names no detail."""

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

    from gaia.settings.schema import Settings


Q = TypeVar("Q", bound=Report)
A = TypeVar("A", bound=Report)

QUERY_PATH = "/local/query"
"""Below it, each query has the path of its name."""

Moment = Annotated[datetime, PlainSerializer(datetime.isoformat, str, when_used="json")]
"""A time, as scripts have always read it: with its offset in numbers."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a query is answered from: one view of the database, the present time, and the
    settings of the daemon that answers, if one does."""

    session: Session
    now: datetime
    settings: Settings | None

    @property
    def running(self) -> bool:
        """Whether a daemon runs."""
        return self.settings is not None


@dataclass(frozen=True, slots=True)
class Query(Generic[Q, A]):
    """A kind of question and its answer. `find` answers it, `without_database` does where
    there is no database yet; either may raise a `GaiaError`."""

    name: str
    question: type[Q]
    answer: type[A]
    find: Callable[[Source, Q], A]
    without_database: Callable[[Q], A]

    def answer_from(
        self, session: Session, asked: Q, now: datetime, settings: Settings | None = None
    ) -> A:
        """The answer, within the caller's transaction; a daemon tells its settings."""
        return self.find(Source(session, now, settings), asked)


class Everything(Report):
    """The question that names no detail."""

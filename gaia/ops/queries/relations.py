"""The query about the people and things that a user's memories know."""

from __future__ import annotations

from gaia.ops.queries.people import Whose, find_owner, no_users
from gaia.ops.queries.query import Moment, Query, Source
from gaia.ops.report import Report


class WhichPeople(Whose):
    """All people and things of somebody, or those that are meant by some words."""

    words: str


class TieReport(Report):
    """What a memory tells of somebody, as of `gaia.memory.people.people.Tie`."""

    memory_id: int
    subject: str
    predicate: str
    object: str
    since: Moment
    until: Moment | None
    holds: bool


class KnownReport(Report):
    """Somebody or something, under all names."""

    number: int
    names: tuple[str, ...]
    kind: str
    relations: tuple[TieReport, ...]


class PeopleReport(Report):
    """Those that are meant, and pairs of names that may be one."""

    user: str
    people: tuple[KnownReport, ...]
    unsure: tuple[tuple[str, str], ...]


def _people(source: Source, asked: WhichPeople) -> PeopleReport:
    from gaia.memory.people import people
    from gaia.memory.people.paths import Scope

    session, owner = source.session, find_owner(source.session, asked.user, asked.login)
    within = Scope(source.now)
    known = people.people(session, owner.user_id, within)
    found = known.all
    if asked.words:
        found = people.find(session, owner.user_id, asked.words, within)
    return PeopleReport(
        user=owner.name,
        people=tuple(
            KnownReport.of(each, relations=tuple(map(TieReport.of, each.ties))) for each in found
        ),
        unsure=tuple((one.name, other.name) for one, other in known.unsure),
    )


PEOPLE = Query("people", WhichPeople, PeopleReport, _people, no_users)

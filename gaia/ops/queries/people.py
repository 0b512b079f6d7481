"""Queries about who may talk to gaia."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from gaia.errors import AmbiguousUserError, UnknownUserError
from gaia.ops.queries.query import Everything, Moment, Query, Source
from gaia.ops.report import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from gaia.messages import Address
    from gaia.store.people.identities import User


class AddressReport(Report):
    """An address of a user."""

    channel: str
    sender: str

    def __str__(self) -> str:
        return f"{self.channel}:{self.sender}"


class UserReport(Report):
    """A user and their addresses."""

    user_id: str
    name: str
    role: str
    is_group: bool
    created_at: Moment
    time_zone: str | None = None
    addresses: tuple[AddressReport, ...]


class UserList(Report):
    """All users, by name."""

    users: tuple[UserReport, ...] = ()


class RequestReport(Report):
    """Somebody who asks to be let in."""

    number: int
    name: str | None
    channel: str | None
    sender: str | None
    is_group: bool
    asked_at: Moment
    expires_at: Moment


class RequestList(Report):
    """Those who ask to be let in."""

    requests: tuple[RequestReport, ...] = ()


class Asked(Report):
    """A question that may leave open who is meant. `login` is the name of the login that asks:
    its user is meant where nobody is named, and there are several."""

    login: str = ""


class Whose(Asked):
    """Names a user by name or id; without one, the login's own is meant, or the only person."""

    user: str | None = None


class Owner(Report):
    """Whose things are meant."""

    user_id: str
    name: str


def user_report(user: User, addresses: Sequence[Address]) -> UserReport:
    """The report on a user."""
    return UserReport.of(
        user, time_zone=user.zone, addresses=tuple(map(AddressReport.of, addresses))
    )


def find_owner(session: Session, name: str | None, login: str = "") -> User:
    """The user of that name; without one the login's own, the only person, or the only user
    there is.

    Raises:
        UnknownUserError: There is no such user, or none at all.
        AmbiguousUserError: No name is given, there are several users, and none of them is
            the login's.
    """
    from gaia.core.access import TERMINAL
    from gaia.messages import Address
    from gaia.store.people import identities

    if name is not None:
        return identities.find(session, name)
    own = identities.resolve(session, Address(TERMINAL, login)) if login else None
    if own is not None:
        return own
    everybody = identities.everybody(session)
    candidates = [user for user in everybody if not user.is_group] or everybody
    if len(candidates) > 1:
        named = ", ".join(user.name for user in everybody)
        raise AmbiguousUserError(f"say who is meant: {named}: add --user NAME")
    return candidates[0] if candidates else no_users(None)


def no_users(question: object) -> NoReturn:
    """Refuse what is asked about a user where there are none.

    Raises:
        UnknownUserError: Always.
    """
    raise UnknownUserError("there are no users yet: 'gaia chat' makes you the first")


def _users(source: Source, question: Everything) -> UserList:
    from gaia.store.people import identities

    return UserList(
        users=tuple(
            user_report(user, identities.addresses(source.session, user.user_id))
            for user in identities.everybody(source.session)
        )
    )


def _requests(source: Source, question: Everything) -> RequestList:
    from gaia.store.people import pairings

    return RequestList(
        requests=tuple(
            RequestReport(
                number=each.pairing_id,
                name=each.terms.name,
                channel=each.terms.address.channel if each.terms.address else None,
                sender=each.terms.address.sender if each.terms.address else None,
                is_group=not each.terms.direct,
                asked_at=each.created_at,
                expires_at=each.expires_at,
            )
            for each in pairings.requests(source.session, source.now)
        )
    )


def _owner(source: Source, question: Whose) -> Owner:
    user = find_owner(source.session, question.user, question.login)
    return Owner.of(user)


USERS = Query("users", Everything, UserList, _users, lambda _: UserList())
REQUESTS = Query("requests", Everything, RequestList, _requests, lambda _: RequestList())
OWNER = Query("owner", Whose, Owner, _owner, no_users)

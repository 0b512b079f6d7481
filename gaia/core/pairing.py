"""Pairing: how codes are made, and how an address becomes a user's by one.

These are the rules. Each function works within the caller's transaction. Who is
told what: `strangers`, and the commands.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.core import slash
from gaia.errors import AddressTakenError, GroupUserError, UnknownCodeError
from gaia.messages import OWN_NOTES, Address, Inbound
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.people import identities, links, pairings, strangers
from gaia.store.people.identities import Role, User
from gaia.store.people.names import usable_name
from gaia.store.people.pairing_tables import PairingPurpose
from gaia.store.people.pairings import Code, Pairing, Terms, read_code

REQUESTS_A_CHANNEL = 3
"""So many strangers of a channel may wait for an owner at the same time."""

LINK_START = "start"
"""What a deep link of Telegram sends before a code: a tap on something that somebody sent."""

COMMANDS_WITH_CODE = (LINK_START, "link", "pair")
"""What may stand before a code."""


def sent_code(inbound: Inbound) -> str | None:
    """The code that a message hands in, alone or behind a command; None when it does not, or
    when it is not its sender who wrote it."""
    if inbound.is_forwarded or inbound.is_pressed or inbound.attachments:
        return None
    if not all(note.startswith(OWN_NOTES) for note in inbound.notes):
        return None
    command = slash.parse(inbound.text)
    if command is None:
        return read_code(inbound.text)
    return read_code(command.words) if command.name in COMMANDS_WITH_CODE else None


def is_by_link(inbound: Inbound) -> bool:
    """Whether a code was sent by a tap on a link, which anybody may have made."""
    command = slash.parse(inbound.text)
    return command is not None and command.name == LINK_START


def code_as_command(session: Session, inbound: Inbound, now: datetime) -> Inbound:
    """A code that a user sends, alone or by a deep link, is a `/link` while codes wait."""
    code = sent_code(inbound) if inbound.direct else None
    if code is not None and pairings.to_send_back(session, now):
        by_link = f"{LINK_START} " if is_by_link(inbound) else ""
        return replace(inbound, text=f"/link {by_link}{code}")
    return inbound


def needs_typing(pairing: Pairing) -> bool:
    """Whether a code makes of its sender somebody there is, or an owner."""
    return pairing.terms.user_id is not None or pairing.terms.role is Role.OWNER


def invite(
    session: Session,
    code: Code,
    *,
    user: User | None = None,
    name: str | None = None,
    role: Role | None = None,
    by: str,
    now: datetime,
) -> None:
    """Make `code` good for one address: it becomes `user`'s, or that of a new user with
    `role`, called `name` or as its sender is. A nameless owner is the only one, if
    there is one when the code is sent. An earlier code for the same user or for
    the owner is void.

    Raises:
        GroupUserError: The user is a group.
    """
    if user is not None and user.is_group:
        raise GroupUserError(f"{user.name!r} is a group, and keeps its one address")
    terms = Terms(
        PairingPurpose.INVITE, name=name, user_id=user.user_id if user else None, role=role
    )
    pairings.sweep(session, now)
    if user is not None or _is_for_the_owner(terms):
        pairings.withdraw(session, terms)
    _add(session, terms, code, "invitation", by=by, now=now)


def invite_owner(session: Session, code: Code, *, by: str, now: datetime) -> User | None:
    """Make `code` good for an address of the only owner, who is returned; or of the
    first, called as its sender is. Where there are several, it makes one more."""
    owners = identities.owners(session)
    owner = owners[0] if len(owners) == 1 else None
    invite(session, code, user=owner, role=None if owner else Role.OWNER, by=by, now=now)
    return owner


def offer_link(session: Session, code: Code, user: User, now: datetime) -> None:
    """Make `code` good for one more address of a user. Their earlier one is void."""
    terms = Terms(PairingPurpose.LINK, user_id=user.user_id)
    pairings.sweep(session, now)
    pairings.withdraw(session, terms)
    _add(session, terms, code, "link", by=user.user_id, now=now)


def request(session: Session, code: Code, inbound: Inbound, now: datetime) -> int | None:
    """Keep a stranger's wish to be let in; returns its number, or None when too many
    of their channel wait already."""
    pairings.sweep(session, now)
    strangers.sweep(session, now)
    pairings.withdraw_request(session, inbound.address)
    channel = inbound.address.channel
    if pairings.count_requests(session, channel, now) >= REQUESTS_A_CHANNEL:
        return None
    terms = Terms(
        PairingPurpose.REQUEST,
        address=inbound.address,
        chat=inbound.chat,
        direct=inbound.direct,
        name=own_name(inbound),
    )
    return _add(session, terms, code, "request", by=audit.GAIA, now=now)


def find_request(session: Session, code_or_number: str, now: datetime) -> Pairing:
    """The request that waits under a code, or under its number.

    Raises:
        UnknownCodeError: None does.
    """
    waiting = pairings.requests(session, now)
    wanted = code_or_number.strip().removeprefix("#")
    code = read_code(wanted)
    if code is not None:
        found = pairings.matching(code, waiting)
    else:
        found = next((each for each in waiting if str(each.pairing_id) == wanted), None)
    if found is None:
        raise UnknownCodeError(
            "no request has that code or number: it was answered, is older than an hour, "
            "or is mistyped; 'gaia users pending' lists the open ones"
        )
    return found


def approve(
    session: Session,
    wanted: Pairing,
    *,
    name: str | None = None,
    as_user: User | None = None,
    role: Role | None = None,
    by: str,
    now: datetime,
) -> User:
    """Let in who made a request: as `as_user`, or as a new user, called `name` or as
    they call themselves, with `role`, or as a member; a group as a guest.

    A request that was found within the same transaction is let in, or an error
    raised, before anything is written.

    Raises:
        UnknownCodeError: Somebody else has answered the request meanwhile.
        UserNameError: Nobody can be called `name`, or somebody is already.
        AddressTakenError: The address has become somebody's meanwhile.
        GroupUserError: A group would be a person, or the other way round, or an owner.
    """
    terms = wanted.terms
    address, is_group = terms.address, not terms.direct
    if address is None:
        raise ValueError(f"pairing {wanted.pairing_id} is no request")
    holder = identities.resolve(session, address)
    if holder is not None and (as_user is None or holder.user_id != as_user.user_id):
        raise AddressTakenError(f"the address {str(address)!r} is {holder.name!r} already")
    if as_user is not None and (is_group or as_user.is_group):
        raise GroupUserError(
            f"a group is a user of its own: let {str(address)!r} in without making it a person's, "
            f"or {as_user.name!r}"
        )
    user = as_user
    if user is None:
        user = identities.create(
            session,
            name or identities.free_name(session, terms.name),
            role or (Role.GUEST if is_group else Role.MEMBER),
            now=now,
            is_group=is_group,
        )
    if not pairings.claim(session, wanted.pairing_id, now):
        raise UnknownCodeError("somebody else answered that request in the meantime")
    _let_in(session, wanted, user, address, now)
    audit.record(
        session,
        Action.APPROVED,
        at=now,
        by=by,
        subject=user.user_id,
        address=address,
        detail=user.role,
    )
    return user


def turn_down(session: Session, wanted: Pairing, *, by: str, now: datetime) -> None:
    """Have a request wait no longer. Who made it is not told."""
    pairings.remove(session, wanted.pairing_id)
    audit.record(session, Action.TURNED_DOWN, at=now, by=by, address=wanted.terms.address)


def whose(session: Session, pairing: Pairing) -> User | None:
    """The user who the sender of a code becomes; None for a new one."""
    if pairing.terms.user_id is not None:
        return identities.find(session, pairing.terms.user_id)
    if _is_for_the_owner(pairing.terms):
        owners = identities.owners(session)
        return owners[0] if len(owners) == 1 else None
    return None


def pair(session: Session, pairing: Pairing, inbound: Inbound, now: datetime) -> User | None:
    """Make the address that sent a code back the one of whom it is for. None when that
    cannot be: it was used meanwhile, or is a person's and came from a group."""
    terms, is_group = pairing.terms, not inbound.direct
    for_a_person = terms.user_id is not None or terms.role is Role.OWNER
    if is_group and for_a_person:
        return None
    if not pairings.claim(session, pairing.pairing_id, now):
        return None
    user = whose(session, pairing)
    if user is None:
        user = identities.create(
            session,
            identities.free_name(session, terms.name or own_name(inbound)),
            terms.role or Role.MEMBER,
            now=now,
            is_group=is_group,
        )
    else:
        links.note_address(session, user, inbound.address, now)
    _let_in(session, pairing, user, inbound.address, now)
    audit.record(
        session,
        Action.LINKED if terms.purpose is PairingPurpose.LINK else Action.PAIRED,
        at=now,
        by=user.user_id,
        subject=user.user_id,
        address=inbound.address,
        detail=user.role,
    )
    return user


def own_name(inbound: Inbound) -> str:
    """What a sender, or a group, calls itself."""
    return usable_name(inbound.sender_name if inbound.direct else inbound.chat_title)


def _add(
    session: Session, terms: Terms, code: Code, purpose: str, *, by: str, now: datetime
) -> int:
    """Keep a code, which the audit calls one of that purpose; returns its number."""
    number = pairings.add(session, terms, code, now)
    audit.record(
        session,
        Action.CODE_MADE,
        at=now,
        by=by,
        subject=terms.user_id or "",
        address=terms.address,
        detail=purpose,
    )
    return number


def _let_in(
    session: Session, pairing: Pairing, user: User, address: Address, now: datetime
) -> None:
    identities.link(session, user, address, now)
    pairings.settle(session, pairing.pairing_id, user.user_id)
    pairings.withdraw_request(session, address)
    strangers.forget(session, address)


def _is_for_the_owner(terms: Terms) -> bool:
    return (
        terms.purpose is PairingPurpose.INVITE
        and terms.role is Role.OWNER
        and terms.name is None
        and terms.user_id is None
    )

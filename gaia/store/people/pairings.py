"""Pairings: the codes that wait to be sent back, or approved, and what they are for.

A code is a secret for the hour that it is good for. What is stored is its salted
scrypt hash; `new_code` and `matching` belong in a thread, since that is meant to be slow,
and touch no database. All other functions work within the caller's transaction.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.store.people.identities import Role
from gaia.store.people.pairing_tables import PairingPurpose, PairingRow

VALID_FOR = timedelta(hours=1)

TO_SEND_BACK = (PairingPurpose.INVITE, PairingPurpose.LINK)
"""Codes that let in whoever sends them. A `REQUEST` is for an owner to approve."""

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""No letter or digit that is taken for another when it is read out or copied."""

LENGTH = 8
SALT_BYTES = 16
CHECK_BYTES = 1
"""Of a quick hash of the code, behind its salt: of wrong codes all but one in 256 are told by it,
and cost nothing. Whoever reads the database has still 2^31 codes to try, at 20 ms each, within
the hour."""

SCRYPT_COST = 2**12
"""About 20 ms and 4 MB on a small machine, for each code that is compared."""

PATTERN = re.compile(rf"([{ALPHABET}]{{4}})[\s\-\u2010-\u2015]*([{ALPHABET}]{{4}})")


@dataclass(frozen=True, slots=True)
class Code:
    """A new code, as it is shown once, and what is kept of it."""

    shown: str = field(repr=False)
    salt: bytes
    code_hash: bytes


@dataclass(frozen=True, slots=True)
class Terms:
    """What a code is for. Of a `REQUEST`: who asked, where, and their name. Of an
    `INVITE` or a `LINK`: whom its sender becomes, or the name and role of a new user."""

    purpose: PairingPurpose
    address: Address | None = None
    chat: str | None = None
    direct: bool | None = None
    name: str | None = None
    user_id: str | None = None
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A code that was made. The code itself is known to nobody but its holder."""

    pairing_id: int
    terms: Terms
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    salt: bytes = field(repr=False)
    code_hash: bytes = field(repr=False)


def new_code() -> Code:
    """A code that nobody can guess. Slow."""
    code = _random()
    salt = secrets.token_bytes(SALT_BYTES)
    salt += _check_of(code, salt)
    code_hash = _hash(code, salt)
    return Code(f"{code[:4]}-{code[4:]}", salt, code_hash)


def read_code(text: str) -> str | None:
    """The code that a text is, in whatever case and grouping; None when it is none.

    A code has both a letter and a digit, so that no word and no number is one.
    """
    match = PATTERN.fullmatch(unicodedata.normalize("NFKC", text).upper().strip())
    if match is None:
        return None
    code = match[1] + match[2]
    return code if _is_mixed(code) else None


def add(session: Session, terms: Terms, code: Code, now: datetime) -> int:
    """Keep a new code; returns its number."""
    row = PairingRow(
        purpose=terms.purpose,
        salt=code.salt,
        code_hash=code.code_hash,
        channel=terms.address.channel if terms.address else None,
        sender=terms.address.sender if terms.address else None,
        chat=terms.chat,
        direct=terms.direct,
        name=terms.name,
        user_id=terms.user_id,
        role=terms.role,
        created_at=now,
        expires_at=now + VALID_FOR,
    )
    session.add(row)
    session.flush()
    return row.pairing_id


def sweep(session: Session, now: datetime) -> None:
    """Remove what has expired, but for those who are in and have not been told yet."""
    is_told = PairingRow.greeted_at.is_not(None) | PairingRow.used_at.is_(None)
    of_request = PairingRow.purpose == PairingPurpose.REQUEST
    session.execute(delete(PairingRow).where(PairingRow.expires_at <= now, is_told | ~of_request))


def withdraw(session: Session, terms: Terms) -> None:
    """Remove the unused codes with these terms: a new one takes their place."""
    session.execute(
        delete(PairingRow).where(
            PairingRow.purpose == terms.purpose,
            PairingRow.user_id.is_not_distinct_from(terms.user_id),
            PairingRow.role.is_not_distinct_from(terms.role),
            PairingRow.name.is_not_distinct_from(terms.name),
            PairingRow.used_at.is_(None),
        )
    )


def withdraw_request(session: Session, address: Address) -> None:
    """Remove what the address asked for and nobody has approved."""
    session.execute(
        delete(PairingRow).where(
            PairingRow.channel == address.channel,
            PairingRow.sender == address.sender,
            PairingRow.used_at.is_(None),
        )
    )


def requests(session: Session, now: datetime) -> Sequence[Pairing]:
    """The requests that wait to be approved, the oldest first."""
    rows = session.scalars(
        _open(now)
        .where(PairingRow.purpose == PairingPurpose.REQUEST)
        .order_by(PairingRow.pairing_id)
    )
    return [_pairing(row) for row in rows]


def count_requests(session: Session, channel: str, now: datetime) -> int:
    """How many requests of a channel wait to be approved."""
    waiting = _open(now).where(
        PairingRow.purpose == PairingPurpose.REQUEST, PairingRow.channel == channel
    )
    return session.scalar(select(func.count()).select_from(waiting.subquery())) or 0


def to_send_back(session: Session, now: datetime) -> Sequence[Pairing]:
    """The codes that let in whoever sends them."""
    rows = session.scalars(_open(now).where(PairingRow.purpose.in_(TO_SEND_BACK)))
    return [_pairing(row) for row in rows]


def matching(code: str, pairings: Sequence[Pairing]) -> Pairing | None:
    """The one of the pairings whose code it is, as `read_code` returns it. Slow, unless none of
    them is `possible`."""
    likely = possible(code, pairings)
    return next((each for each in likely if _is_of(code, each.salt, each.code_hash)), None)


def possible(code: str, pairings: Sequence[Pairing]) -> Sequence[Pairing]:
    """Those of the pairings whose code it may be, by a quick look."""
    return [each for each in pairings if _may_be(code, each.salt)]


def claim(session: Session, pairing_id: int, now: datetime) -> bool:
    """Use a code up; False when it was used or has expired meanwhile."""
    claimed = session.scalar(
        update(PairingRow)
        .where(
            PairingRow.pairing_id == pairing_id,
            PairingRow.used_at.is_(None),
            PairingRow.expires_at > now,
        )
        .values(used_at=now)
        .returning(PairingRow.pairing_id)
    )
    return claimed is not None


def settle(session: Session, pairing_id: int, user_id: str) -> None:
    """Say whom a used code let in."""
    session.execute(
        update(PairingRow).where(PairingRow.pairing_id == pairing_id).values(user_id=user_id)
    )


def remove(session: Session, pairing_id: int) -> None:
    """Remove a code, so that it lets nobody in."""
    session.execute(delete(PairingRow).where(PairingRow.pairing_id == pairing_id))


def to_greet(session: Session) -> Sequence[Pairing]:
    """Requests that were approved while those who asked have not been told."""
    rows = session.scalars(
        select(PairingRow)
        .where(
            PairingRow.purpose == PairingPurpose.REQUEST,
            PairingRow.used_at.is_not(None),
            PairingRow.greeted_at.is_(None),
        )
        .order_by(PairingRow.pairing_id)
    )
    return [_pairing(row) for row in rows]


def mark_greeted(session: Session, pairing_id: int, now: datetime) -> None:
    """Say that who asked has been told that they are in."""
    session.execute(
        update(PairingRow).where(PairingRow.pairing_id == pairing_id).values(greeted_at=now)
    )


def _open(now: datetime) -> Select[PairingRow]:
    return select(PairingRow).where(PairingRow.used_at.is_(None), PairingRow.expires_at > now)


def _pairing(row: PairingRow) -> Pairing:
    return Pairing(
        pairing_id=row.pairing_id,
        terms=Terms(
            purpose=PairingPurpose(row.purpose),
            address=Address(row.channel, row.sender) if row.channel and row.sender else None,
            chat=row.chat,
            direct=row.direct,
            name=row.name,
            user_id=row.user_id,
            role=Role(row.role) if row.role else None,
        ),
        created_at=row.created_at,
        expires_at=row.expires_at,
        used_at=row.used_at,
        salt=row.salt,
        code_hash=row.code_hash,
    )


def _may_be(code: str, salt: bytes) -> bool:
    salt, check = salt[:SALT_BYTES], salt[SALT_BYTES:]
    return not check or check == _check_of(code, salt)


def _check_of(code: str, salt: bytes) -> bytes:
    return hashlib.sha256(salt + code.encode()).digest()[:CHECK_BYTES]


def _is_of(code: str, salt: bytes, code_hash: bytes) -> bool:
    """Whether a code, as `read_code` returns it, is the one of this hash. Slow."""
    return hmac.compare_digest(_hash(code, salt), code_hash)


def _random() -> str:
    while True:
        code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        if _is_mixed(code):
            return code


def _is_mixed(code: str) -> bool:
    return not code.isalpha() and not code.isdigit()


def _hash(code: str, salt: bytes) -> bytes:
    return hashlib.scrypt(code.encode(), salt=salt, n=SCRYPT_COST, r=8, p=1, dklen=32)

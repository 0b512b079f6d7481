"""Telephone numbers with two spellings: providers drop or add a digit that a person writes.

Brazil's mobile numbers got a ninth digit, Mexico's had a 1 and Argentina's have a 9 behind
the country's code: one and the same telephone is named with it or without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.messages import Address
from gaia.store.tables import IdentityRow

_TWO_WAYS = tuple(
    (re.compile(with_digit, re.ASCII), re.compile(without, re.ASCII), digit)
    for with_digit, without, digit in (
        # Eight digits that begin with 2 to 5 are a landline, another telephone than the mobile.
        (r"(\+55[1-9][1-9])9([016-9]\d{7})", r"(\+55[1-9][1-9])([016-9]\d{7})", "9"),
        (r"(\+52)1([2-9]\d{9})", r"(\+52)([2-9]\d{9})", "1"),
        (r"(\+54)9([1-3]\d{9})", r"(\+54)([1-3]\d{9})", "9"),
    )
)


def spellings(sender: str) -> tuple[str, ...]:
    """All ways in which a channel may name a sender, as given first. Only a whole number with
    its `+` has a second one."""
    for with_digit, without, digit in _TWO_WAYS:
        if found := with_digit.fullmatch(sender):
            return sender, found[1] + found[2]
        if found := without.fullmatch(sender):
            return sender, found[1] + digit + found[2]
    return (sender,)


def spelled(addresses: Iterable[Address]) -> Sequence[tuple[str, str]]:
    """Channel and sender of these addresses, in all spellings."""
    return [
        (address.channel, spelling)
        for address in addresses
        for spelling in spellings(address.sender)
    ]


def identity_of(session: Session, address: Address) -> IdentityRow | None:
    """What makes an address somebody's, its own spelling before another; None for a
    stranger's."""
    return session.scalar(
        select(IdentityRow)
        .where(
            IdentityRow.channel == address.channel,
            IdentityRow.sender.in_(spellings(address.sender)),
        )
        .order_by(IdentityRow.sender != address.sender)
        .limit(1)
    )

"""The numbers of payment cards: by their issuer's prefix, their length and check digit.

Prefixes and lengths are those of ISO/IEC 7812 as the large networks use them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

SHORTEST, LONGEST = 12, 19
"""Digits of a card's number."""

GROUPS = re.compile(r"(?<![\w+])\d+(?:[ -]\d+)*(?!\w)")
"""Digits in groups or not, which do not begin like an international telephone number."""

IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
"""An account's number, which a transfer needs and which takes no money from it."""

NETWORKS = re.compile(
    r"""
    4\d{12}(?:\d{3}){0,2}                                          # Visa
    | (?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}  # Mastercard
    | 3[47]\d{13}                                                  # American Express
    | 3(?:0[0-5]|[689]\d)\d{11}                                    # Diners Club
    | (?:6011|64[4-9]\d|65\d{2}|62\d{2}|35(?:2[89]|[3-8]\d))\d{12,15}  # Discover, UnionPay, JCB
    | (?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}           # Maestro
    | 220[0-4]\d{12}                                               # Mir
    """,
    re.VERBOSE,
)


def holds_card_number(text: str) -> bool:
    """Whether a payment card's number stands in the text. `text` is NFKC."""
    without_ibans = IBAN.sub(" IBAN ", text)
    return any(map(_is_card, _numbers(without_ibans)))


def _numbers(text: str) -> Iterator[str]:
    """Each number of a card's length that neighbouring groups of digits make."""
    for found in GROUPS.finditer(text):
        groups = [_ascii(group) for group in re.split("[ -]", found[0])]
        for first in range(len(groups)):
            number = ""
            for group in groups[first:]:
                number += group
                if len(number) > LONGEST:
                    break
                if len(number) >= SHORTEST:
                    yield number


def passes_luhn(digits: str) -> bool:
    """Whether the last digit checks the others, by the formula of Luhn (ISO/IEC 7812-1)."""
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _is_card(digits: str) -> bool:
    return NETWORKS.fullmatch(digits) is not None and passes_luhn(digits)


def _ascii(digits: str) -> str:
    return "".join(str(unicodedata.decimal(digit)) for digit in digits)

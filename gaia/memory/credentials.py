"""What gaia does not keep: keys and tokens, passwords and PINs, card numbers.

What is in a memory is read aloud to whoever has the chat open, and to the provider
of the model: a password manager is the place for such things. Refused is what opens
an account or pays: what is called a password, passphrase or PIN and has its value
beside it, private keys and tokens by their form, card numbers by their check digit.

Kept are an IBAN and a phone number, which people give away freely, and the code of a
door or a gate: it opens nothing from afar, and a household asks for it. A PIN stays
one wherever it is used. A password of plain words is recognised in quotes, after a
colon, or as the one word at the end: "my password is …" begins ordinary sentences
as well. One with letters and digits, or a number like a PIN, is recognised beside a word
for it in any form, in any language whose stem is known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum

from gaia.errors import CredentialError
from gaia.memory import password_words as words
from gaia.memory.text import INVISIBLE
from gaia.settings.secrets import looks_secret


class Credential(StrEnum):
    """What a text may hold that is not kept, in the words of the refusal."""

    KEY = "a key or a token"
    PASSWORD = "a password or a PIN"  # noqa: S105 - the words for one
    CARD = "the number of a payment card"


IN_A_QUERY = re.compile(r"[?&](?:api_?key|key|sig|access_token|token|secret|password)=[^&\s]{8,}")
QUOTES = "\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f"
SPELLED = re.compile(r"(?<!\S)\S(?: \S){3,}(?!\S)")
"""A word that is told letter by letter."""

LONG_TOKEN = re.compile(r"(?<![\w/.+=?&#-])[\w+/=-]{32,}(?![\w/.])", re.ASCII)


def _any_of(patterns: str) -> str:
    return "|".join(sorted(patterns.split(), key=len, reverse=True))


def _name(patterns: str) -> str:
    """A name by itself, or as a part of one with underscores: `DB_PASSWORD`."""
    return rf"(?<![^\W_])(?:{patterns})(?![^\W_])"


PASSWORD = re.compile(
    rf"{_name(_any_of(words.PASSWORDS) + '|' + words.SEED_PHRASE)}|{_any_of(words.UNSPACED)}",
    re.IGNORECASE,
)
PIN = re.compile(_name(_any_of(words.PINS)), re.IGNORECASE)
SECRET = re.compile(_name(_any_of(words.SECRETS)), re.IGNORECASE)
WHOSE = re.compile(rf"\W*(?:$|(?:{_any_of(words.WHOSE)})(?!\w))", re.IGNORECASE)
_VALUE = rf"(?P<value>[^\s{QUOTES}]+)"
LINKED_VALUE = re.compile(
    r"(?P<about>[^.!?:=;,\n]{0,40}?)"
    rf"(?:(?P<sign>\s*[:=]+)|(?<!\w)(?:{_any_of(words.LINKS)})(?!\w)"
    rf"|{_any_of(words.UNSPACED_LINKS)})"
    rf"\s*(?P<quote>[{QUOTES}]?){_VALUE}(?P<more>[^\S\n]*[^\s{QUOTES}])?",
    re.IGNORECASE,
)
VALUE_BESIDE = re.compile(rf"\s+[{QUOTES}]?{_VALUE}")
DIGITS_NEAR = re.compile(r"(?P<before>[^.!?;,\n\d]{0,40}?)(?<![\d.,])(?P<digits>\d{3,12})(?!\w)")
YEAR_AFTER = re.compile(rf"(?<!\w)(?:{_any_of(words.YEAR_WORDS)})\s+$", re.IGNORECASE)
VALUE_BEFORE = re.compile(
    rf"{_VALUE}[{QUOTES}]?\s+(?:{_any_of(words.LINKS_BACK)})\s+(?:\w+\s+){{0,2}}$",
    re.IGNORECASE,
)
FURTHEST_BEFORE = 80
"""Characters before a name in which its value is looked for."""

STEM = re.compile(
    rf"(?<![^\W_])(?:\w{{0,30}}(?:{_any_of(words.COMPOUNDS)})|{_any_of(words.STEMS)}"
    rf"|(?P<loose>{_any_of(words.LOOSE_STEMS)}"
    rf"|(?:{_any_of(words.CODES)})\w*(?:\s+\w+){{0,3}}?\s+(?:{_any_of(words.CARDS)})))"
    r"[^\s:=,.!?;]*",
    re.IGNORECASE,
)
DOOR = re.compile(rf"(?<!\w)(?:{_any_of(words.DOORS)})", re.IGNORECASE)
CLAUSE_END = re.compile(r"[.!?;,](?=\s|$)|\n")
FARTHEST = 60
"""Characters behind a word for a password in which its value is looked for."""

PIN_LIKE = re.compile(r"\d{4,8}")
YEAR = re.compile(r"(?:19|20)\d\d")
QUANTITY = re.compile(r"\d{1,3}\D{1,3}|\S*@\S+\.\S+|\S*://\S*")
"""`250ml` and `10th`, an address, a link: no password."""

LINK_WORDS = frozenset((words.LINKS + words.MORE_LINKS).split())
OWNERS = frozenset(words.WHOSE.split())
AFTER_VALUE = frozenset(words.AFTER_VALUE.split())

SHORTEST_SECRET = 8
"""Characters of an API key or a recovery code, at least."""


def check(text: str) -> None:
    """Let through what may be kept.

    Raises:
        CredentialError: It looks like a credential; the message says like which.
    """
    found = find(text)
    if found is not None:
        raise CredentialError(
            f"it looks like it holds {found}, which is not kept: a password manager does that"
        )


def find(text: str) -> Credential | None:
    """What the text holds that is not kept, or None."""
    text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text))
    spelled = SPELLED.sub(lambda each: each.group().replace(" ", ""), text)
    return _find(text) or (_find(spelled) if spelled != text else None)


def _find(text: str) -> Credential | None:
    if looks_secret(text) or IN_A_QUERY.search(text) or _holds_long_token(text):
        return Credential.KEY
    if _tells_secret(text):
        return Credential.KEY
    if holds_card_number(text):
        return Credential.CARD
    if _tells_pin(text) or _tells_password(text) or _tells_beside_stem(text):
        return Credential.PASSWORD
    return None


def _holds_long_token(text: str) -> bool:
    """Letters of both cases and digits in one long run, which no word or identifier has."""
    return any(
        sum(char.isdigit() for char in token) >= 4
        and sum(char.isupper() for char in token) >= 4
        and sum(char.islower() for char in token) >= 4
        for token in LONG_TOKEN.findall(text)
    )


def _tells_secret(text: str) -> bool:
    return any(
        len(value) >= SHORTEST_SECRET and _looks_secret(value)
        for name in SECRET.finditer(text)
        for value in _values_after(text, name.end())
    )


def _tells_pin(text: str) -> bool:
    for name in PIN.finditer(text):
        near = DIGITS_NEAR.match(text, name.end())
        if near and not YEAR_AFTER.search(near["before"]):
            return True
        before = _value_before(text, name.start())
        if before.isdecimal():
            return True
    return False


def _tells_password(text: str) -> bool:
    for name in PASSWORD.finditer(text):
        linked = LINKED_VALUE.match(text, name.end())
        if linked and _is_told(linked):
            return True
        before = _value_before(text, name.start())
        values = [*_values_after(text, name.end()), before]
        if any(map(_looks_secret, values)):
            return True
    return False


def _tells_beside_stem(text: str) -> bool:
    """Whether a word for a password in any form has a value beside it that is no word."""
    if not any(map(str.isdigit, text)):
        return False
    for name in STEM.finditer(text):
        rest = text[name.end() : name.end() + FARTHEST]
        clause = CLAUSE_END.split(rest.lstrip(" :="), maxsplit=1)[0]
        is_loose = name["loose"] is not None
        around = text[max(0, name.start() - FARTHEST) : name.end() + FARTHEST]
        if is_loose and DOOR.search(around):
            continue
        if _ends_in_value(re.split(r"[\s:=]+", clause.strip()), is_loose=is_loose):
            return True
        if _is_value(_value_before(text, name.start())):
            return True
    return False


def _ends_in_value(said: Sequence[str], *, is_loose: bool) -> bool:
    """Whether words behind a word for a password end in its value, or link it to one."""
    for place, word in enumerate(said):
        value = _bare(word)
        if not _is_value(value):
            continue
        before = [each.casefold() for each in said[:place]]
        is_last = AFTER_VALUE.issuperset(said[place + 1 :])
        is_linked = not before or before[-1] in LINK_WORDS
        if YEAR.fullmatch(value):
            return is_linked and is_last and not is_loose
        if is_loose:
            return is_last and (is_linked or (place == 1 and OWNERS.isdisjoint(before)))
        return is_linked or (is_last and OWNERS.isdisjoint(before))
    return False


def _is_value(word: str) -> bool:
    """Whether a word has letters and digits, or is a number like a PIN."""
    if PIN_LIKE.fullmatch(word):
        return True
    is_mixed = any(map(str.isalpha, word)) and any(map(str.isdigit, word))
    return is_mixed and len(word) >= 5 and not QUANTITY.fullmatch(word)


def _is_told(linked: re.Match[str]) -> bool:
    """Whether what stands after `password is` is the password, and no remark on it."""
    value = _bare(linked["value"])
    is_last_word = not linked["more"] or linked["value"][-1] in ".,;!"
    if is_last_word and value.casefold() in words.STATES:
        return False
    if linked["sign"] or linked["quote"]:
        return bool(value)
    return is_last_word and bool(value) and WHOSE.match(linked["about"]) is not None


def _values_after(text: str, position: int) -> Iterator[str]:
    """The word after a name, and the one after its link."""
    for pattern in (VALUE_BESIDE, LINKED_VALUE):
        found = pattern.match(text, position)
        if found:
            yield _bare(found["value"])


def _value_before(text: str, position: int) -> str:
    found = VALUE_BEFORE.search(text, max(0, position - FURTHEST_BEFORE), position)
    return _bare(found["value"]) if found else ""


def _looks_secret(word: str) -> bool:
    """Whether a word is none: it mixes letters, digits, marks or cases, or is a number."""
    if len(word) < 4:
        return False
    has_digit = any(char.isdigit() for char in word)
    has_mark = any(char in "@#$%^&*!_+=~" for char in word)
    is_mixed = any(char.isupper() for char in word[1:]) and any(char.islower() for char in word)
    return has_digit or has_mark or is_mixed


def _bare(value: str) -> str:
    return value.strip(f"{QUOTES}()[]<>,;:.!?")


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

"""Pairing codes: how they look, what is kept of one, and which text is one.

A code is a secret for the hour that it is good for. What is stored is its salted
scrypt hash; it is compared in a thread, since that is meant to be slow.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import unicodedata
from dataclasses import dataclass, field

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""No letter or digit that is taken for another when it is read out or copied."""

LENGTH = 8
SALT_BYTES = 16
SCRYPT_COST = 2**12
"""About 20 ms and 4 MB on a small machine, for each code that is compared."""

PATTERN = re.compile(rf"([{ALPHABET}]{{4}})[\s\-\u2010-\u2015]*([{ALPHABET}]{{4}})")


@dataclass(frozen=True, slots=True)
class Code:
    """A new code, as it is shown once, and what is kept of it."""

    shown: str = field(repr=False)
    salt: bytes
    code_hash: bytes


def new_code() -> Code:
    """A code that nobody can guess. Slow."""
    code = _random()
    salt = secrets.token_bytes(SALT_BYTES)
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


def is_of(code: str, salt: bytes, code_hash: bytes) -> bool:
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

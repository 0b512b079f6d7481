"""What gaia does not keep: keys, passwords and card numbers."""

from __future__ import annotations

import re

from gaia.errors import CredentialError

KEY = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|gh[pousr]_[A-Za-z0-9]{20,})")


def check(text: str) -> None:
    """Let through what may be kept.

    Raises:
        CredentialError: It looks like a credential; the message says like which.
    """
    if KEY.search(text):
        raise CredentialError("it looks like a key")

"""What a key or a token looks like: the one table, for the log, `gaia.yaml` and memory.

A shape is that of the secret itself. What gives one away by a name beside it is found
where such names stand: in a line of a log, in a key of the settings, in a sentence.
"""

from __future__ import annotations

import re

SHAPES: dict[str, str] = {
    "GEMINI_API_KEY": r"\bAIza[\w-]{30,}",
    "ANTHROPIC_API_KEY": r"\bsk-ant-[\w-]{8,}",
    "OPENAI_API_KEY": r"sk-[\w-]{16,}",
    "GAIA_TELEGRAM_BOT_TOKEN": r"(?<!\d)\d{6,}(?::|%3A)[\w-]{30,}",
    "GAIA_TWILIO_ACCOUNT_SID": r"\bAC[0-9a-f]{32}\b",
}
"""Of what gaia uses, by the variable that each belongs in."""
OTHER_SHAPES = (
    r"\bSK[0-9a-f]{32}\b",  # Twilio
    r"\b(?:sk|rk)_(?:live|test)_\w{16,}",  # Stripe
    r"\bya29\.[\w-]{20,}",  # Google
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",  # AWS
    r"\bgh[pousr]_[A-Za-z0-9]{16,}",  # GitHub
    r"\bgithub_pat_\w{20,}",
    r"\bglpat-[\w-]{16,}",  # GitLab
    r"\bxox[abeprs]-[\w-]{10,}",  # Slack
    r"\b(?:hf|npm|gsk|shpat|lin_api|dop_v1)_[A-Za-z0-9]{16,}",
    r"\bpypi-[\w-]{16,}",
    r"\bSG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}",
    r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?",  # JSON Web Token
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?:-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z))?",
)
"""Of what gaia has no use for, but may meet."""

PASSWORD_IN_ADDRESS = r"(?<=://)[^\s/?#@:\"'<>\\]*:[^\s/?#@\"'<>\\]+(?=@)"  # noqa: S105 - a shape

OF_ONE_FORM = re.compile("|".join((*SHAPES.values(), *OTHER_SHAPES)))
"""Any key or token."""
EITHER = re.compile(f"{PASSWORD_IN_ADDRESS}|{OF_ONE_FORM.pattern}")
"""Any key or token, and a user with a password in a URL."""


def looks_secret(text: str) -> bool:
    """Whether there is something in `text` that has the shape of a secret."""
    return EITHER.search(text) is not None


def conceal(text: str) -> str:
    """`text` with all in it that has the shape of a secret taken out."""
    return EITHER.sub("[secret]", text)


def variable_for(text: str) -> str:
    """The variable that a secret of this shape belongs in; empty when unknown."""
    return next((name for name, shape in SHAPES.items() if re.search(shape, text)), "")

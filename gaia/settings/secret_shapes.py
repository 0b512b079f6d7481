"""What a key or a token looks like: the one table, for the log, `gaia.yaml` and memory.

A shape is that of the secret itself. What gives one away by a name beside it is found
where such names stand: in a line of a log, in a key of the settings, in a sentence.
"""

from __future__ import annotations

import re

_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%3[AaDd]))"
"""Before a secret whose first letters also end words, as those of `desk-lamp` do. Logs have
line breaks escaped, and URLs their colons and equals signs."""

SHAPES: dict[str, str] = {
    "GEMINI_API_KEY": r"AIza[\w-]{30,}",
    "ANTHROPIC_API_KEY": _START + r"sk-ant-[\w-]{8,}",
    "OPENAI_API_KEY": _START + r"sk-[\w-]{16,}",
    "GAIA_TELEGRAM_BOT_TOKEN": r"(?<!\d)\d{6,}(?::|%3A)[\w-]{30,}",
    "GAIA_TWILIO_ACCOUNT_SID": _START + r"AC[0-9a-f]{32}\b",
}
"""Of what gaia uses, by the variable that each belongs in."""
OTHER_SHAPES = (
    _START + r"SK[0-9a-f]{32}\b",  # Twilio
    _START + r"[sr]k_(?:[a-z]+_)*[A-Za-z0-9]{16,}",  # Stripe, ElevenLabs
    _START + r"rk-[\w-]{16,}",
    r"ya29\.[\w-]{20,}",  # Google
    _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}\b",  # AWS
    _START + r"gh[pousr][_-][A-Za-z0-9]{16,}",  # GitHub
    r"github_pat_\w{20,}",
    r"glpat-[\w-]{16,}",  # GitLab
    _START + r"xox[abeprs][_-][\w-]{10,}",  # Slack
    _START + r"(?:hf|npm|gsk|shpat|lin_api|dop_v1)[_-][A-Za-z0-9]{16,}",
    _START + r"pypi-[\w-]{16,}",
    _START + r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"AGE-SECRET-KEY-1[A-Z0-9]{20,}",
    r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?",  # JSON Web Token
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?:-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z))?",
)
"""Of what gaia has no use for, but may meet."""

PASSWORD_IN_ADDRESS = r"(?<=://)[^\s/?#@:\"'<>\\]*:[^\s/@]+(?=@)"  # noqa: S105 - a shape

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

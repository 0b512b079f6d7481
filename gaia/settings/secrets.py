"""Keys and tokens: where they come from, what they look like, and which settings must not hold
one.

They stand in the environment or in `.env` in the home, never in gaia.yaml. No message in
here holds a value. There is one table of shapes, for the log, gaia.yaml and memory. A shape
is that of the secret itself: what gives one away by a name beside it is found where such
names stand, in a line of a log, in a key of the settings, in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from stat import S_IMODE

from dotenv.parser import parse_stream
from pydantic import SecretStr

from gaia.files import read_bounded
from gaia.mistakes import Mistake
from gaia.settings.schema import LARGEST_BYTES, Secrets
from gaia.settings.urls import DATABASE_EXAMPLE, HiddenError, check_database_url

ENVIRONMENT = "environment"

VARIABLES: Mapping[str, tuple[str, ...]] = {
    "gemini_api_key": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai_api_key": ("OPENAI_API_KEY",),
    "anthropic_api_key": ("ANTHROPIC_API_KEY",),
    "telegram_bot_token": ("GAIA_TELEGRAM_BOT_TOKEN",),
    "twilio_account_sid": ("GAIA_TWILIO_ACCOUNT_SID",),
    "twilio_auth_token": ("GAIA_TWILIO_AUTH_TOKEN",),
    "backup_passphrase": ("GAIA_BACKUP_PASSPHRASE",),
    "database_url": ("GAIA_DATABASE_URL",),
}
"""The variables that may hold each secret; the first one that is set counts."""

KNOWN = tuple(name for names in VARIABLES.values() for name in names)

PASSPHRASES = VARIABLES["backup_passphrase"]
"""Their values are made up by people, of whatever words they like."""

ADDRESSES = VARIABLES["database_url"]
"""Their values are addresses of databases."""

HOSTS = {
    "OPENAI": "OPENAI",
    "CHATGPT": "OPENAI",
    "ANTHROPIC": "ANTHROPIC",
    "CLAUDE": "ANTHROPIC",
    "GEMINI": "GEMINI",
    "GOOGLE": "GOOGLE",
    "TELEGRAM": "TELEGRAM",
    "TWILIO": "TWILIO",
    "BACKUP": "BACKUP",
}
"""Words of a variable's name that say whose secret it holds."""

LAST_WORDS = ("KEY", "TOKEN", "SECRET", "SID", "PASSPHRASE", "PASSWORD")

NAMES = re.compile(
    r"(^|[_-])(api[_-]?key|apikey|key|token|secret|password|passwd|passphrase|credentials)$",
    re.IGNORECASE,
)

_COMMENT = re.compile(r"\s#(?!\s|$)")

_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%3[AaDd]))"
"""Before a secret whose first letters also end words, as those of `desk-lamp` do. Logs have
line breaks escaped, and URLs their colons and equals signs."""

SHAPES: dict[str, str] = {
    "GEMINI_API_KEY": r"AIza[\w-]{30,}",
    "ANTHROPIC_API_KEY": _START + r"sk-ant-[\w-]{8,}",
    "OPENAI_API_KEY": _START + r"sk-[\w-]{16,}",
    "GAIA_TELEGRAM_BOT_TOKEN": r"(?<!\d)\d{6,}(?::|%3A)[\w-]{30,}",
    "GAIA_TWILIO_ACCOUNT_SID": _START + r"AC[0-9a-f]{32}\b",
    "GAIA_DATABASE_URL": r"\bpostgres(?:ql)?(?:\+\w+)?://[^\s/?#@:\"'<>\\]*:[^\s/@]+@",
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


@dataclass(slots=True)
class FoundSecrets:
    """The secrets, which variable and place each came from, and what is wrong."""

    secrets: Secrets = field(default_factory=Secrets)
    sources: dict[str, str] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def find_secrets(env_file: Path, environ: Mapping[str, str]) -> FoundSecrets:
    """Read the secrets from `environ` and `env_file`. What is in `environ` wins,
    even when it is empty, so that a key can be switched off for one run."""
    found = FoundSecrets()
    from_file = _read_env_file(env_file, found)
    values: dict[str, SecretStr] = {}
    for secret, variables in VARIABLES.items():
        for source, place in ((environ, ENVIRONMENT), (from_file, str(env_file))):
            present = [name for name in variables if name in source]
            if not present:
                continue
            name = next((name for name in present if source[name].strip()), None)
            if name is not None and _is_usable(name, source[name].strip(), place, found):
                values[secret] = SecretStr(source[name].strip())
                found.sources[name] = place
            break
    found.secrets = Secrets.model_validate(values)
    return found


def exposure(env_file: Path) -> str:
    """The warning that others may read the secrets."""
    return f"{env_file} can be read by other users of this machine: chmod 600 {env_file}"


def is_secret(path: tuple[str, ...], text: str) -> bool:
    """Whether `text`, found under the keys `path`, must not be shown."""
    named = bool(path) and NAMES.search(path[-1]) is not None
    return (named and bool(text.strip())) or looks_secret(text)


def _read_env_file(env_file: Path, found: FoundSecrets) -> dict[str, str]:
    try:
        mode = S_IMODE(env_file.stat().st_mode)
        text = read_bounded(env_file, LARGEST_BYTES).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as exc:
        cause = (exc.strerror or "unreadable") if isinstance(exc, OSError) else "it is not UTF-8"
        remedy = "Mend its permissions, or write it again as UTF-8 text"
        found.mistakes.append(
            Mistake(str(env_file), None, None, "", f"the file cannot be read: {cause}", remedy)
        )
        return {}
    if mode & 0o077:
        found.warnings.append(exposure(env_file))
    return _parse_env_file(env_file, text, found)


def _parse_env_file(env_file: Path, text: str, found: FoundSecrets) -> dict[str, str]:
    values: dict[str, str] = {}
    for binding in parse_stream(StringIO(text)):
        original = binding.original.string
        blank_lines = original[: len(original) - len(original.lstrip())].count("\n")
        line = binding.original.line + blank_lines
        if binding.error or (binding.key is not None and binding.value is None):
            found.mistakes.append(
                Mistake(str(env_file), line, None, "", "the line has no value", "Write NAME=value")
            )
        elif binding.key is not None:
            place = f"{env_file}, line {line}"
            value = binding.value or ""
            if values.get(binding.key, value) != value:
                found.warnings.append(
                    f"{place}: {binding.key} stands here again with another value, which counts: "
                    "keep one of the two"
                )
            values[binding.key] = value
            _warn_of_misspelling(binding.key, place, found)
            _warn_of_comment(binding.key, original, place, found)
    return values


def _warn_of_comment(name: str, original: str, place: str, found: FoundSecrets) -> None:
    """Of a `#` that may belong to the value: `.env` begins a comment there, as a shell does."""
    written = original.partition("=")[2].strip()
    cut = _COMMENT.search(written)
    if cut is not None and not written.startswith(("'", '"')) and name in KNOWN:
        found.warnings.append(
            f"{place}: {name} ends before '#', where a comment begins: put the value in quotes "
            "if what follows belongs to it"
        )


def _warn_of_misspelling(name: str, place: str, found: FoundSecrets) -> None:
    meant = get_close_matches(name.upper(), KNOWN, n=1, cutoff=0.85) or _of_the_same_host(name)
    if meant and name not in KNOWN:
        found.warnings.append(f"{place}: gaia does not read {name}; did you mean {meant[0]}?")


def _of_the_same_host(name: str) -> list[str]:
    """The variable for the same host's secret, of a name that says whose it is and that it is
    one: `OPENAI_KEY`, `TELEGRAM_TOKEN`."""
    words = name.upper().replace("-", "_").split("_")
    owner = next((HOSTS[word] for word in words if word in HOSTS), None)
    if owner is None or not {words[-1], words[-1].removeprefix("API")} & {*LAST_WORDS}:
        return []
    known = [each for each in KNOWN if owner in each]
    return get_close_matches(name.upper(), known, n=1, cutoff=0.0)


def _is_usable(name: str, value: str, place: str, found: FoundSecrets) -> bool:
    is_key = value.isascii() and " " not in value
    problem, remedy = "holds a space or a character that no key has", "Copy the key again"
    if value.isprintable() and (is_key or name in PASSPHRASES):
        if name not in ADDRESSES:
            return True
        try:
            return bool(check_database_url(value))
        except HiddenError as exc:
            problem, remedy = str(exc), f"Write it as {DATABASE_EXAMPLE}"
    found.mistakes.append(Mistake(place, None, None, name, problem, remedy))
    return False


def looks_secret(text: str) -> bool:
    """Whether there is something in `text` that has the shape of a secret."""
    return EITHER.search(text) is not None


def conceal(text: str) -> str:
    """`text` with all in it that has the shape of a secret taken out."""
    return EITHER.sub("[secret]", text)


def variable_for(text: str) -> str:
    """The variable that a secret of this shape belongs in; empty when unknown."""
    return next((name for name, shape in SHAPES.items() if re.search(shape, text)), "")

"""Reads the secrets that channels need, and makes a mistake of each that is missing or
malformed. No message in here holds a value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import SecretStr

from gaia.errors import SettingsError
from gaia.mistakes import Mistake
from gaia.settings.schema import ChannelsSettings, Secrets


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of secret: the channel that needs it, the variable that holds it, and where
    an owner gets it."""

    channel: str
    variable: str
    shape: str
    shape_in_words: str
    source: str


_TELEGRAM_TOKEN = _Kind(
    "telegram",
    "GAIA_TELEGRAM_BOT_TOKEN",
    r"\d{6,}:[A-Za-z0-9_-]{30,}",
    "digits, a colon, and 35 characters more",
    "@BotFather",
)
_TWILIO_ACCOUNT = _Kind(
    "whatsapp",
    "GAIA_TWILIO_ACCOUNT_SID",
    r"AC[0-9a-fA-F]{32}",
    "AC and 32 digits or letters to f",
    "Twilio's console",
)
_TWILIO_TOKEN = _Kind(
    "whatsapp",
    "GAIA_TWILIO_AUTH_TOKEN",
    r"[0-9a-fA-F]{32}",
    "32 digits or letters to f",
    "Twilio's console",
)


@dataclass(frozen=True, slots=True, repr=False)
class TwilioCredentials:
    """Identify gaia at Twilio; only the two know them."""

    account_sid: str
    auth_token: str


def missing(settings: ChannelsSettings, secrets: Secrets) -> Sequence[Mistake]:
    """List the secrets that enabled channels miss, as mistakes without a place."""
    found: list[Mistake] = []
    for is_enabled, read in (
        (settings.telegram.enabled, telegram_token),
        (settings.whatsapp.enabled, twilio_credentials),
    ):
        try:
            if is_enabled:
                read(secrets)
        except SettingsError as exc:
            found += exc.mistakes
    return found


def telegram_token(secrets: Secrets) -> str:
    """Read the token of the bot.

    Raises `SettingsError` if it is not set or malformed; the mistake has no place yet.
    """
    (token,) = _well_formed((_TELEGRAM_TOKEN, secrets.telegram_bot_token))
    return token


def twilio_credentials(secrets: Secrets) -> TwilioCredentials:
    """Read the id and the token of the account at Twilio.

    Raises `SettingsError` if one or both are not set or malformed; the mistakes have no
    place yet.
    """
    account_sid, auth_token = _well_formed(
        (_TWILIO_ACCOUNT, secrets.twilio_account_sid), (_TWILIO_TOKEN, secrets.twilio_auth_token)
    )
    return TwilioCredentials(account_sid, auth_token)


def _well_formed(*wanted: tuple[_Kind, SecretStr | None]) -> Sequence[str]:
    found = [(kind, secret.get_secret_value().strip() if secret else "") for kind, secret in wanted]
    mistakes = [_mistake(kind, value) for kind, value in found if not _fits(kind, value)]
    if mistakes:
        raise SettingsError.of(mistakes)
    return [value for _, value in found]


def _fits(kind: _Kind, value: str) -> bool:
    return re.fullmatch(kind.shape, value, re.ASCII) is not None


def _mistake(kind: _Kind, value: str) -> Mistake:
    if value:
        problem = f"is true, and what {kind.variable} holds does not look like one"
        remedy = f"Copy it again from {kind.source}: {kind.shape_in_words}"
    else:
        problem = f"is true, and {kind.variable} is not set"
        remedy = (
            f"Write {kind.variable}=... into the file .env beside gaia.yaml, "
            f"with what {kind.source} gave you"
        )
    key = f"channels.{kind.channel}.enabled"
    return Mistake("gaia.yaml", None, None, key, problem, remedy)

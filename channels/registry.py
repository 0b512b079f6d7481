"""The registry of channels: which of them the settings ask for."""

from __future__ import annotations

import re

from pydantic import SecretStr

from channels.terminal import Greeter, TerminalChannel
from gaia.errors import Mistake, SettingsError
from gaia.ports import Channel, Clock
from gaia.settings.schema import ChannelsSettings, Secrets, TelegramSettings

TELEGRAM_TOKEN = "GAIA_TELEGRAM_BOT_TOKEN"  # noqa: S105 - its name
_TOKEN = re.compile(r"\d{6,}:[A-Za-z0-9_-]{30,}")


def build_channels(
    settings: ChannelsSettings,
    secrets: Secrets,
    *,
    greeter: Greeter,
    clock: Clock,
    version: str,
    hosted: bool,
) -> dict[str, Channel]:
    """The enabled channels by name. One that a `gaia chat` hosts has the terminal alone.

    Raises:
        SettingsError: A channel is enabled, and the secret that it needs is not
            there. The mistake has no place yet.
    """
    channels: list[Channel] = []
    if settings.terminal.enabled or hosted:
        channels.append(TerminalChannel(greeter, clock, version=version, hosted=hosted))
    if settings.telegram.enabled and not hosted:
        token = _telegram_token(secrets.telegram_bot_token)
        channels.append(_telegram(settings.telegram, token, clock))
    return {channel.name: channel for channel in channels}


def _telegram(settings: TelegramSettings, token: str, clock: Clock) -> Channel:
    # A channel that is off costs nothing: its library is loaded here.
    from channels.telegram.channel import TelegramChannel

    return TelegramChannel(settings, token, clock)


def _telegram_token(secret: SecretStr | None) -> str:
    token = secret.get_secret_value().strip() if secret else ""
    if not token:
        raise _mistake(
            f"is true, and {TELEGRAM_TOKEN} is not set",
            f"Write {TELEGRAM_TOKEN}=... into the file .env beside gaia.yaml, "
            "with the token that @BotFather gave you",
        )
    if _TOKEN.fullmatch(token) is None:
        raise _mistake(
            f"is true, and what {TELEGRAM_TOKEN} holds does not look like a token",
            "Copy it again from @BotFather: digits, a colon, and 35 characters more",
        )
    return token


def _mistake(problem: str, remedy: str) -> SettingsError:
    key = "channels.telegram.enabled"
    return SettingsError.of([Mistake("gaia.yaml", None, None, key, problem, remedy)])

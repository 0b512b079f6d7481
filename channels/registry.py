"""The registry of channels: which of them the settings ask for."""

from __future__ import annotations

from collections.abc import Mapping

from channels.credentials import missing, telegram_token, twilio_credentials
from channels.terminal import TerminalChannel, TerminalLogin
from gaia.errors import SettingsError
from gaia.ports import Channel, Clock
from gaia.settings.schema import (
    ChannelsSettings,
    Secrets,
)


def build_channels(
    settings: ChannelsSettings,
    secrets: Secrets,
    *,
    terminal_login: TerminalLogin,
    clock: Clock,
    version: str,
    hosted: bool,
) -> dict[str, Channel]:
    """Build the enabled channels, by name. A daemon that `gaia chat` hosts has the terminal alone.

    Raises `SettingsError` if an enabled channel misses a secret; the mistake has no place yet.
    """
    channels: list[Channel] = []
    if settings.terminal.enabled or hosted:
        channels.append(TerminalChannel(terminal_login, clock, version=version, hosted=hosted))
    # A channel that is off costs nothing: its library is loaded here.
    if settings.telegram.enabled and not hosted:
        from channels.telegram.channel import TelegramChannel

        channels.append(TelegramChannel(settings.telegram, telegram_token(secrets), clock))
    if settings.whatsapp.enabled and not hosted:
        from channels.whatsapp.channel import WhatsAppChannel

        account = twilio_credentials(secrets)
        sid, token = account.account_sid, account.auth_token
        channels.append(WhatsAppChannel(settings.whatsapp, sid, token, clock))
    return {channel.name: channel for channel in channels}


def check_secrets(settings: ChannelsSettings, secrets: Secrets) -> None:
    """Raise `SettingsError` if an enabled channel misses a secret; the mistakes have no place."""
    if mistakes := missing(settings, secrets):
        raise SettingsError.of(mistakes)


def channel_inputs(settings: ChannelsSettings, secrets: Secrets) -> Mapping[str, object]:
    """List what each channel is built from: when that changes, the channel is built again."""
    return {
        "terminal": settings.terminal,
        "telegram": (settings.telegram, secrets.telegram_bot_token),
        "whatsapp": (settings.whatsapp, secrets.twilio_account_sid, secrets.twilio_auth_token),
    }

"""The registry of channels: which of them the settings ask for."""

from __future__ import annotations

from collections.abc import Mapping

from channels.credentials import TwilioCredentials, telegram_token, twilio_credentials
from channels.terminal import Greeter, TerminalChannel
from gaia.ports import Channel, Clock
from gaia.settings.schema import (
    ChannelsSettings,
    Secrets,
    TelegramSettings,
    WhatsAppSettings,
)


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
        token = telegram_token(secrets)
        channels.append(_telegram(settings.telegram, token, clock))
    if settings.whatsapp.enabled and not hosted:
        channels.append(_whatsapp(settings.whatsapp, twilio_credentials(secrets), clock))
    return {channel.name: channel for channel in channels}


def check_secrets(settings: ChannelsSettings, secrets: Secrets) -> None:
    """Check that each channel that is enabled has its secrets.

    Raises:
        SettingsError: One has not. The mistake has no place yet.
    """
    if settings.telegram.enabled:
        telegram_token(secrets)
    if settings.whatsapp.enabled:
        twilio_credentials(secrets)


def channel_inputs(settings: ChannelsSettings, secrets: Secrets) -> Mapping[str, object]:
    """What each channel is built from: one is to be built anew when that is another."""
    return {
        "terminal": settings.terminal,
        "telegram": (settings.telegram, secrets.telegram_bot_token),
        "whatsapp": (settings.whatsapp, secrets.twilio_account_sid, secrets.twilio_auth_token),
    }


def _telegram(settings: TelegramSettings, token: str, clock: Clock) -> Channel:
    # A channel that is off costs nothing: its library is loaded here.
    from channels.telegram.channel import TelegramChannel

    return TelegramChannel(settings, token, clock)


def _whatsapp(settings: WhatsAppSettings, account: TwilioCredentials, clock: Clock) -> Channel:
    from channels.whatsapp.channel import WhatsAppChannel

    return WhatsAppChannel(settings, account.account_sid, account.auth_token, clock)

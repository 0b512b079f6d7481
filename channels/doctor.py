"""Lists what `gaia doctor` looks at for each channel that is enabled.

A channel's library is loaded when its check runs: that takes as long as the check.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from channels.credentials import TwilioCredentials, telegram_token, twilio_credentials
from gaia.errors import SettingsError
from gaia.findings import Check, Finding, Heard, ok
from gaia.messages import Health
from gaia.mistakes import Mistake
from gaia.settings.schema import Secrets, Settings, TelegramSettings, WebSettings, WhatsAppSettings
from gaia.settings.urls import place

T = TypeVar("T")

Running = Callable[[str], Awaitable[Health | None]]
"""Asks a running gaia for the health of a channel, by its name; None if none runs."""


def channel_checks(
    settings: Settings,
    secrets: Secrets,
    placed: Callable[[Mistake], Mistake],
    *,
    heard: Heard,
    running: Running,
) -> Sequence[Check]:
    """List the checks of the enabled channels. `placed` adds its line to a mistake in the
    settings, `heard` is told what time it is at their providers."""
    channels = settings.channels
    checks: list[Check] = []
    if channels.telegram.enabled:
        token = partial(_placed, telegram_token, secrets, placed)
        checks += _telegram_checks(channels.telegram, token, heard, running)
    if channels.whatsapp.enabled:
        credentials = partial(_placed, twilio_credentials, secrets, placed)
        checks += _whatsapp_checks(channels.whatsapp, settings.web, credentials, heard)
    return checks


def _placed(
    read: Callable[[Secrets], T], secrets: Secrets, placed: Callable[[Mistake], Mistake]
) -> T:
    try:
        return read(secrets)
    except SettingsError as exc:
        raise SettingsError.of([placed(each) for each in exc.mistakes]) from exc


def _telegram_checks(
    settings: TelegramSettings, token: Callable[[], str], heard: Heard, running: Running
) -> Sequence[Check]:
    async def look_at_secrets() -> Sequence[Finding]:
        token()
        return [ok("the token is set and well-formed")]

    async def look_at_token() -> Sequence[Finding]:
        from channels.telegram import doctor

        return await doctor.look_at_token(settings, token(), heard=heard)

    async def look_at_updates() -> Sequence[Finding]:
        from channels.telegram import doctor

        return await doctor.look_at_updates(settings, token(), await running("telegram"))

    secrets = Check("telegram secrets", look_at_secrets)
    taken = Check("telegram token", look_at_token, needs=(secrets.name,))
    return [secrets, taken, Check("telegram updates", look_at_updates, needs=(taken.name,))]


def _whatsapp_checks(
    settings: WhatsAppSettings,
    web: WebSettings,
    credentials: Callable[[], TwilioCredentials],
    heard: Heard,
) -> Sequence[Check]:
    async def look_at_secrets() -> Sequence[Finding]:
        credentials()
        return [ok("Account SID and auth token are set and well-formed")]

    async def look_at_account() -> Sequence[Finding]:
        from channels.whatsapp import doctor

        return await doctor.look_at_account(settings, credentials(), heard=heard)

    async def look_at_address() -> Sequence[Finding]:
        from channels.whatsapp.round_trip import Route, round_trip

        route = Route(settings.public_url, place(web.host, web.port))
        return await round_trip(route, credentials().auth_token)

    secrets = Check("whatsapp secrets", look_at_secrets)
    return [
        secrets,
        Check("whatsapp account", look_at_account, needs=(secrets.name,)),
        Check("whatsapp address", look_at_address, needs=(secrets.name,)),
    ]

"""The round trip of `gaia doctor` to the channel itself, over gaia's own web route."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette

from channels.whatsapp.channel import WhatsAppChannel
from channels.whatsapp.round_trip import Route, round_trip
from gaia.findings import Finding, Outcome
from gaia.settings.schema import WhatsAppSettings
from gaia.testing.clock import FakeClock, until
from gaia.testing.scripted_core import ScriptedCore
from gaia.web.app import hook_routes
from tests.servers.serve import serving
from tests.servers.twilio import TwilioServer, running_twilio


async def test_the_channel_is_recognised_once_it_serves() -> None:
    app = Starlette()
    async with running_twilio() as twilio, serving(app, keeps_open=False) as url:
        clock = FakeClock()
        channel = channel_at(url, twilio, clock)
        app.router.routes.extend(hook_routes({"whatsapp": channel}.get))
        (before,) = await found(url, twilio)
        task = asyncio.create_task(ScriptedCore(channel, clock).run())
        await until(lambda: channel.health().ok)
        (served,) = await found(url, twilio)
        task.cancel()
        await asyncio.wait((task,))
    assert (before.outcome, "not yet ready (503)" in before.detail) == (Outcome.FAILED, True)
    assert served.outcome is Outcome.OK


def channel_at(url: str, twilio: TwilioServer, clock: FakeClock) -> WhatsAppChannel:
    settings = WhatsAppSettings(
        enabled=True, number="+14155550100", public_url=url, base_url=twilio.url
    )
    return WhatsAppChannel(settings, twilio.account_sid, twilio.auth_token, clock)


async def found(url: str, twilio: TwilioServer) -> list[Finding]:
    return list(await round_trip(Route(url, "127.0.0.1:8642"), twilio.auth_token))

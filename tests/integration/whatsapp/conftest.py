"""The channel, served against a Twilio on loopback that calls it through gaia's own web
routes, with a core that the test plays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette

from channels.whatsapp.channel import WhatsAppChannel
from gaia.messages import Contact, Inbound, Outbound, OutboundFile
from gaia.settings.schema import WhatsAppSettings
from gaia.testing.clock import FakeClock, until
from gaia.testing.scripted_core import CoreState, ScriptedCore
from gaia.web.app import hook_routes
from tests.servers.serve import serving
from tests.servers.twilio import Message, TwilioServer, running_twilio

PUBLIC_URL = "https://gaia.example/of/ada"
CATCH_UP_SECONDS = 300


class Rig:
    """A channel and its core. Time is the test's, but for what the network takes."""

    def __init__(
        self,
        twilio: TwilioServer,
        clock: FakeClock,
        *,
        auth_token: str | None = None,
        base_url: str | None = None,
        template: str = "",
        template_variable: str = "",
    ) -> None:
        self.twilio = twilio
        self.clock = clock
        settings = WhatsAppSettings(
            enabled=True,
            number=twilio.number,
            public_url=PUBLIC_URL,
            base_url=base_url or twilio.url,
            template=template,
            template_variable=template_variable,
        )
        token = auth_token or twilio.auth_token
        self.channel = WhatsAppChannel(settings, twilio.account_sid, token, clock)
        self.core = ScriptedCore(self.channel, clock)
        self.listens_at = ""

    @property
    def received(self) -> list[Inbound]:
        return self.core.state.received

    @property
    def texts(self) -> list[str]:
        return [inbound.text for inbound in self.received]

    @asynccontextmanager
    async def serving(
        self, state: CoreState | None = None, *, is_called: bool = True
    ) -> AsyncIterator[None]:
        """Serve, with a core that knows `state`, as long as the block lasts. What Twilio
        calls is there with it, unless it is not called."""
        if state is not None:
            self.core = ScriptedCore(self.channel, self.clock, state)
        async with serving(Starlette(routes=hook_routes({"whatsapp": self.channel}.get))) as url:
            self.listens_at = url
            self.twilio.reaches(PUBLIC_URL, at=url)
            if is_called:
                self.twilio.calls(PUBLIC_URL)
            task = asyncio.create_task(self.core.run())
            await until(lambda: task.done() or self.channel.health().detail != "not serving")
            try:
                yield
            finally:
                task.cancel()
                await asyncio.wait((task,))
        if not task.cancelled():
            task.result()

    async def until_well(self) -> None:
        """Return when the channel is well, and has looked for messages."""
        await until(lambda: self.channel.health().ok)
        await until(lambda: self.is_asleep_for(CATCH_UP_SECONDS))

    async def until_ill(self, detail: str) -> None:
        await until(lambda: detail in self.channel.health().detail)

    async def sleep_off(self, seconds: float) -> None:
        """Let a pause of the channel's pass once it has begun."""
        await until(lambda: self.is_asleep_for(seconds))
        self.clock.advance(seconds)

    def is_asleep_for(self, seconds: float) -> bool:
        return any(abs(each - seconds) < 0.001 for each in self.clock.sleeping)

    async def until_received(self, count: int) -> list[Inbound]:
        await until(lambda: len(self.received) >= count)
        return self.received

    async def send(
        self,
        chat: str,
        text: str = "Hi.",
        *,
        outbox_id: int = 1,
        seq: int = 0,
        is_repeat: bool = False,
        file: OutboundFile | None = None,
        contact: Contact | None = None,
    ) -> str:
        """Send a chunk to somebody who wrote just now, unless `contact` says otherwise."""
        outbound = Outbound(
            outbox_id=outbox_id,
            chat=chat,
            text=text,
            seq=seq,
            final=True,
            is_repeat=is_repeat,
            file=file,
            contact=contact or Contact(written_at=self.clock.now()),
        )
        return await self.channel.send(outbound)

    async def until_reported(self, count: int) -> None:
        await until(lambda: len(self.core.state.reports) >= count)

    def only_message(self) -> Message:
        (message,) = self.twilio.accepted()
        return message


BuildRig = Callable[..., Rig]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def twilio(clock: FakeClock) -> AsyncIterator[TwilioServer]:
    async with running_twilio(clock) as server:
        yield server
    assert server.violations == ()


@pytest.fixture
def build_rig(twilio: TwilioServer, clock: FakeClock) -> BuildRig:
    """Build a rig that does not serve yet, with settings of the test's own."""

    def build(**settings: str) -> Rig:
        return Rig(twilio, clock, **settings)

    return build


@pytest.fixture
async def sandbox_rig(clock: FakeClock) -> AsyncIterator[Rig]:
    """A rig whose number people have to join."""
    async with running_twilio(clock, is_sandbox=True) as twilio:
        rig = Rig(twilio, clock)
        async with rig.serving():
            yield rig


@pytest.fixture
def idle_rig(build_rig: BuildRig) -> Rig:
    """A rig that does not serve yet."""
    return build_rig()


@pytest.fixture
async def rig(idle_rig: Rig) -> AsyncIterator[Rig]:
    async with idle_rig.serving():
        await idle_rig.until_well()
        yield idle_rig

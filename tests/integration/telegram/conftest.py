"""The channel, served against a Telegram on loopback, with a core that the test plays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from channels.telegram.channel import TelegramChannel
from gaia.messages import Button, Inbound, Outbound, OutboundFile
from gaia.settings.schema import TelegramSettings
from gaia.testing.clock import FakeClock, until
from gaia.testing.scripted_core import CoreState, ScriptedCore
from tests.servers.telegram import TelegramServer, running_telegram


class Rig:
    """A channel and its core. Time is the test's, but for what the network takes."""

    def __init__(
        self,
        telegram: TelegramServer,
        settings: TelegramSettings | None = None,
        *,
        token: str | None = None,
    ) -> None:
        self.telegram = telegram
        self.clock = FakeClock()
        settings = settings or TelegramSettings(base_url=telegram.url)
        self.channel = TelegramChannel(settings, token or telegram.token, self.clock)
        self.core = ScriptedCore(self.channel, self.clock)

    @property
    def received(self) -> list[Inbound]:
        return self.core.state.received

    @property
    def texts(self) -> list[str]:
        return [inbound.text for inbound in self.received]

    @asynccontextmanager
    async def serving(self, state: CoreState | None = None) -> AsyncIterator[None]:
        """Serve, with a core that knows `state`, as long as the block lasts."""
        if state is not None:
            self.core = ScriptedCore(self.channel, self.clock, state)
        task = asyncio.create_task(self.core.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait((task,))
        if not task.cancelled():
            task.result()

    async def until_well(self) -> None:
        """Return when the channel is well, and waits for what people write."""
        await until(lambda: self.channel.health().ok)
        await self.telegram.until_polled()

    async def until_ill(self, detail: str) -> None:
        await until(lambda: detail in self.channel.health().detail)

    async def sleep_off(self, *pauses: float) -> None:
        """Let the channel's pauses pass, each once it has begun: time does not go on by
        itself, lest polls be given up."""
        for pause in pauses:
            await until(lambda pause=pause: self._is_asleep_for(pause))
            self.clock.advance(pause)

    def _is_asleep_for(self, pause: float) -> bool:
        return any(abs(each - pause) < 0.001 for each in self.clock.sleeping)

    async def until_received(self, count: int) -> list[Inbound]:
        await until(lambda: len(self.received) >= count)
        return self.received

    async def send(
        self,
        chat: object,
        text: str = "Hi.",
        *,
        seq: int = 0,
        in_reply_to: tuple[str, ...] = (),
        buttons: tuple[Button, ...] = (),
        is_repeat: bool = False,
        file: OutboundFile | None = None,
        turn_id: str | None = None,
    ) -> str:
        outbound = Outbound(
            outbox_id=1,
            chat=str(chat),
            text=text,
            seq=seq,
            final=True,
            turn_id=turn_id,
            in_reply_to=in_reply_to,
            buttons=buttons,
            is_repeat=is_repeat,
            file=file,
        )
        return await self.channel.send(outbound)


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with running_telegram() as server:
        yield server
    assert server.violations == ()


@pytest.fixture
def idle_rig(telegram: TelegramServer) -> Rig:
    """A rig that does not serve yet."""
    return Rig(telegram)


@pytest.fixture
def second_rig(telegram: TelegramServer) -> Rig:
    """Another process with the same bot, which does not serve yet."""
    return Rig(telegram)


@pytest.fixture
def unknown_rig(telegram: TelegramServer) -> Rig:
    """A process with a token that is no bot's."""
    return Rig(telegram, token="7000000001:AAunknown-token-canary-canary-canary")


@pytest.fixture
def rig_with_webhook(telegram: TelegramServer) -> Callable[[str], Rig]:
    """A rig that Telegram is to call at a URL."""

    def build(url: str) -> Rig:
        settings = TelegramSettings(mode="webhook", webhook_url=url, base_url=telegram.url)
        return Rig(telegram, settings)

    return build


@pytest.fixture
async def rig(idle_rig: Rig) -> AsyncIterator[Rig]:
    async with idle_rig.serving():
        yield idle_rig

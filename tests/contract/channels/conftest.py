"""Every channel, each with a person on its far side, for one suite of tests.

To put another channel under the contract, write a `Rig` for it and add it to
`RIGS`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import pytest
from starlette.applications import Starlette

from channels.formatting.telegram_html import plain
from channels.telegram.channel import TelegramChannel
from channels.terminal import REATTACH_SECONDS, Greeting, TerminalChannel
from channels.terminal_wire import ReceiptFrame
from channels.whatsapp.channel import WhatsAppChannel
from gaia.messages import Address
from gaia.ports import Channel
from gaia.settings.schema import TelegramSettings, WhatsAppSettings
from gaia.testing.clock import FakeClock, until
from gaia.testing.fake_channel import FakeChannel
from gaia.testing.scripted_core import ScriptedCore
from gaia.web.app import hook_routes
from tests.harness.terminal_peer import TerminalPeer
from tests.servers.http_faults import BadGateway
from tests.servers.serve import serving
from tests.servers.telegram import TelegramServer, running_telegram
from tests.servers.twilio import CREATE_MESSAGE, TwilioServer, early, running_twilio

PUBLIC_URL = "https://gaia.example"

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
"""A kind of file that every channel takes which takes any."""


class Rig(Protocol):
    """A channel, its core, and one person who can be reached through it."""

    channel: Channel
    core: ScriptedCore
    chat: str

    async def arrive(self) -> None:
        """The person can be reached from now on."""
        ...

    async def leave(self) -> None:
        """The person cannot be reached any more."""
        ...

    async def write(self, text: str, *, times: int = 1) -> None:
        """The person writes one message, which the provider delivers `times` times."""
        ...

    async def read(self) -> str:
        """The next chunk that the person gets to see."""
        ...

    def files(self) -> list[bytes]:
        """The files that the person got, in order."""
        ...

    def shown(self, chunk: str) -> str:
        """The text that a person sees of a chunk, without its formatting."""
        ...


class AnyoneIsWelcome:
    """A greeter for the terminal."""

    async def greet(self, address: Address) -> Greeting:
        return Greeting(address.sender, "Echo", embedded=False, created=False, conversation_turns=0)


class TerminalRig:
    """The terminal channel and a client."""

    def __init__(self) -> None:
        clock = FakeClock()
        terminal = TerminalChannel(AnyoneIsWelcome(), clock, version="0.1.0")
        self.channel: Channel = terminal
        self.core = ScriptedCore(terminal, clock)
        self.chat = "ada"
        self._clock = clock
        self._terminal = terminal
        self._peer = TerminalPeer(self.chat)
        self._attending: asyncio.Task[None] | None = None
        self._written = 0
        self._files: list[bytes] = []

    async def arrive(self) -> None:
        self._clock.advance(REATTACH_SECONDS)
        self._peer = TerminalPeer(self.chat)
        self._attending = asyncio.create_task(self._terminal.attend(self._peer))
        await self._peer.welcomed()

    async def leave(self) -> None:
        self._peer.leave()
        if self._attending is not None:
            await self._attending

    async def write(self, text: str, *, times: int = 1) -> None:
        self._written += 1
        for _ in range(times):
            self._peer.write_message(text, message_id=f"m{self._written}")
            await self._peer.frame(ReceiptFrame)

    async def read(self) -> str:
        chunk = await self._peer.print_chunk()
        if chunk.file is not None:
            self._files.append(chunk.file.content)
        return chunk.text

    def files(self) -> list[bytes]:
        return self._files

    def shown(self, chunk: str) -> str:
        return chunk


class FakeRig:
    """The fake channel, which tests of the core stand on."""

    def __init__(self) -> None:
        clock = FakeClock()
        self._fake = FakeChannel(clock)
        self._fake.absent.add("nobody")
        self._fake.taken.add(WORD)
        self.channel: Channel = self._fake
        self.core = ScriptedCore(self._fake, clock)
        self.chat = "ada"
        self._written = 0
        self._read = 0

    async def arrive(self) -> None:
        self._fake.reachable(self.chat)

    async def leave(self) -> None:
        self._fake.absent.add(self.chat)

    async def write(self, text: str, *, times: int = 1) -> None:
        self._written += 1
        for _ in range(times):
            await self._fake.say(text, provider_message_id=f"m{self._written}")

    async def read(self) -> str:
        self._read += 1
        sent = await self._fake.until_sent(self._read)
        return sent[self._read - 1].marked_text

    def files(self) -> list[bytes]:
        return [self.core.state.files[each.outbox_id] for each in self._fake.sent if each.file]

    def shown(self, chunk: str) -> str:
        return chunk


class TelegramRig:
    """The Telegram channel, and somebody with an account on a Telegram of this machine."""

    def __init__(self, telegram: TelegramServer) -> None:
        clock = FakeClock()
        settings = TelegramSettings(base_url=telegram.url)
        self.channel: Channel = TelegramChannel(settings, telegram.token, clock)
        self.core = ScriptedCore(self.channel, clock)
        self._telegram = telegram
        self._person = telegram.person(100, "Ada")
        self.chat = str(self._person.chat_id)
        self._read = 0

    async def arrive(self) -> None:
        self._telegram.no_more_faults()

    async def leave(self) -> None:
        self._telegram.faults = lambda request: (
            BadGateway() if request.method == "sendMessage" else None
        )

    async def write(self, text: str, *, times: int = 1) -> None:
        update_id = self._telegram.next_update_id()
        self._person.writes(text)
        await self._telegram.until_polled()
        for _ in range(times - 1):
            self._telegram.redeliver(update_id)
            await self._telegram.until_polled()

    async def read(self) -> str:
        self._read += 1
        await self._telegram.until(lambda: len(self._telegram.texts(self._person)) >= self._read)
        return self._telegram.texts(self._person)[self._read - 1]

    def files(self) -> list[bytes]:
        contents = map(self._telegram.content, self._telegram.messages(self._person))
        return [content for content in contents if content is not None]

    def shown(self, chunk: str) -> str:
        return plain(chunk)


class WhatsAppRig:
    """The WhatsApp channel, and somebody with WhatsApp on a Twilio of this machine.

    A chunk that answers nothing goes in a template. Twilio tells of each before it has
    answered the request, so that chunks arrive in the order in which they are sent.
    """

    def __init__(self, twilio: TwilioServer) -> None:
        clock = FakeClock()
        settings = WhatsAppSettings(
            number=twilio.number,
            public_url=PUBLIC_URL,
            template=twilio.template("{{1}}"),
            template_variable="1",
            base_url=twilio.url,
        )
        whatsapp = WhatsAppChannel(settings, twilio.account_sid, twilio.auth_token, clock)
        self.channel: Channel = whatsapp
        self.core = ScriptedCore(whatsapp, clock)
        self.hooks = Starlette(routes=hook_routes({whatsapp.name: whatsapp}.get))
        self._twilio = twilio
        self._person = twilio.person("+4915112345678", "Ada")
        self.chat = self._person.address
        self._read = 0
        twilio.callbacks = early

    async def arrive(self) -> None:
        self._twilio.no_more_faults()

    async def leave(self) -> None:
        self._twilio.faults = lambda request: (
            BadGateway() if request.operation == CREATE_MESSAGE else None
        )

    async def write(self, text: str, *, times: int = 1) -> None:
        written = self._person.writes(text)
        await self._twilio.until_told()
        for _ in range(times - 1):
            self._twilio.redeliver(written.sid)
            await self._twilio.until_told()

    async def read(self) -> str:
        self._read += 1
        await self._twilio.until(lambda: len(self._twilio.texts(self._person)) >= self._read)
        return self._twilio.texts(self._person)[self._read - 1]

    def files(self) -> list[bytes]:
        messages = self._twilio.messages(self._person)
        return [file.content for message in messages for file in message.media]

    def shown(self, chunk: str) -> str:
        return chunk


@asynccontextmanager
async def terminal() -> AsyncIterator[Rig]:
    yield TerminalRig()


@asynccontextmanager
async def fake() -> AsyncIterator[Rig]:
    yield FakeRig()


@asynccontextmanager
async def telegram() -> AsyncIterator[Rig]:
    async with running_telegram() as server:
        yield TelegramRig(server)
    assert server.violations == ()


@asynccontextmanager
async def whatsapp() -> AsyncIterator[Rig]:
    async with running_twilio() as server:
        rig = WhatsAppRig(server)
        async with serving(rig.hooks) as url:
            server.calls(PUBLIC_URL, at=url)
            yield rig
            assert server.given_up == ()
    assert server.violations == ()


RIGS = {each.__name__: each for each in (terminal, fake, telegram, whatsapp)}


@pytest.fixture(params=RIGS)
async def idle_rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    """A rig whose channel does not serve."""
    async with RIGS[request.param]() as rig:
        yield rig


@pytest.fixture
async def rig(idle_rig: Rig) -> AsyncIterator[Rig]:
    running = asyncio.create_task(idle_rig.core.run())
    await until(lambda: idle_rig.channel.health().ok)
    await idle_rig.arrive()
    yield idle_rig
    await idle_rig.leave()
    running.cancel()
    await asyncio.wait((running,))

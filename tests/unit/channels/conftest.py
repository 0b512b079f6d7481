"""A terminal channel that serves a scripted core, and clients to attach to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.terminal import REATTACH_SECONDS, Greeting, TerminalChannel
from gaia.errors import RefusedError
from gaia.messages import Address
from gaia.testing.clock import FakeClock, until
from gaia.testing.scripted_core import ScriptedCore
from tests.harness.terminal_peer import TerminalPeer


class Doorman:
    """A greeter that knows everybody but Mallory."""

    async def greet(self, address: Address) -> Greeting:
        if address.sender == "mallory":
            raise RefusedError("'mallory' is no user: add them with `gaia users add`")
        return Greeting(
            user_name=address.sender.title(),
            model="Echo",
            embedded=True,
            created=False,
            conversation_turns=2,
        )


class Terminals:
    """A terminal channel in service, and whoever attaches to it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.channel = TerminalChannel(Doorman(), self.clock, version="0.1.0")
        self.core = ScriptedCore(self.channel, self.clock)
        self._attending: list[asyncio.Task[None]] = []
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Serve, past the time that authors get to come back."""
        self._serving = asyncio.create_task(self.core.run())
        await until(lambda: self.channel.health().ok)
        self.clock.advance(REATTACH_SECONDS)

    async def stop(self) -> None:
        """Stop serving, as a broken or ending daemon does."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.wait((self._serving,))

    def connect(self, peer: TerminalPeer) -> asyncio.Task[None]:
        """Connect a client. The task ends when the channel is done with it."""
        task = asyncio.create_task(self.channel.attend(peer))
        self._attending.append(task)
        return task

    async def attach(
        self, user: str = "ada", *, interactive: bool = True, client_id: str = ""
    ) -> TerminalPeer:
        """Connect a client and welcome it."""
        peer = TerminalPeer(user, interactive=interactive, client_id=client_id)
        self.connect(peer)
        await peer.welcomed()
        return peer

    async def close(self) -> None:
        """End everything; an error in a client's task fails the test."""
        await self.stop()
        for task in self._attending:
            task.cancel()
        done = await asyncio.gather(*self._attending, return_exceptions=True)
        for result in done:
            if isinstance(result, Exception):
                raise result


@pytest.fixture
async def terminals() -> AsyncIterator[Terminals]:
    terminals = Terminals()
    await terminals.start()
    yield terminals
    await terminals.close()

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from gaia.errors import RetryableSendError, SendError, UnknownSendError, UnreachableError
from gaia.messages import Address, Health, Inbound, Outbound, ReceiptKind, TurnEvent
from gaia.ports import Gateway
from gaia.testing.clock import FakeClock, until
from gaia.testing.scripted_core import ScriptedCore


class FailingChannel:
    """A channel that raises what it was told to before it sends."""

    name = "failing"
    settles = False

    def __init__(self) -> None:
        self.failures: list[SendError] = []
        self.sent: list[str] = []

    async def serve(self, gateway: Gateway) -> None:
        await asyncio.Event().wait()

    def split(self, text: str) -> Sequence[str]:
        return (text,)

    def takes(self, media_type: str) -> bool:
        return False

    async def send(self, outbound: Outbound) -> str:
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append(outbound.text)
        return "id"

    def watch(self, event: TurnEvent) -> None:
        """Nobody looks."""

    def health(self) -> Health:
        return Health(ok=True)


@pytest.fixture
def channel() -> FailingChannel:
    return FailingChannel()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def core(channel: FailingChannel, clock: FakeClock) -> AsyncIterator[ScriptedCore]:
    core = ScriptedCore(channel, clock)
    running = asyncio.create_task(core.run())
    yield core
    running.cancel()
    await asyncio.wait((running,))


def inbound(core: ScriptedCore, message_id: str = "m1") -> Inbound:
    return Inbound(
        address=Address("failing", "ada"),
        chat="ada",
        provider_message_id=message_id,
        text="hello",
        sent_at=FakeClock().now(),
    )


async def test_a_message_counts_once(core: ScriptedCore) -> None:
    kinds = [(await core.receive(inbound(core))).kind for _ in range(2)]
    assert kinds == [ReceiptKind.ACCEPTED, ReceiptKind.DUPLICATE]
    assert (await core.next_message()).provider_message_id == "m1"
    assert len(core.state.received) == 1


async def test_chunks_are_sent_in_order(core: ScriptedCore, channel: FailingChannel) -> None:
    core.reply(inbound(core), "one", "two")
    core.say("ada", "three")
    await until(lambda: len(core.state.sent) == 3)
    assert channel.sent == ["one", "two", "three"]
    assert [o.final for o in core.state.sent] == [False, True, True]


async def test_what_cannot_be_sent_waits_until_somebody_listens(
    core: ScriptedCore, channel: FailingChannel
) -> None:
    channel.failures = [UnreachableError("nobody listens")]
    core.say("ada", "one")
    await until(lambda: not channel.failures)
    assert [o.text for o in core.state.waiting] == ["one"]
    core.reachable("ada")
    await until(lambda: channel.sent == ["one"])


async def test_what_may_be_sent_later_is_sent_later(
    core: ScriptedCore, channel: FailingChannel, clock: FakeClock
) -> None:
    channel.failures = [
        RetryableSendError("too fast", after_seconds=5),
        UnknownSendError("no answer"),
    ]
    core.say("ada", "one")
    await clock.until_sleeping()
    assert clock.sleeping == (5,)
    clock.advance(5)
    await until(lambda: channel.sent == ["one"])


async def test_what_waits_survives_a_restart(channel: FailingChannel, clock: FakeClock) -> None:
    before = ScriptedCore(channel, clock)
    before.say("ada", "one")
    after = ScriptedCore(channel, clock, before.state)
    running = asyncio.create_task(after.run())
    await until(lambda: channel.sent == ["one"])
    running.cancel()
    await asyncio.wait((running,))

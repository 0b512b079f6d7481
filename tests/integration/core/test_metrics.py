"""What a core that works tells Prometheus, and what it does not."""

from __future__ import annotations

import re

from gaia.errors import PermanentSendError

CANARIES = ("ada", "words-canary", "stranger", "chat-")


def value(text: str, sample: str) -> float:
    found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
    assert found is not None, text
    return float(found[1])


async def test_messages_turns_and_chunks_are_counted_without_names_or_words(running_core):
    async with running_core() as core:

        async def text() -> str:
            return (await core.app.metrics.text()).decode()

        await core.channel.say("words-canary")
        await core.channel.say("words-canary", sender="stranger")
        await core.channel.until_sent(1)
        told = await text()
        assert value(told, 'gaia_messages_received_total{channel="fake",receipt="accepted"}') == 1
        assert value(told, 'gaia_messages_received_total{channel="fake",receipt="denied"}') == 1
        assert value(told, 'gaia_turns_total{outcome="done"}') == 1
        assert value(told, "gaia_turn_duration_seconds_count") == 1
        assert value(told, 'gaia_channel_up{channel="fake"}') == 1
        assert not [canary for canary in CANARIES if canary in told]
        await until_told(text, 'gaia_chunks_total{channel="fake",outcome="sent"} 1.0')
        core.channel.failures.append(PermanentSendError("words-canary"))
        await core.channel.say("again")
        await until_told(text, 'gaia_chunks_total{channel="fake",outcome="given_up"} 1.0')
        assert "words-canary" not in await text()


async def until_told(text, sample: str) -> None:
    while sample not in await text():
        pass

"""/about: what gaia is, and who reads what is written to it."""

from __future__ import annotations

import pytest

from gaia.settings.schema import ComponentSettings, MemorySettings, Settings
from tests.integration.core.test_link import Person


async def test_with_the_embedded_model_nobody_else_reads(running_core):
    async with running_core(is_small=True) as core:
        told = await core.say("Where is my data stored?")
        assert "I think with function, which runs on that computer as well" in told
        assert "no provider reads what you write" in told
        assert "carries" not in told
        assert core.model.requests == []


@pytest.mark.parametrize(("provider", "host"), [("gemini", "Google"), ("anthropic", "Anthropic")])
async def test_a_provider_is_named(running_core, provider, host):
    memory = MemorySettings(embedder=ComponentSettings(provider="ollama"))
    async with running_core(provider=provider, settings=Settings(memory=memory)) as core:
        told = await core.say("/about")
        assert f"I think with function at {host}: it reads what you write to me" in told
        assert "with the help of ollama, which reads what I remember" in told


async def test_a_channel_is_named_that_carries_it(running_core):
    async with running_core(other_channels=("telegram",)) as core:
        ada, phone = Person(core.channel, "ada"), Person(core.others["telegram"], "7")
        await phone.ask(await ada.link_code())
        assert "Telegram carries what you write here" in (await phone.ask("/about")).text

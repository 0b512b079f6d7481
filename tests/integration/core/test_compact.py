"""A conversation that grows long goes on with its last messages and a summary of the others."""

from __future__ import annotations

from gaia.memory.extraction import Extraction, Reader
from gaia.settings.schema import SessionsSettings, Settings
from gaia.store.digest_tables import DigestState
from tests.harness.digests import Read, ScriptedAsk, ScriptedExtractor, likes

LONG = Settings(sessions=SessionsSettings(compact_messages=12, compact_keep=4))


def reader() -> Reader:
    def summarised(read: Read) -> Extraction:
        found = likes(read).findings
        return Extraction("I like boat 0, and many others like it.", found)

    return Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(summarised))


def last_request(core) -> str:
    return str(core.model.requests[-1])


async def test_what_grew_long_is_learned_and_the_last_messages_stay(running_core):
    async with running_core(reader=reader(), settings=LONG, provider="openai") as core:
        for number in range(6):
            await core.say(f"I like boat {number}")
        await core.until_digested(DigestState.CLEARED)
        assert len(await core.facts()) == 6
        await core.say("and now?")
        asked = last_request(core)
        contents = str(core.model.requests[-1].contents)
        assert "boat 5" in contents
        assert "boat 4" in contents
        assert "echo: I like boat 3" not in contents
        assert "I like boat 0, and many others like it." in asked
        # What was said stays where the archive has it.
        assert "I like boat 0" in await core.say("/memory")


async def test_nothing_is_learned_twice_or_compacted_again_at_once(running_core):
    async with running_core(reader=reader(), settings=LONG, provider="openai") as core:
        for number in range(6):
            await core.say(f"I like boat {number}")
        await core.until_digested(DigestState.CLEARED)
        await core.app.digest_worker.sweep()
        assert len(await core.digests()) == 1
        await core.idle()
        await core.until_digested(DigestState.CLEARED, DigestState.CLEARED)
        assert len(await core.facts()) == 6


async def test_compact_by_hand(running_core):
    async with running_core(reader=reader(), provider="openai") as core:
        assert "nothing to compact" in await core.say("/compact")
        for number in range(4):
            await core.say(f"I like boat {number}")
        for strange in ("all", "1", "1001", "9" * 4400):
            assert "how many messages to keep" in await core.say(f"/compact {strange}")
        told = await core.say("/compact 2")
        assert told.startswith("I keep the last 2 messages as they are")
        assert "3 turns" in told
        await core.until_digested(DigestState.CLEARED)
        await core.say("and now?")
        contents = str(core.model.requests[-1].contents)
        assert "boat 3" in contents
        assert "echo: I like boat 2" not in contents


async def test_where_gaia_does_not_learn_nothing_is_left_out(running_core):
    async with running_core() as core:
        await core.say("hello")
        assert "does not learn by itself" in await core.say("/compact 2")

"""What is said in several conversations, and is no memory, waits for a yes."""

from __future__ import annotations

from gaia.memory.extraction import Extraction, Reader
from gaia.store.digest_tables import DigestState
from tests.harness.digests import Read, ScriptedAsk, ScriptedExtractor

MINUTE = 60
THINGS = ("soup", "bread", "wine", "tea", "rice")
GRACE = [f"My sister Grace lives in Bonn. The {each} was good." for each in THINGS]


def blind(read: Read) -> Extraction:
    """Summarises, and finds nothing."""
    said = " ".join(turn.words for turn in read.window.turns)
    return Extraction(said, [])


def reader() -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(blind))


async def run(core) -> None:
    (job,) = [each for each in core.app.jobs() if each.name == "synthesis"]
    await job.run()


async def talks(core, *said: str, already: int = 0, **where) -> None:
    """Hold a conversation for each text, and have it read."""
    for number, text in enumerate(said, already + 1):
        await core.say(text, **where)
        await core.idle()
        await core.until_digested(*[DigestState.CLEARED] * number)


async def test_what_was_said_again_and_again_waits_for_a_yes(running_core):
    async with running_core(reader=reader()) as core:
        await talks(
            core,
            "My sister Grace lives in Bonn.",
            "It rained all day in the garden.",
            "Did I tell you? My sister Grace lives in Bonn.",
            "My dog is called Rex.",
        )
        await run(core)
        assert "nothing" in (await core.say("/memory pending")).lower()
        await core.say("The soup was good.")
        await core.idle()
        await core.until_digested(*[DigestState.CLEARED] * 5)
        core.clock.advance(11 * MINUTE)
        await run(core)
        listed = await core.say("/memory pending")
        assert "My sister Grace lives in Bonn" in listed
        assert "Rex" not in listed
        await run(core)
        assert (await core.say("/memory pending")).count("Grace") == 1


async def test_what_is_known_or_was_said_once_does_not(running_core):
    async with running_core(reader=reader()) as core:
        await core.say("/remember My sister Grace lives in Bonn")
        await talks(core, *GRACE)
        await run(core)
        assert "Grace" not in await core.say("/memory pending")


async def test_it_is_undone(running_core):
    async with running_core(reader=reader()) as core:
        await talks(core, *GRACE)
        await run(core)
        listed = await core.say("/memory pending")
        assert "My sister Grace lives in Bonn" in listed
        await core.say("/undo")
        assert "Grace" not in await core.say("/memory pending")

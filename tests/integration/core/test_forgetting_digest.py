"""What a user has forgotten while their session is being read is not learned from it."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from sqlalchemy import select

from gaia.errors import ModelRefusedError
from gaia.memory.extraction import Extraction, Finding, Reader
from gaia.store import forgets
from gaia.store.digest_tables import DigestRow, DigestState
from gaia.store.memory_tables import MemoryKind
from gaia.testing.clock import until
from tests.harness.digests import Read, ScriptedAsk, ScriptedExtractor
from tests.harness.traces import files_with

IDLE = timedelta(minutes=30).total_seconds()
POT = "the gate code is under the blue pot"
TRACES = ("blue pot", "gate code", "below a pot")


def tells(read: Read) -> Extraction:
    """In other words what was said about the pot, of memories and of turns."""
    told = " ".join([*(offer.text for offer in read.offers), *(t.words for t in read.window.turns)])
    if POT not in told:
        return Extraction("We said hello.", [])
    found = Finding(MemoryKind.FACT, "Hides a key below a pot", POT)
    return Extraction(f"They told me that {POT}.", [found])


def reader(extractor: ScriptedExtractor) -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}"), extractor)


async def states(core) -> list[str]:
    with core.database.reading() as session:
        return list(session.scalars(select(DigestRow.state).order_by(DigestRow.digest_id)))


async def requests(core) -> list[forgets.Forget]:
    return list(await core.database.read(forgets.under_way))


async def until_forgotten(core) -> None:
    while await requests(core):
        await asyncio.sleep(0)
        core.app.forget_worker.wake()


async def until_cleared(core) -> None:
    while set(await states(core)) != {DigestState.CLEARED}:
        await core.app.digest_worker.sweep()


async def confirm(core) -> None:
    await core.say("/forget gate code")
    assert (await core.say(core.channel.sent[-1].buttons[0].command)).startswith("Forgotten")


async def idle(core) -> None:
    core.clock.advance(IDLE)
    await core.app.digest_worker.sweep()


async def test_what_the_model_says_of_it_afterwards_is_dropped_and_the_rest_is_read_again(
    running_core, home
):
    extractor = ScriptedExtractor(tells)
    async with running_core(reader=reader(extractor)) as core:
        await core.say(f"/remember {POT}")
        await core.say(f"By the way, {POT}")
        await core.say("And hello")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running)
        await confirm(core)
        await until_forgotten(core)
        extractor.release()
        await until_cleared(core)
        assert [turn.words for turn in extractor.asked[-1].window.turns] == ["", "And hello"]
        assert files_with(home.root, *TRACES) == []


async def test_what_the_model_knows_of_a_memory_that_is_forgotten_is_dropped(running_core, home):
    extractor = ScriptedExtractor(tells)
    async with running_core(reader=reader(extractor)) as core:
        await core.say(f"/remember {POT}")
        await core.say("The garden is full of blue flowers")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running)
        assert [offer.text for offer in extractor.asked[0].offers] == [POT]
        await confirm(core)
        await until_forgotten(core)
        extractor.release()
        await until_cleared(core)
        assert len(extractor.asked) == 2
        assert files_with(home.root, *TRACES) == []


async def test_what_a_model_that_fails_quotes_of_it_is_kept_nowhere(running_core, home):
    error = ModelRefusedError(f"refused: HTTP 400: no {POT}", bare="refused: HTTP 400")
    extractor = ScriptedExtractor(lambda _: error)
    async with running_core(reader=reader(extractor)) as core:
        await core.say(f"/remember {POT}")
        await core.say(f"By the way, {POT}")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running)
        await confirm(core)
        await until_forgotten(core)
        extractor.release()
        await until(lambda: not extractor.running)
        while not (await core.digests())[0].attempts:
            await core.app.digest_worker.sweep()
        assert (await core.digests())[0].error == "refused: HTTP 400"
        assert files_with(home.root, *TRACES) == []


async def test_nothing_is_read_while_a_turn_keeps_it_from_being_forgotten(running_core, home):
    extractor = ScriptedExtractor(tells)
    async with running_core(reader=reader(extractor)) as core:
        await core.say(f"/remember {POT}")
        await core.say(f"By the way, {POT}")
        extractor.hold()
        await idle(core)
        await until(lambda: extractor.running)
        core.model.hold("a long question")
        await core.channel.say("a long question")
        await core.model.until_asked("a long question")
        await confirm(core)
        extractor.release()
        await until(lambda: not extractor.running)
        for _ in range(5):
            await core.app.digest_worker.sweep()
            await asyncio.sleep(0.01)
        assert len(extractor.asked) == 1
        assert await states(core) == [DigestState.SEALED]
        core.model.let_go("a long question")
        await until_forgotten(core)
        await until_cleared(core)
        assert files_with(home.root, *TRACES) == []


async def test_what_is_forgotten_while_its_session_waits_to_be_read_goes_to_no_model(running_core):
    extractor = ScriptedExtractor(tells)
    async with running_core(reader=reader(extractor), senders=("bob", "cleo", "ada")) as core:
        extractor.hold()
        for sender in ("bob", "cleo"):
            await core.say("Hello", sender=sender)
        await idle(core)
        await until(lambda: extractor.running == 2)
        await core.say(f"/remember {POT}", sender="ada")
        await core.say(f"By the way, {POT}", sender="ada")
        await idle(core)
        assert len(await states(core)) == 3
        await core.say("/forget gate code", sender="ada")
        yes = core.channel.sent[-1].buttons[0].command
        assert (await core.say(yes, sender="ada")).startswith("Forgotten")
        await until_forgotten(core)
        extractor.release()
        await until_cleared(core)
        read = [turn.words for each in extractor.asked for turn in each.window.turns]
        assert not any(POT in words for words in read)

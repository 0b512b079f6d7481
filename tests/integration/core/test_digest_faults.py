"""What goes wrong while a session is read: it is counted, tried again, and loses nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from gaia.digest.read import WINDOW_SECONDS
from gaia.errors import ModelUnavailableError
from gaia.memory.extraction import Extraction, Reader
from gaia.store.digest_tables import DigestState
from gaia.store.tables import ConversationRow
from gaia.testing.clock import until
from tests.harness.digests import Read, ScriptedAsk, ScriptedExtractor, likes

WEEK = timedelta(days=7).total_seconds()
PAUSES = (60, 300, 300, 300)
"""Seconds until the next tries. A session that is only to be cleared has any number."""


class Faltering:
    """Answers with one fault, and then as it should."""

    def __init__(self, fault: Exception) -> None:
        self._faults = [fault]

    def __call__(self, read: Read) -> Extraction | Exception:
        return self._faults.pop() if self._faults else likes(read)


def reader(extractor: ScriptedExtractor) -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}"), extractor)


async def until_failed(core, times: int = 1) -> None:
    while [digest.attempts for digest in await core.digests()] != [times]:
        await core.app.digest_worker.sweep()


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ValueError("I like boats"), "ValueError in gaia: the log says where"),
        (TimeoutError(), "the model took too long"),
    ],
)
async def test_a_fault_in_reading_counts_and_tells_no_word_of_the_session(
    running_core, fault, told
):
    async with running_core(reader=reader(ScriptedExtractor(Faltering(fault)))) as core:
        await core.say("I like boats")
        await core.idle()
        await until_failed(core)
        (digest,) = await core.digests()
        assert (digest.state, digest.error) == (DigestState.SEALED, told)
        core.clock.advance(PAUSES[0])
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I like boats"]


async def test_a_window_that_is_never_answered_is_given_up_and_asked_again(running_core):
    extractor = ScriptedExtractor(likes)
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        await core.clock.until_sleeping()
        core.clock.advance(WINDOW_SECONDS)
        await until_failed(core)
        assert extractor.cancelled == 1
        extractor.release()
        core.clock.advance(PAUSES[0])
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I like boats"]


async def test_a_clock_set_back_after_a_failure_delays_no_next_try(running_core):
    broken = ModelUnavailableError("the model is down")
    async with running_core(reader=reader(ScriptedExtractor(Faltering(broken)))) as core:
        await core.say("I like boats")
        await core.idle()
        await until_failed(core)
        core.clock.advance(-WEEK)
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I like boats"]


async def test_a_session_that_goes_on_is_not_cleared_however_often_it_is_tried(running_core):
    extractor = ScriptedExtractor(likes)
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        with core.database.writing() as session:
            session.execute(update(ConversationRow).values(generation=1))
        extractor.release()
        for tries, pause in enumerate(PAUSES, 1):
            await until_failed(core, tries)
            if tries < len(PAUSES):
                core.clock.advance(pause)
        (digest,) = await core.digests()
        assert digest.state is DigestState.COMMITTED
        assert await core.transcript() == ["user: I like boats", "gaia: echo: I like boats"]
        with core.database.writing() as session:
            session.execute(update(ConversationRow).values(generation=2))
        core.clock.advance(PAUSES[-1])
        await core.until_digested(DigestState.CLEARED)
        assert await core.transcript() == []

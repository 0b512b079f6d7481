"""What gaia learns by itself keeps to the day's tokens, and all that it cost is counted."""

from __future__ import annotations

import pytest

from gaia.errors import UnusableExtractionError
from gaia.memory.extraction import Reader
from gaia.settings.schema import LimitsSettings, MemorySettings, Settings
from gaia.store import usage
from gaia.store.digest_tables import DigestState
from gaia.store.usage import Tariff, Usage
from gaia.testing.clock import START
from tests.harness.digests import ScriptedAsk, ScriptedExtractor, likes
from tests.harness.usage import of_day


def of(user_tokens_per_day: int) -> Settings:
    return Settings(
        memory=MemorySettings(preload=False),
        limits=LimitsSettings(user_tokens_per_day=user_tokens_per_day),
    )


def reader(extractor: ScriptedExtractor, *, small: bool = False) -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}", is_small=small), extractor)


async def use(core, tokens: int) -> None:
    """Have Ada use so many tokens of a remote model."""
    used = Usage("remote", usage.TURN, 1, tokens, 0)
    with core.database.writing() as session:
        usage.add(session, (await core.key()).user_id, START.date(), used)


async def digest_usage(core) -> Usage:
    today = await core.database.read(of_day, START.date())
    (digests,) = [each for _, each in today if each.purpose == usage.DIGEST]
    return digests


async def test_beyond_a_budget_conversations_are_read_once_it_is_raised(running_core):
    extractor = ScriptedExtractor(likes)
    async with running_core(reader=reader(extractor), settings=of(100)) as core:
        await core.say("I like boats")
        await use(core, 100)
        await core.idle()
        await core.clock.until_sleeping()
        digests = (await core.app.status.report()).digests
        assert digests.over_budget == 1
        assert digests.detail.startswith("limits.user_tokens_per_day is used up")
        assert extractor.asked == []
        core.app.settings.replace(of(101))
        await core.until_digested(DigestState.CLEARED)
        assert (await core.app.status.report()).digests.over_budget == 0


async def test_the_model_on_this_machine_reads_beyond_it(running_core):
    extractor = ScriptedExtractor(likes)
    async with running_core(reader=reader(extractor, small=True), settings=of(100)) as core:
        await core.say("I like boats")
        await use(core, 100)
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        assert (await digest_usage(core)).tariff is Tariff.FREE


@pytest.mark.parametrize("small", [False, True])
async def test_an_answer_that_is_of_no_use_has_cost_what_it_has_cost(running_core, small):
    useless = UnusableExtractionError("no JSON")
    useless.tokens_in, useless.tokens_out = 700, 7
    answers = iter([useless, None])
    extractor = ScriptedExtractor(lambda read: next(answers) or likes(read))
    async with running_core(reader=reader(extractor, small=small), settings=of(0)) as core:
        await core.say("I like boats")
        await core.idle()
        await core.clock.until_sleeping()
        used = await digest_usage(core)
        assert (used.calls, used.tokens_in, used.tokens_out) == (1, 700, 7)
        await core.idle(60)
        await core.until_digested(DigestState.CLEARED)
        used = await digest_usage(core)
        # A model that is asked elsewhere is asked to verify what was found as well.
        counted = (2, 710, 12) if small else (3, 720, 17)
        assert (used.calls, used.tokens_in, used.tokens_out) == counted

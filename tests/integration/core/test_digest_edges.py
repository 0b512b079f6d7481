"""Users, times and sizes at which a digest is not as usual."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import delete

from gaia.digest.seal import seal_idle
from gaia.memory import archive
from gaia.memory.contexts import GLOBAL
from gaia.memory.extraction import Reader
from gaia.messages import Address
from gaia.store import conversations
from gaia.store.archive import Ended
from gaia.store.digest_tables import ArchivedTurnRow, DigestReason, DigestState
from gaia.store.engine import Database
from gaia.store.ownership import join_users
from gaia.store.people.users import Role
from gaia.testing.clock import until
from tests.harness.databases import opened
from tests.harness.digests import ScriptedAsk, ScriptedExtractor, likes

DAY = 24 * 60 * 60
WEEK = 7 * DAY


@pytest.fixture
def extractor() -> ScriptedExtractor:
    return ScriptedExtractor(likes)


class OvertakenDatabase(Database):
    """Something happens just before its first transaction that writes."""

    happening: list[Callable[[], Awaitable[object]]]

    async def write(self, function, *args, **kwargs):
        if self.happening:
            await self.happening.pop()()
        return await super().write(function, *args, **kwargs)


def reader(extractor: ScriptedExtractor) -> Reader:
    return Reader(ScriptedAsk(lambda _: "{}"), extractor)


async def test_a_user_who_is_removed_while_their_session_is_read_leaves_nothing(
    running_core, extractor
):
    async with running_core(reader=reader(extractor), senders=("ada", "bob")) as core:
        await core.say("I like boats")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        await core.users.remove(await core.users.find("ada"))
        extractor.release()
        await core.app.digest_worker.flush()
        assert await core.digests() == []


async def test_a_conversation_that_goes_on_at_the_last_moment_is_not_sealed(
    running_core, home, extractor
):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        core.clock.advance(DAY)
        overtaken = opened(home, OvertakenDatabase, happening=[partial(core.say, "I like tea")])
        await seal_idle(overtaken, core.clock, timedelta(minutes=30))
        await overtaken.close()
        assert await core.digests() == []


async def test_of_three_users_two_are_read_at_once_and_the_third_after_them(
    running_core, extractor
):
    senders = ("ada", "bob", "eve")
    async with running_core(reader=reader(extractor), senders=senders) as core:
        for sender in senders:
            await core.say("I like boats", sender=sender)
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 2)
        for _ in range(20):
            await core.app.digest_worker.sweep()
        assert len(extractor.asked) == 2
        extractor.release()
        await core.until_digested(*[DigestState.CLEARED] * 3)


@pytest.mark.parametrize("away", [DAY, WEEK])
async def test_what_idled_while_gaia_was_off_is_read_once_at_the_next_start(
    home, core_on: Callable[..., object], extractor, away
):
    async with core_on(home, reader=reader(extractor)) as core:
        await core.say("I like boats")
        clock = core.clock
    clock.advance(away)
    async with core_on(home, reader=reader(extractor), clock=clock) as core:
        await core.app.digest_worker.sweep()
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts() == ["I like boats"]


async def test_a_clock_set_back_delays_no_conversation_by_more_than_its_idle_time(
    running_core, extractor
):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        core.clock.advance(-WEEK)
        await core.app.digest_worker.sweep()
        assert await core.digests() == []
        await core.idle()
        await core.until_digested(DigestState.CLEARED)


@pytest.mark.parametrize(("turns", "words_each", "windows"), [(25, 5, 1), (400, 110, 7)])
async def test_a_session_is_one_digest_however_long_it_is(
    running_core, extractor, turns, words_each, windows
):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        await long_talk(core, turns - 1, "word " * words_each)
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        assert len(extractor.asked) == pytest.approx(windows, abs=1)
        assert sum(len(read.window.turns) for read in extractor.asked) == turns
        assert extractor.asked[-1].window.so_far.startswith("I like boats") == (windows > 1)
        assert await core.facts() == ["I like boats"]


async def long_talk(core, turns: int, words: str) -> None:
    """Turns of the present session, without a model, a minute apart."""
    key = await core.key()
    with core.database.writing() as session:
        chat = conversations.find(session, user_id=key.user_id, channel=key.channel, chat=key.chat)
        for number in range(turns):
            archive.keep(
                session,
                Ended(
                    turn_id=f"turn-{number}",
                    user_id=key.user_id,
                    conversation_id=chat.conversation_id,
                    session_id=key.session_id,
                    asked=words,
                    words=words,
                    answer="I see.",
                    said_at=core.clock.now() + timedelta(minutes=number + 1),
                    context=GLOBAL,
                ),
            )
            conversations.end_turn(session, chat, key.generation, core.clock.now())


async def test_who_becomes_another_while_they_are_read_is_read_as_that_one(running_core, extractor):
    async with running_core(reader=reader(extractor), senders=("ada", "bob")) as core:
        await core.say("I like boats")
        extractor.hold()
        await core.idle()
        await until(lambda: extractor.running == 1)
        ada, bob = await core.users.find("ada"), await core.users.find("bob")
        await core.database.write(join_users, ada, bob, core.clock.now())
        await core.app.digest_worker.sweep()
        extractor.release()
        await core.until_digested(DigestState.CLEARED)
        assert await core.facts("bob") == ["I like boats"]
        assert {read.window.user_name for read in extractor.asked} == {"ada", "bob"}


async def test_what_two_users_said_before_they_became_one_is_learned_of_the_one(
    running_core, extractor
):
    async with running_core(reader=reader(extractor), other_channels=("pigeon",)) as core:
        pigeon = core.others["pigeon"]
        await core.users.create("bob", Role.MEMBER, Address("pigeon", "bob"))
        await core.say("I like tea", channel=pigeon, sender="bob")
        code = (await core.say("/link")).split(": ")[1].split()[0]
        extractor.hold()
        await core.say(f"/link {code}", channel=pigeon, sender="bob")
        await core.say("yes", channel=pigeon, sender="bob")
        await until(lambda: extractor.running == 1)
        extractor.release()
        await core.until_digested(DigestState.CLEARED)
        (digest,) = await core.digests()
        assert digest.reason is DigestReason.JOINED
        assert await core.facts() == ["I like tea"]


async def test_what_was_said_before_there_was_an_archive_is_not_cleared(running_core, extractor):
    async with running_core(reader=reader(extractor)) as core:
        await core.say("I like boats")
        with core.database.writing() as session:
            session.execute(delete(ArchivedTurnRow))
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        assert extractor.asked == []
        assert await core.transcript() == ["user: I like boats", "gaia: echo: I like boats"]

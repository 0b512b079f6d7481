"""Upkeep: what has had its time goes, what is still of use stays."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest

from gaia.errors import RetryableSendError, UpkeepError
from gaia.memory import archive, ledger, pending
from gaia.memory.extraction import Reader
from gaia.memory.memory import Statement
from gaia.messages import Address, Inbound, ReceiptKind
from gaia.ops.checkpoints import Checkpoints
from gaia.ops.upkeep import Upkeep
from gaia.settings.schema import RetentionSettings
from gaia.store import conversations, inbox, page_sessions
from gaia.store.digest_tables import DigestState
from gaia.store.memory_tables import MemorySource
from gaia.store.ops_tables import PageLinkRow, PageSessionRow
from gaia.store.retention import AT_ONCE
from gaia.store.tables import InboxRow, InboxState, OutboxRow
from gaia.testing.clock import START, FakeClock, until
from tests.harness.digests import ScriptedAsk, ScriptedExtractor, likes, uncleared
from tests.harness.letting_in import count

DAY = 24 * 60 * 60


def upkeep_of(core, home, *, memory_changed=lambda: None, **changes) -> Upkeep:
    return Upkeep(
        home=home,
        database=core.database,
        digest_worker=core.app.digest_worker,
        memory_changed=memory_changed,
        checkpoints=Checkpoints(home.database, core.database),
        doubt_clock=core.app.clock_watch.doubt,
        clock=core.clock,
        settings=core.app.settings,
        **changes,
    )


async def test_what_is_old_goes_and_what_is_known_stays(running_core):
    reader = Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(likes))
    async with running_core(reader=reader) as core:
        await core.say("I like boats")
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        user_id = (await core.key()).user_id
        now = core.clock.now()
        with core.database.writing() as session:
            tea = Statement("I like tea", MemorySource.DIGEST)
            pending.add(session, user_id, tea, now)
            fair = Statement(
                "There is a fair", MemorySource.USER, expires_at=now + timedelta(days=1)
            )
            ledger.add(session, user_id, fair, now)
        await core.say("what do you think?")
        core.clock.advance(91 * DAY)
        for _ in range(2):
            await core.app.upkeep.run()
        with core.database.reading() as session:
            kept = archive.search(session, user_id, words="", limit=9)
            assert list(pending.page(session, user_id).memories) == []
            assert uncleared(session) == []
        assert [hit.turn.words for hit in kept] == ["what do you think?"]
        assert await core.facts() == ["I like boats"]
        assert await core.digests() == []


async def test_messages_go_after_their_days_and_no_younger_one_is_answered_twice(running_core):
    async with running_core() as core:
        await core.say("hello")
        core.clock.advance(29 * DAY)
        await core.say("again", provider_message_id="twice")
        core.clock.advance(2 * DAY)
        await core.app.upkeep.run()
        assert await count(core, InboxRow) == 1
        assert await count(core, OutboxRow) == 1
        receipt = await core.channel.say("again", provider_message_id="twice")
        assert receipt.kind is ReceiptKind.DUPLICATE
        assert await core.say("and now?") == "echo: and now?"


async def test_who_is_signed_in_no_more_is_no_longer_kept(running_core):
    async with running_core() as core:
        user_id, now = (await core.users.list())[0].user_id, core.clock.now()
        link = await core.database.write(page_sessions.add_link, user_id, now)
        await core.database.write(page_sessions.enter, link, now)
        await core.database.write(page_sessions.add_link, user_id, now)
        for seconds, left in ((0, 1), (DAY / 2, 0)):
            core.clock.advance(seconds)
            await core.app.upkeep.run()
            assert [await count(core, row) for row in (PageLinkRow, PageSessionRow)] == [left] * 2


async def test_a_change_of_the_settings_reaches_upkeep(running_core):
    async with running_core() as core:
        await core.say("hello")
        core.clock.advance(8 * DAY)
        await core.app.upkeep.run()
        assert await count(core, InboxRow) == 1
        shorter = RetentionSettings(messages_days=7)
        settings = core.app.settings
        settings.replace(settings.value.model_copy(update={"retention": shorter}))
        await core.app.upkeep.run()
        assert await count(core, InboxRow) == 0


async def test_a_part_that_fails_keeps_no_other_from_being_done(running_core, home, caplog):
    def broken() -> None:
        raise ValueError("the index is not there")

    async with running_core() as core:
        await core.say("hello")
        await core.app.delivery.flush()
        user_id = (await core.key()).user_id
        now = core.clock.now()
        with core.database.writing() as session:
            fair = Statement("There is a fair", MemorySource.USER, expires_at=now)
            ledger.add(session, user_id, fair, now - timedelta(days=1))
        core.clock.advance(31 * DAY)
        upkeep = upkeep_of(core, home, memory_changed=broken)
        with pytest.raises(UpkeepError, match=r"1 of 10 parts .* memories \(ValueError\)"):
            await upkeep.run()
        assert await count(core, InboxRow) == 0
    assert "the index is not there" in caplog.text


async def test_old_copies_of_the_database_go_and_backups_stay(running_core, home):
    async with running_core() as core:
        backups = home.backups
        backups.mkdir(exist_ok=True)
        days = {"gaia-at-0003.db": 91, "gaia-at-0004.db": 89, "gaia-2020-01-01.tar.age": 999}
        for name, age in days.items():
            (backups / name).touch()
            changed = (core.clock.now() - timedelta(days=age)).timestamp()
            os.utime(backups / name, (changed, changed))
        await core.app.upkeep.run()
        assert {file.name for file in backups.iterdir()} == {*days} - {"gaia-at-0003.db"}


async def test_a_run_is_bounded_and_the_next_one_goes_on(running_core, home):
    async with running_core() as core:
        await core.say("hello")
        await core.app.delivery.flush()
        key = await core.key()
        with core.database.writing() as session:
            chat = conversations.find(session, user_id=key.user_id, channel="fake", chat="ada")
            for number in range(AT_ONCE):
                message = Inbound(
                    Address("fake", "ada"), "ada", f"old-{number}", "hello", core.clock.now()
                )
                inbox.record(
                    session,
                    message,
                    chat,
                    is_command=False,
                    now=core.clock.now(),
                    state=InboxState.DONE,
                )
        core.clock.advance(31 * DAY)
        upkeep = upkeep_of(core, home, steps=1)
        await upkeep.run()
        assert await count(core, InboxRow) == 1
        await upkeep.run()
        assert await count(core, InboxRow) == 0


async def test_a_clock_a_year_ahead_deletes_nothing(running_core, home):
    async with running_core() as core:
        await core.say("hello")
        await core.app.upkeep.run()
        started = core.clock
    wrong = FakeClock(started.now() + timedelta(days=400))
    async with running_core(clock=wrong) as core:
        await core.app.upkeep.run()
        assert await count(core, InboxRow) == 1
        assert await count(core, OutboxRow) == 1
        report = await core.app.status.report()
        assert report.clock in report.degraded
        assert "400 d" in report.clock.detail
        wrong.advance(2 * DAY)
        await core.app.upkeep.run()
        assert await count(core, InboxRow) == 0, "it was believed after a day"


async def test_what_was_put_off_by_a_wrong_clock_is_done_once_it_is_right(running_core):
    wrong = FakeClock(START + timedelta(days=400))
    async with running_core(clock=wrong) as core:
        core.channel.failures = [RetryableSendError("busy", after_seconds=30)]
        await core.channel.say("hello")
        await until(lambda: not core.channel.failures)
        await wrong.until_sleeping()
    async with running_core() as core:
        (sent,) = await core.channel.until_sent(1)
        assert "hello" in sent.text

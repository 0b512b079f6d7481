"""Upkeep: what has had its time goes, what is still of use stays."""

from __future__ import annotations

from datetime import timedelta

from gaia.memory import archive, holding, ledger
from gaia.memory.digest.findings import Reader
from gaia.memory.memory import Statement
from gaia.store import digests
from gaia.store.digest_tables import DigestState
from gaia.store.memory_tables import MemorySource
from gaia.testing.digests import ScriptedAsk, ScriptedExtractor, likes

DAY = 24 * 60 * 60


async def test_what_is_old_goes_and_what_is_known_stays(running_core):
    reader = Reader(ScriptedAsk(lambda _: "{}"), ScriptedExtractor(likes))
    async with running_core(reader=reader) as core:
        await core.say("I like boats")
        await core.idle()
        await core.until_digested(DigestState.CLEARED)
        user_id = (await core.key()).user_id
        now = core.clock.now()
        async with core.stores.database.write() as session:
            tea = Statement("Likes tea", MemorySource.DIGEST)
            await holding.hold(session, user_id, tea, now)
            fair = Statement(
                "There is a fair", MemorySource.USER, expires_at=now + timedelta(days=1)
            )
            await ledger.add(session, user_id, fair, now)
        await core.say("what do you think?")
        core.clock.advance(91 * DAY)
        for _ in range(2):
            await core.app.upkeep.run()
        async with core.stores.database.read() as session:
            kept = await archive.search(session, user_id, words="", limit=9)
            assert list((await holding.held(session, user_id)).memories) == []
            assert await digests.uncleared(session) == []
        assert [hit.turn.words for hit in kept] == ["what do you think?"]
        assert await core.facts() == ["Likes boats"]
        assert await core.digests() == []

"""A model that reads badly three times: nothing wrong is kept, and nothing is lost."""

from __future__ import annotations

import json

from gaia.digest.extract import GaiaExtractor
from gaia.digest.worker import digest_now
from gaia.memory.extraction import Reader
from gaia.store.digest_tables import DigestState
from tests.harness.digests import ScriptedAsk

FIRST, LATER = 60, 300
"""Seconds until the second attempt, and until the third."""


def reading(*quotes: str, summary: str = "They told of a boat.") -> str:
    """An answer that finds the same in each of the quotes."""
    fact = {
        "stated": True,
        "replaces": 0,
        "kind": "fact",
        "text": "ada has a boat",
        "subject": "",
        "predicate": "",
        "object": "",
        "context": "global",
        "sensitive": False,
    }
    facts = [{"quote": quote, **fact} for quote in quotes]
    return json.dumps({"summary": summary, "facts": facts, "rules": [], "reminders": []})


GOOD = reading("I have a boat")
BAD = (
    "I found nothing of note.",
    GOOD[:2],
    reading(*["I have a boat"] * 500),
    "{}",
    "",
    reading(summary=" "),
)


async def test_what_was_read_badly_is_held_until_it_is_read_well(running_core) -> None:
    read = ScriptedAsk([*BAD, GOOD, reading("I have a castle")])
    profile = ScriptedAsk(lambda asked: "{}")
    async with running_core(reader=Reader(profile, GaiaExtractor(read))) as core:
        for number, said in enumerate(("I have a boat and I love it.", "I am seasick."), 1):
            await core.say(said)
            await core.idle()
            for pause in (FIRST, LATER):
                await core.clock.until_sleeping()
                core.clock.advance(pause)
            await core.until_digested(*[DigestState.FAILED] * number)
        assert await core.facts() == []
        assert "I am not sure of" in await core.say("/memory")
        assert "2 could not be read yet" in await core.say("/status")
        assert (await core.app.status.report()).digests.failed == 2

        database, digest_worker = core.database, core.app.digest_worker
        await digest_now(
            database, digest_worker, core.clock, None, retry=True, tell=lambda done, total: None
        )
        assert {digest.state for digest in await core.digests()} == {DigestState.CLEARED}
        assert await core.facts() == ["I have a boat and I love it."]
        assert "nothing pending in your memory" in await core.say("/memory pending")
        assert "Learning" not in await core.say("/status")

"""Over Telegram and with a real daemon: contexts, shared notes and incognito keep apart what
they say they do."""

from __future__ import annotations

import pytest

from tests.harness.household import Household
from tests.harness.traces import files_with

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORD = "zqxyloqz"


async def test_contexts_shared_notes_and_incognito_over_telegram(household: Household) -> None:
    await household.furnish("{auto_ingest: false}")
    async with household.awake():
        await household.on_telegram("bob", "hello")
        # Ada owns gaia: what she shares, Bob reads.
        assert "All members know that" in await household.on_telegram(
            "ada", "/share The bins go out on Monday"
        )
        assert "bins go out on Monday" in await household.on_telegram("bob", "/shared")
        await household.on_telegram("bob", "What about the bins?")
        (asked,) = household.asked_with("What about the bins?")
        assert "The bins go out on Monday" in str(asked.body)

        await household.on_telegram("ada", "/context work")
        await household.on_telegram("ada", "/remember The budget meeting is on the third floor")
        await household.on_telegram("ada", "/context off")
        await household.on_telegram("ada", "Where is the budget meeting?")
        assert household.asked_with("third floor") == []

        await household.on_telegram("ada", "/incognito")
        await household.on_telegram("ada", f"I dreamt of {WORD}")
        assert "no longer incognito" in await household.on_telegram("ada", "/incognito off")
        await household.until_forgotten()
    assert files_with(household.home.root, WORD) == []

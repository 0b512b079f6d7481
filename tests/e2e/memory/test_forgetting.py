"""Forget means forget: no byte of it below the home, and nothing missing of anybody else."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import cast

import pytest

from tests.harness.databases import url_of
from tests.harness.household import Household
from tests.harness.traces import files_with, places_in
from tests.servers.model_server import RecordedRequest, ScriptedCall, Step

pytestmark = pytest.mark.asyncio(loop_scope="session")

POT = "The gate code note lies under the cobaltine pot"
SISTER = "My sister Quillfeather lives in Oslo"
WHERE = "Where is the gate code note?"
CONFIRM = re.compile(r"/forget yes \d+")


def confirmation(question: str) -> str:
    found = CONFIRM.search(question)
    assert found, question
    return found[0]


def said_with(words: str, requests: Sequence[RecordedRequest]) -> list[str]:
    """The messages in these requests that hold the words."""
    return [
        str(message)
        for request in requests
        for message in cast("list[object]", request.body["messages"])
        if words in str(message)
    ]


def leave_traces_elsewhere(household: Household) -> None:
    """What other programs and older starts leave: typed lines, a copy, a rotated log."""
    home = household.home
    home.terminal_history.write_text(f"\n# 2026-01-01\n+/remember {POT}\n\n# 2026-01-02\n+hello\n")
    home.backups.mkdir()
    if url_of(home) is None:
        with (
            closing(sqlite3.connect(home.database)) as database,
            closing(sqlite3.connect(home.backups / "gaia-before.db")) as copy,
        ):
            database.backup(copy)
    (home.logs / "gaia.log.1").write_text(f"DEBUG tool remember {POT}\nINFO gaia has stopped\n")


async def test_forgotten_words_are_in_no_file_and_in_no_request(household: Household) -> None:
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        await ada.ask(f"/remember {POT}")
        await ada.ask(f"/remember {SISTER}")
        await household.on_telegram("bob", f"/remember Bob knows: {POT}")
        await household.on_telegram("ada", WHERE)
        household.model.script(Step(text="It lies under your cobaltine pot."))
        await ada.ask("Under which pot is the note on the gate code?")
        household.model.script(
            Step(call=ScriptedCall(name="load_memory", args={"query": "cobaltine"})),
            Step(text="Cobaltine it is."),
        )
        await household.on_telegram("ada", "Which colour has the pot?")
    leave_traces_elsewhere(household)

    async with household.awake(), household.at_terminal("ada") as ada:
        question = await household.on_telegram("ada", "/forget cobaltine")
        assert POT in question
        assert SISTER not in question
        done = await household.on_telegram("ada", confirmation(question))
        assert "Forgotten: 1 memory" in done
        assert POT not in await ada.ask("/memory search gate code")
        asked = len(household.model.requests)
        await ada.ask("Where did I leave it, again?")
        await household.on_telegram("ada", WHERE)
        assert said_with("obaltine", household.model.requests[asked:]) == []
        await household.until_forgotten()
        await household.on_telegram("ada", "/memory")
        bobs = await household.on_telegram("bob", "/memory")
        assert POT in bobs
        await household.on_telegram("bob", WHERE)
        assert POT in str(household.model.requests[-1].body)
        assert SISTER in await ada.ask("/memory")
        rows = household.rows("SELECT text FROM memories ORDER BY memory_id")
        assert rows == [(SISTER,), (f"Bob knows: {POT}",)]

        question = await household.on_telegram("bob", "/forget cobaltine")
        await household.on_telegram("bob", confirmation(question))
        await household.until_forgotten()
        assert files_with(household.home.root, "cobaltin") == []
    assert files_with(household.home.root, "cobaltin") == []
    assert files_with(household.home.root, "quillfeather") == places_in(
        household.home, "backups/gaia-before.db"
    )
    assert "hello" in household.home.terminal_history.read_text()
    assert "has stopped" in (household.home.logs / "gaia.log.1").read_text()


async def test_forgetting_everything_leaves_nothing_but_the_others(household: Household) -> None:
    await household.furnish()
    async with household.awake(), household.at_terminal("ada") as ada:
        for number in range(3):
            await ada.ask(f"/remember Cobaltine fact {'abc'[number]} of mine")
        await ada.ask("Hello there, I am tinting things viridine today")
        await household.on_telegram("ada", "Viridine I said")
        await household.on_telegram("bob", "/remember Bob likes quillfeather")
        await household.on_telegram("bob", "Quillfeathers all over")
        question = await ada.ask("/forget")
        assert "3 memories" in question
        assert "Forgot everything: 3 memories" in await ada.ask(confirmation(question))
        await household.until_forgotten()
        assert files_with(household.home.root, "cobaltin", "viridin") == []
        assert "nothing in your memory yet" in await household.on_telegram("ada", "/memory")
        await household.on_telegram("ada", "Who am I?")
        assert list(household.model.requests[-1].user_texts) == ["Who am I?"]
        await household.on_telegram("bob", "What does Bob like?")
        assert "Quillfeathers all over" in household.model.requests[-1].user_texts
        assert "quillfeather" in await household.on_telegram("bob", "/memory")
    assert files_with(household.home.root, "cobaltin", "viridin") == []
    assert files_with(household.home.root, "quillfeather") == ["gaia.db"]

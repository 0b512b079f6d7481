"""What was forgotten is in no part of the archive, and in nothing that was made of it."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import JSON, bindparam, text

from gaia.memory import archive as found
from gaia.messages import Attachment, AttachmentKind
from gaia.store import archive, forgets
from gaia.store.redaction import REPLACEMENT
from gaia.testing.clock import until
from gaia.testing.function_model import last_user_text
from tests.harness.databases import connected, rows
from tests.harness.traces import DATABASE, files_with, places_in

POT = "the gate code is under the blue pot"
TRACES = ("blue pot", "gate code", "bluepotgate")
MADE = """
INSERT INTO digests (session_id, user_id, conversation_id, generation, reason,
    state, attempts, learned, changed, journal, created_at)
    SELECT 's' || user_id, user_id, conversation_id, 1, 'idle', 'extracted', 0, 0, 0, '[]',
    '2026-01-01 12:00:00.000000' FROM conversations;
INSERT INTO digest_windows SELECT digest_id, 1, user_id, 1, :outcome,
    '2026-01-01 12:00:00.000000' FROM digests;
DELETE FROM profiles;
INSERT INTO profiles SELECT user_id, :outcome, true, 'x', '2026-01-01 12:00:00.000000'
    FROM conversations;
"""


def answer(request) -> str:
    said = last_user_text(request)
    return f"Noted: {said}" if "gate" in said else "Fine."


async def kept(core, sender: str = "ada") -> list[tuple[str, str, str]]:
    user = await core.users.find(sender)
    with core.database.reading() as session:
        numbers = archive.numbers(session, user.user_id)
        turns = archive.get_many(session, user.user_id, numbers)
    return [(turn.asked, turn.words, turn.answer) for turn in turns]


async def search(core, words: str, sender: str = "ada") -> list[str]:
    user = await core.users.find(sender)
    hits = await core.database.read(found.search, user.user_id, words=words, limit=9)
    return [hit.asked for hit in hits]


async def until_profiles_are_made() -> None:
    """Wait for those that are made beside the turns: one would take a test's place later."""

    def is_made(task: asyncio.Task[object]) -> bool:
        return task.get_name().startswith("profiling-")

    await until(lambda: not any(is_made(task) for task in asyncio.all_tasks()))


def make(home) -> None:
    """Digests that were read, and profiles, of all users."""
    outcome = bindparam("outcome", [{"text": POT, "of": [1]}], type_=JSON)
    with connected(home, foreign_keys=False) as connection:
        for statement in MADE.split(";"):
            made = text(statement)
            connection.execute(made.bindparams(outcome) if ":outcome" in statement else made)


def rows_of(home, user_id: str) -> dict[str, list[object]]:
    tables = ("archived_turns", "archived_terms", "digests", "digest_windows", "profiles")
    query = "SELECT * FROM {} WHERE user_id = :who ORDER BY 1"
    return {table: rows(home, query.format(table), who=user_id) for table in tables}


async def forget_it(core, words: str = "gate code") -> None:
    await core.say(f"/forget {words}")
    done = await core.say(core.channel.sent[-1].buttons[0].command)
    assert done.startswith(("Forgotten", "Forgot everything"))


async def requests(core) -> list[forgets.Forget]:
    return list(await core.database.read(forgets.under_way))


async def until_forgotten(core) -> None:
    """Let time pass until nothing is left to be forgotten."""
    while await requests(core):
        await asyncio.sleep(0)
        if core.clock.sleeping:
            core.clock.advance(core.clock.sleeping[0])


@pytest.mark.parametrize("everything", [False, True])
async def test_no_file_holds_it_and_others_rows_are_as_they_were(running_core, home, everything):
    async with running_core(answer, senders=("ada",)) as core:
        photo = Attachment(AttachmentKind.DOCUMENT, "p", "text/plain", file_name="bluepotgate.txt")
        await core.say(f"/remember {POT}")
        await core.say(f"By the way, {POT}!", attachments=(photo,))
        await core.say("My cat is called Tom")
        make(home)
        await core.database.checkpoint()
        home.backups.mkdir(exist_ok=True)
        shutil.copy(home.database, home.backups / "gaia-at-0003.db")
        assert set(places_in(home, "backups/gaia-at-0003.db")) <= set(
            files_with(home.root, *TRACES)
        )
        await forget_it(core, "" if everything else "gate code")
        await until_forgotten(core)
        assert files_with(home.root, *TRACES) == []
        tom = ("My cat is called Tom", "My cat is called Tom", "Fine.")
        assert await kept(core) == ([] if everything else [(REPLACEMENT, "", REPLACEMENT), tom])
        assert await search(core, "gate blue forgotten") == []
        assert await search(core, "cats") == ([] if everything else [tom[0]])
        if places_in(home, "") == [DATABASE]:
            return
        copied = home.backups / "gaia-at-0003.db"
        with closing(sqlite3.connect(copied)) as copy:
            left = copy.execute("SELECT asked FROM archived_turns").fetchall()
        assert left == ([] if everything else [tom[:1]])


async def test_what_other_people_said_stays_word_for_word(running_core, home):
    async with running_core(answer, senders=("ada", "bob")) as core:
        for sender in ("ada", "bob"):
            await core.say(f"/remember {POT}", sender=sender)
            await core.say(f"You know, {POT}", sender=sender)
        await until_profiles_are_made()
        make(home)
        bob = (await core.users.find("bob")).user_id
        before = rows_of(home, bob)
        assert all(before.values())
        await forget_it(core)
        await until_forgotten(core)
        assert rows_of(home, bob) == before
        assert await search(core, "gate", "bob") == [f"You know, {POT}"]
        assert await search(core, "gate") == []


async def test_a_turn_that_runs_meanwhile_is_archived_without_it(running_core, home):
    async with running_core(answer) as core:
        await core.say(f"/remember {POT}")
        running = f"Tell me again: {POT}"
        core.model.hold(running)
        await core.channel.say(running)
        await core.model.until_asked(running)
        await forget_it(core)
        assert await kept(core) == []
        core.model.let_go(running)
        await core.channel.until_sent(4)
        await until_forgotten(core)
        assert await kept(core) == [(REPLACEMENT, "", REPLACEMENT)]
        assert files_with(home.root, *TRACES) == []


async def test_what_is_said_afterwards_stays(running_core):
    async with running_core(answer) as core:
        await core.say(f"/remember {POT}")
        await core.say(f"Hm, {POT}")
        await forget_it(core)
        await core.say(f"Once more, {POT}")
        await until_forgotten(core)
        assert [words for _, words, _ in await kept(core)] == ["", f"Once more, {POT}"]
        assert await search(core, "gate") == [f"Once more, {POT}"]

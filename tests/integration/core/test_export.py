"""/export gives what gaia remembers as a file, where the chat takes one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from gaia.commands.export import NO_FILES, NOT_THAT_KIND, WHICH
from gaia.memory import forget, pending
from gaia.memory.memory import Statement
from gaia.memory.transfer import export
from gaia.memory.transfer.importer import FileFormat, check
from gaia.store import forgets
from gaia.store.memory_tables import MemorySource
from gaia.store.outbox import GONE
from tests.harness.traces import files_with, places_in

if TYPE_CHECKING:
    from conftest import Core

    from gaia.messages import Outbound

HEAD = "# What gaia remembers of ada"
POT = "The gate code is under the blue pot"
TEXT, WORD, JSON_LINES = "text/plain", export.MEDIA_TYPE, "application/x-ndjson"


async def export(core: Core, words: str = "", **changes: object) -> tuple[Outbound, bytes]:
    """The chunk that came for /export, and the content of its file."""
    count = len(core.channel.sent)
    await core.say(f"/export {words}", **changes)
    chunk = core.channel.sent[count]
    content = await core.app.gateway("fake").file(chunk.outbox_id)
    return chunk, content or b""


async def hold(core: Core, text: str) -> None:
    user_id = (await core.key()).user_id
    with core.database.writing() as session:
        said = Statement(text, MemorySource.DIGEST)
        pending.add(session, user_id, said, core.clock.now())


async def requests(core: Core) -> Sequence[forgets.Forget]:
    return await core.database.read(forgets.under_way)


async def test_a_chat_that_takes_text_gets_a_text(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        core.channel.taken |= {TEXT, WORD, JSON_LINES}
        await core.say(f"/remember {POT}")
        await core.say("/remember I like <tea>\x1b[2J & \u202ecakes")
        await core.say("/remember the plans of Bob", sender="bob")
        await hold(core, "Has a boat")
        chunk, content = await export(core)
        assert chunk.text == (
            "What I remember about you: 2 memories. "
            "/export json sends every detail, for another gaia."
        )
        assert chunk.file is not None
        day = core.clock.now().astimezone().date().isoformat()
        assert (chunk.file.name, chunk.file.media_type) == (f"gaia-{day}.txt", TEXT)
        assert chunk.file.size_bytes == len(content)
        assert content.decode() == (
            f"{HEAD}\n\n## Facts\n\n"
            f"- {POT} <!-- {day} -->\n- I like <tea>[2J & cakes <!-- {day} -->\n"
        )


async def test_a_chat_that_takes_documents_alone_gets_one(running_core):
    async with running_core() as core:
        core.channel.taken.add(WORD)
        await core.say(f"/remember {POT}")
        chunk, content = await export(core)
        assert chunk.text == "What I remember about you: 1 memory."
        assert chunk.file is not None
        assert chunk.file.name.endswith(".docx")
        with ZipFile(BytesIO(content)) as parts:
            assert POT.encode() in parts.read("word/document.xml")


async def test_the_file_for_another_gaia_has_what_is_not_sure_and_is_taken_in(running_core):
    async with running_core() as core:
        core.channel.taken.add(JSON_LINES)
        await core.say(f"/remember {POT}")
        await hold(core, "Has a boat")
        chunk, content = await export(core, "JSON")
        assert chunk.text == (
            "Everything that I remember about you: 2 memories, 1 of them not yet confirmed. "
            "`gaia memory import` imports it."
        )
        assert chunk.file is not None
        assert chunk.file.name.endswith(".jsonl")
        checked = check(content.decode(), FileFormat.JSONL)
        assert [each.text for each in checked.statements] == [POT, "Has a boat"]
        assert {each.text for each in checked.pending} == {"Has a boat"}
        assert not checked.mistakes


@pytest.mark.parametrize(
    ("taken", "words", "told"),
    [
        (set(), "", NO_FILES),
        (set(), "json", NO_FILES),
        ({WORD}, "json", NOT_THAT_KIND),
        ({TEXT}, "as a poem", WHICH),
    ],
)
async def test_a_chat_that_cannot_take_it_is_told_how_else(running_core, taken, words, told):
    async with running_core() as core:
        core.channel.taken |= taken
        await core.say(f"/remember {POT}")
        chunk, content = await export(core, words)
        assert (chunk.text, chunk.file, content) == (told, None, b"")


async def test_nothing_is_no_file(running_core):
    async with running_core() as core:
        core.channel.taken.add(TEXT)
        chunk, _ = await export(core)
        assert chunk.text.startswith("Your memory is empty: there is nothing to send. /remember")
        await hold(core, "Has a boat")
        chunk, _ = await export(core)
        assert chunk.text.endswith("1 more are pending: /memory pending lists them.")
        assert chunk.file is None


async def test_a_group_gets_no_file_of_anybody(running_core):
    async with running_core() as core:
        core.channel.taken.add(TEXT)
        await core.say(f"/remember {POT}")
        chunk, content = await export(core, chat="family", direct=False)
        assert chunk.text.startswith("I don't know /export.")
        assert (chunk.file, content) == (None, b"")


async def test_a_file_that_waits_goes_when_something_is_forgotten(running_core, home):
    async with running_core() as core:
        core.channel.taken.add(TEXT)
        await core.say(f"/remember {POT}")
        await core.say("/remember I like tea")
        core.channel.absent.add("ada")
        await core.channel.say("/export")
        while await core.app.gateway("fake").file(outbox_id=3) is None:
            pass
        await core.database.checkpoint()
        home.backups.mkdir()
        copy = home.backups / "gaia-at-0004.db"
        copy.write_bytes(home.database.read_bytes())
        assert files_with(home.root, HEAD) == places_in(home, "backups/gaia-at-0004.db")
        user_id = (await core.key()).user_id
        await core.database.write(forget.forget, user_id, [1], now=core.clock.now())
        core.app.forget_worker.wake()
        while await requests(core):
            await asyncio.sleep(0)
            if core.clock.sleeping:
                core.clock.advance(core.clock.sleeping[0])
        assert files_with(home.root, HEAD, "blue pot") == []
        assert copy.exists()
        count = len(core.channel.sent)
        core.channel.reachable("ada")
        chunk = (await core.channel.until_sent(count + 1))[count]
        assert (chunk.text, chunk.file) == (GONE, None)


async def test_upkeep_deletes_a_file_that_was_sent(running_core):
    async with running_core() as core:
        core.channel.taken.add(TEXT)
        await core.say(f"/remember {POT}")
        chunk, content = await export(core)
        await core.app.upkeep.run()
        assert content == await core.app.gateway("fake").file(chunk.outbox_id)
        core.clock.advance(timedelta(days=1).total_seconds() + 1)
        await core.app.upkeep.run()
        assert await core.app.gateway("fake").file(chunk.outbox_id) is None

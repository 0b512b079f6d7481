"""Memories as a folder of Markdown: what is written is read again, and edits are understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.clock import SystemClock
from gaia.errors import FolderEditedError, MemoryFileError, UnfitMemoryError
from gaia.memory import forget, ledger
from gaia.memory.people import entities
from gaia.memory.transfer import folder as folders
from gaia.memory.transfer import sync
from gaia.memory.transfer.folder import canonical, fingerprint
from gaia.memory.transfer.sync import Cause, Edits
from gaia.store import forgets
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book, said
from tests.harness.memories import a_memory

POT = "The gate code is under the blue pot"
SAILS = said("Grace sails", entities=("person:grace", "place:sea"))
SPOKE = said("We spoke of Rome.\nShe leaves.", MemorySource.DIGEST, kind=MemoryKind.EPISODE)
ALL = (
    said(POT),
    said("Always answer in Spanish", kind=MemoryKind.RULE),
    SAILS,
    SPOKE,
    said("- # a <!-- gaia:3 x -->\n\n  indented\n\ttab", kind=MemoryKind.NOTE),
)


class Kept:
    """Ada's memories, and the folder that they were written into."""

    def __init__(self, book: Book, user: User, folder: Path) -> None:
        self.book, self.user, self.folder = book, user, folder

    async def write(self) -> None:
        await sync.write_folder(self.book.database, self.user, self.folder)

    async def edits(self) -> Edits:
        return await sync.edits(self.book.database, self.user.user_id, self.folder)

    async def take_in(self, forgotten: Collection[int] = ()) -> int:
        found = await self.edits()
        count = await sync.take_in(
            self.book.database,
            self.user.user_id,
            found,
            forgotten,
            SystemClock(),
            by=self.user.user_id,
        )
        await self.write()
        assert (await self.edits()).is_empty
        return count

    def edit(self, change: Callable[[str], str], file: str = folders.MEMORY_FILE) -> None:
        path = self.folder / file
        path.write_text(change(path.read_text()))

    def drop(self, words: str, file: str = folders.MEMORY_FILE) -> None:
        self.edit(lambda text: re.sub(rf"\n- {words}.*", "", text), file)

    def text(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("**/*.md"))


@pytest.fixture
async def kept(book: Book, ada: User, tmp_path: Path) -> Kept:
    for each in ALL:
        await book.keep(ada, each)
    kept = Kept(book, ada, tmp_path / "notes")
    await kept.write()
    return kept


async def test_each_memory_stands_where_it_is_looked_for(kept: Kept) -> None:
    assert {path.relative_to(kept.folder).as_posix() for path in kept.folder.glob("**/*.md")} == {
        "MEMORY.md",
        "people/grace.md",
        "days/2026-01-01.md",
    }
    assert (
        "- Grace sails <!-- gaia:3 2026-01-01 -->" in (kept.folder / "people/grace.md").read_text()
    )
    assert (kept.folder / "MEMORY.md").stat().st_mode & 0o777 == 0o600


async def test_nothing_was_edited_in_what_was_just_written(kept: Kept) -> None:
    assert (await kept.edits()).is_empty
    assert await kept.take_in() == 0


@given(
    st.lists(
        st.tuples(st.text(min_size=1), st.sampled_from(list(MemoryKind))), max_size=6, unique=True
    )
)
def test_whatever_is_remembered_is_read_again_as_it_was_written(
    told: list[tuple[str, MemoryKind]],
) -> None:
    memories = []
    for number, (text, kind) in enumerate(told, 1):
        try:
            memories.append(a_memory(number, ledger.checked(text), kind=kind))
        except UnfitMemoryError:
            continue
    memories = [each for each in memories if canonical(each.text)]
    with TemporaryDirectory() as folder:
        manifest = folders.write(Path(folder), "u_1", "Ada", memories, {})
        lines = folders.lines_of(folders.read_files(Path(folder)))
        assert folders.read_manifest(Path(folder)) == manifest
    assert {line.memory_id: fingerprint(line.kind, line.text) for line in lines} == dict(
        manifest.memories
    )
    assert len(lines) == len(memories)


async def test_an_edited_line_supersedes(kept: Kept) -> None:
    kept.edit(lambda text: text.replace("blue pot", "red pot"))
    kept.edit(lambda text: text.replace("Grace sails", "Grace rows"), "people/grace.md")
    assert await kept.take_in() == 2
    old = await kept.book.stored(kept.user, 1)
    assert old.status is MemoryStatus.SUPERSEDED
    assert (await kept.book.stored(kept.user, old.superseded_by or 0)).text.endswith("red pot")
    rows = (await kept.book.stored(kept.user, 3)).superseded_by
    about = await kept.book.database.read(entities.of_memory, kept.user.user_id, rows or 0)
    assert about == ["person:grace"]
    assert "red pot" in kept.text()
    assert "blue" not in kept.text()


async def test_what_is_edited_while_the_folder_is_about_to_be_written_stays(kept: Kept) -> None:
    found = await kept.edits()
    kept.drop("The gate")
    edited = kept.text()
    with pytest.raises(FolderEditedError, match="import it once more"):
        await sync.write_folder(kept.book.database, kept.user, kept.folder, over=found.files)
    assert kept.text() == edited
    found = await kept.edits()
    assert [each.memory_id for each in found.deleted] == [1]
    await sync.write_folder(kept.book.database, kept.user, kept.folder, over=found.files)
    assert POT in kept.text()


async def test_a_line_below_another_heading_is_of_that_kind(kept: Kept) -> None:
    kept.edit(lambda text: text.replace("## Facts", "## Preferences"))
    assert await kept.take_in() == 1
    assert (await kept.book.stored(kept.user, 6)).kind is MemoryKind.PREFERENCE


async def test_new_lines_are_added_where_they_stand(kept: Kept) -> None:
    kept.edit(lambda text: f"{text}\n## Rules\n\n* No meetings on Friday\n")
    kept.edit(lambda text: f"{text}- She has a Contessa\n", "people/grace.md")
    (kept.folder / "people/tom.md").write_text("Tom cooks\n")
    (kept.folder / "days/2025-12-24.md").write_text("- We sang\n")
    assert await kept.take_in() == 4
    found = {
        each.text: each
        for each in await kept.book.database.read(ledger.every, kept.user.user_id, limit=99)
    }
    assert found["No meetings on Friday"].kind is MemoryKind.RULE
    assert found["We sang"].kind is MemoryKind.EPISODE
    assert found["We sang"].valid_from.astimezone().date().isoformat() == "2025-12-24"
    for text, about in (("She has a Contessa", "person:grace"), ("Tom cooks", "person:tom")):
        number = found[text].memory_id
        told = await kept.book.database.read(entities.of_memory, kept.user.user_id, number)
        assert told == [about]


async def test_what_was_deleted_is_forgotten_when_its_user_says_so(kept: Kept) -> None:
    kept.drop("The gate")
    (kept.folder / "days/2026-01-01.md").unlink()
    found = await kept.edits()
    assert [each.memory_id for each in found.deleted] == [1, 4]
    assert await kept.take_in(forgotten=[1]) == 0
    assert POT not in kept.text()
    assert "We spoke of Rome." in kept.text(), "nobody said yes"
    (request,) = await kept.book.database.read(forgets.under_way)
    assert request.phrases == (POT,)


async def test_a_line_that_lost_its_comment_is_still_known(kept: Kept) -> None:
    kept.edit(lambda text: re.sub(r" <!-- gaia:1 .*-->", "", text))
    assert (await kept.edits()).is_empty


async def test_a_line_that_was_copied_is_edited_once(kept: Kept) -> None:
    line = f"- {POT} <!-- gaia:1 2026-01-01 -->"
    kept.edit(lambda text: text.replace(line, f"{line}\n{line.replace('blue', 'green')}"))
    found = await kept.edits()
    assert [each.text for each in found.new] == [POT.replace("blue", "green")]
    assert not found.changed
    assert not found.deleted
    await kept.take_in()


async def test_what_changed_on_both_sides_is_kept_twice(kept: Kept) -> None:
    kept.edit(lambda text: text.replace("blue pot", "red pot"))
    await kept.book.database.write(
        ledger.supersede, kept.user.user_id, 1, said("The gate code is 7"), START
    )
    (conflict,) = (await kept.edits()).conflicts
    assert (conflict.memory_id, conflict.cause) == (1, Cause.BOTH_CHANGED)
    await kept.take_in()
    assert {"The gate code is 7", POT.replace("blue", "red")} <= {*await kept.book.texts(kept.user)}


async def test_an_edited_line_of_what_was_forgotten_is_a_new_memory(kept: Kept) -> None:
    kept.edit(lambda text: text.replace("blue pot", "red pot"))
    await kept.book.database.write(forget.forget, kept.user.user_id, [1, 2], now=START)
    found = await kept.edits()
    assert [(each.memory_id, each.cause) for each in found.conflicts] == [(1, Cause.GONE)]
    await kept.take_in()
    assert "red pot" in kept.text()
    assert "Spanish" not in kept.text(), "a line that was not edited brings nothing back"


async def test_what_was_deleted_and_changed_meanwhile_stays(kept: Kept) -> None:
    kept.drop("The gate")
    await kept.book.database.write(
        ledger.supersede, kept.user.user_id, 1, said("The gate code is 7"), START
    )
    found = await kept.edits()
    assert [(each.memory_id, each.cause) for each in found.conflicts] == [(1, Cause.DELETED)]
    assert not found.deleted
    await kept.take_in(forgotten=[1])
    assert "The gate code is 7" in kept.text()


async def test_the_same_edit_on_both_sides_is_no_conflict(kept: Kept) -> None:
    kept.edit(lambda text: text.replace("blue pot", "red pot"))
    newer = said(POT.replace("blue", "red"))
    await kept.book.database.write(ledger.supersede, kept.user.user_id, 1, newer, START)
    assert (await kept.edits()).is_empty


async def test_what_was_learned_meanwhile_is_not_deleted(kept: Kept) -> None:
    await kept.book.keep(kept.user, "I ski", START + timedelta(days=1))
    assert (await kept.edits()).is_empty
    await kept.write()
    assert "- I ski" in kept.text()


async def test_a_line_that_cannot_be_a_memory_is_named_without_its_words(kept: Kept) -> None:
    kept.edit(lambda text: text.replace(POT, "my password is hunter2!"))
    found = await kept.edits()
    ((file, mistake),) = found.mistakes
    assert (file, mistake.line) == ("MEMORY.md", 5)
    assert "hunter2" not in mistake.cause
    assert not found.deleted


async def test_a_shared_note_may_tell_a_password(kept: Kept) -> None:
    note = said("The Wi-Fi password is hunter2!", is_shared=True, may_tell_credentials=True)
    await kept.book.keep(kept.user, note)
    await kept.write()
    assert (await kept.edits()).is_empty
    kept.edit(lambda text: text.replace("hunter2!", "hunter3!"))
    assert await kept.take_in() == 1
    assert "hunter3!" in kept.text()


async def test_numbers_of_somebody_else_mean_nothing(kept: Kept, bob: User) -> None:
    await kept.book.keep(bob, "Bob's own")
    theirs = Kept(kept.book, bob, kept.folder)
    found = await theirs.edits()
    assert len(found.new) == len(ALL)
    assert not found.changed
    assert not found.deleted
    assert not found.conflicts
    with pytest.raises(MemoryFileError, match="somebody else"):
        await sync.check_free(kept.book.database, bob.user_id, kept.folder)


async def test_other_files_are_left_alone(kept: Kept) -> None:
    for name in ("README.md", "people/.hidden.md", "other/a.md", "notes.txt"):
        (kept.folder / name).parent.mkdir(exist_ok=True)
        (kept.folder / name).write_text("- not mine\n")
    assert (await kept.edits()).is_empty
    await kept.book.remove(kept.user, 3)
    await kept.write()
    assert not (kept.folder / "people/grace.md").exists()
    assert (kept.folder / "other/a.md").exists()


async def test_a_folder_that_was_edited_is_not_written_over(kept: Kept, tmp_path: Path) -> None:
    check = sync.check_free
    await check(kept.book.database, kept.user.user_id, kept.folder)
    await check(kept.book.database, kept.user.user_id, tmp_path / "new")
    kept.edit(lambda text: f"{text}- mine\n")
    with pytest.raises(MemoryFileError, match="was edited"):
        await check(kept.book.database, kept.user.user_id, kept.folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a").write_text("a")
    for taken in (tmp_path / "other", tmp_path / "other" / "a"):
        with pytest.raises(MemoryFileError, match="something else"):
            await check(kept.book.database, kept.user.user_id, taken)


async def test_a_file_that_cannot_be_read_is_named(kept: Kept) -> None:
    memory = kept.folder / "MEMORY.md"
    written = memory.read_bytes()
    memory.write_bytes(b"\xff\xfe")
    with pytest.raises(MemoryFileError, match=r"MEMORY\.md.*UTF-8"):
        await kept.edits()
    memory.write_bytes(written)
    (kept.folder / folders.MANIFEST).write_text("{")
    with pytest.raises(MemoryFileError, match=r"\.gaia\.json"):
        await kept.edits()

"""`gaia memory list --held` and `keep`; files that tell what gaia is not sure of."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from pathlib import Path

from gaia.errors import UnknownMemoryError
from gaia.memory import holding
from gaia.store.identities import User
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.testing.clock import START
from tests.harness.book import Book, said

SKI = said(
    "Ada may ski",
    MemorySource.DIGEST,
    quote="I might ski",
    subject="Ada",
    predicate="likes",
    object="skiing",
    digest_id=3,
)
CALL = said("Call Grace", kind=MemoryKind.REMINDER, due_at=START + timedelta(days=1))


async def fill(book: Book, user: User) -> None:
    await book.keep(user, CALL)
    await book.database.write(holding.hold, user.user_id, SKI, START)


def test_what_is_held_is_listed_apart_and_kept(shell, ada):
    assert "not sure" in shell.done("list", "--held")
    shell.book(partial(fill, user=ada))
    assert "Not sure of 1 more: gaia memory list --held" in shell.done("list")
    assert shell.read("list")["held"] == 1
    assert "Ada may ski" not in shell.done("list")
    assert "Ada may ski" in shell.done("list", "--held")
    why = shell.done("why", "2")
    for told in ("gaia is not sure of it", "I might ski", "likes skiing", "digest        3"):
        assert told in why
    assert isinstance(shell.failure("keep", "1"), UnknownMemoryError)
    assert shell.done("keep", "2") == "Kept in the memory of Ada as 2: Ada may ski\n"
    assert "Ada may ski" in shell.done("list")


def test_files_tell_all_of_it(shell, ada, tmp_path: Path):
    shell.user("Bob")
    shell.book(partial(fill, user=ada))
    lines = shell.done("export", "--user", "Ada").splitlines()
    told = [json.loads(line) for line in lines]
    assert [(each["text"], each["held"]) for each in told] == [
        ("Call Grace", False),
        ("Ada may ski", True),
    ]
    assert told[0]["due_at"] == "2026-01-02T12:00:00Z"
    assert (told[1]["predicate"], told[1]["object"]) == ("likes", "skiing")
    assert "Ada may ski" not in shell.done("export", "--format", "markdown", "--user", "Ada")
    file = tmp_path / "memories.jsonl"
    file.write_text("\n".join(lines))
    for expected in ("Took 2 memories", "Took 0 memories"):
        assert expected in shell.done("import", str(file), "--user", "Bob")
    assert "Ada may ski" in shell.done("list", "--held", "--user", "Bob")
    assert shell.done("export", "--user", "Bob").count("Call Grace") == 1

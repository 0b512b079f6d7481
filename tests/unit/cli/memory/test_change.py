"""`gaia memory add` and `forget`, where no daemon runs."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gaia.cli import users
from gaia.errors import CredentialError, UnfitMemoryError, UnknownMemoryError
from gaia.memory import pending
from gaia.store import audit
from gaia.store.lock import DaemonLock
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book, said

POT = "The gate code is under the blue pot"
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


def test_what_is_added_is_kept_word_for_word(shell, ada) -> None:
    added = shell.read(
        "add", POT, "--kind", "note", "--about", "Place: Gate", "--about", "pot", "--sensitive"
    )
    assert added["is_new"]
    assert added["running"] is False
    memory = shell.read("why", str(added["memory"]["memory_id"]))
    assert (memory["text"], memory["kind"], memory["sensitive"]) == (POT, "note", True)
    assert (memory["source"], memory["about"]) == ("user", ["place:gate", "pot"])


def test_a_memory_is_pinned_and_unpinned(shell, ada) -> None:
    shell.read("add", POT)
    assert shell.done("pin", "1") == f"Pinned: 1: {POT}\n"
    assert shell.read("why", "1")["pinned"]
    assert "fact, pinned" in shell.done("why", "1")
    assert not shell.read("unpin", "1")["memory"]["pinned"]
    assert isinstance(shell.failure("pin", "7"), UnknownMemoryError)


def test_adding_says_what_became_of_it(shell, ada) -> None:
    assert shell.done("add", POT) == f"Kept in the memory of Ada as 1: {POT}\n"
    assert shell.done("add", POT.upper()) == f"That is known already, as 1: {POT}\n"
    assert shell.texts() == [POT]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("my password is hunter2!", CredentialError),
        (" ", UnfitMemoryError),
        ("x" * 100_000, UnfitMemoryError),
    ],
)
def test_what_cannot_be_a_memory_is_refused(shell, ada, text: str, error: type) -> None:
    failure = shell.failure("add", text)
    assert isinstance(failure, error)
    assert "hunter2" not in str(failure)
    assert shell.texts() == []


def test_words_that_all_stand_in_a_memory_name_it(shell, ada) -> None:
    for text in (POT, "The gate is green", "我对花生过敏"):
        shell.done("add", text)
    said = shell.done("forget", "CODE", "gates", "--yes")
    assert said == "Forgot 1 memory of Ada. No file holds anything of it any more.\n"
    assert shell.texts() == ["我对花生过敏", "The gate is green"]
    assert shell.read("forget", "过敏", "--yes") == {
        "forgotten": 1,
        "messages": 0,
        "running": False,
        "done": True,
    }
    assert shell.read("forget", "过敏", "--yes") == {
        "forgotten": 0,
        "messages": 0,
        "running": False,
        "done": False,
    }
    assert shell.done("forget", 'what AND "') == (
        "Nothing in the memory of Ada holds all of these words: "
        "'gaia memory list' lists everything.\n"
    )
    assert shell.texts() == ["The gate is green"]


def test_while_a_daemon_has_the_home_the_rest_is_left_to_it(shell, ada) -> None:
    shell.done("add", POT)
    with DaemonLock(shell.home):
        assert shell.done("forget", "gate", "--yes").endswith("when gaia runs next.\n")
    assert shell.texts() == []


def test_numbers_name_memories(shell, ada) -> None:
    for text in ("one", "two", "three"):
        shell.done("add", text)
    assert shell.read("forget", "#1", "3", "--yes")["forgotten"] == 2
    assert shell.texts() == ["two"]


def test_a_number_that_there_is_not_leaves_all(shell, ada) -> None:
    shell.user("Bob")
    shell.done("add", POT, "--user", "Ada")
    shell.done("add", "tea", "--user", "Bob")
    failure = shell.failure("forget", "1", "2", "7", "--yes", "--user", "Ada")
    assert isinstance(failure, UnknownMemoryError)
    assert "no memory 2, 7 of Ada" in str(failure)
    assert shell.texts("--user", "Ada") == [POT]
    assert shell.texts("--user", "Bob") == ["tea"]


def test_everything_goes_when_it_is_asked_for_and_of_nobody_else(shell, ada) -> None:
    shell.user("Bob")

    lines = "\n".join(f"thing {number}" for number in range(130))
    shell.done("import", "-", "--user", "Ada", given=lines)
    shell.done("add", "tea", "--user", "Bob")
    assert shell.read("forget", "--all", "--yes", "--user", "Ada")["forgotten"] == 130
    assert shell.texts("--user", "Ada") == []
    assert shell.texts("--user", "Bob") == ["tea"]


@pytest.mark.parametrize("arguments", [(), ("tea", "--all")])
def test_forgetting_wants_words_or_all(shell, ada, arguments: tuple[str, ...]) -> None:
    result = shell.run("forget", *arguments, "--yes")
    assert result.exit_code == 2
    assert "--all for everything" in result.stderr


@pytest.mark.parametrize("arguments", [("forget", "tea"), ("forget", "--all")])
def test_without_a_terminal_and_a_yes_nothing_goes(shell, ada, arguments: tuple[str, ...]) -> None:
    shell.done("add", "I drink tea")
    result = shell.run(*arguments, given="y\n")
    assert result.exit_code == 2
    assert "add --yes" in result.stderr
    assert shell.texts() == ["I drink tea"]


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "left"), [("y", []), ("n", [POT]), ("", [POT])])
def test_in_a_terminal_it_shows_what_goes_and_asks(shell, ada, answer: str, left: list) -> None:
    shell.done("add", POT)
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "gaia", "memory", "forget", "gate"],
        stdin=theirs,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "GAIA_HOME": str(shell.home.root)},
    )
    os.close(ours)
    os.close(theirs)
    assert POT in done.stdout
    assert "Forget 1 memory of Ada, for good?" in done.stdout
    assert done.returncode == (0 if answer == "y" else 1)
    assert shell.texts() == left


def test_the_audit_has_it_without_a_word_of_it(shell, ada) -> None:
    shell.done("add", POT)
    shell.done("forget", "gate", "--yes")

    async def read(book):
        return await book.database.read(audit.entries, limit=10)

    (entry,) = [each for each in shell.book(read) if each.action == "forgot"]
    assert (entry.actor, entry.subject) == (audit.CLI, ada.user_id)
    assert "gate" not in entry.detail


def test_a_user_with_memories_is_removed_with_them(shell, ada) -> None:
    bob = shell.user("Bob")
    shell.done("add", POT, "--user", "Bob")
    shell.done("add", "tea", "--user", "Ada")
    env = {"GAIA_HOME": str(shell.home.root)}
    result = CliRunner().invoke(users.app, ["remove", "Bob", "--yes"], env=env)
    assert result.exception is None, result.output
    assert shell.user("Bob").user_id != bob.user_id
    assert shell.texts("--user", "Bob") == []
    assert shell.texts("--user", "Ada") == ["tea"]


async def fill(book: Book, user: User) -> None:
    await book.keep(user, CALL)
    await book.database.write(pending.add, user.user_id, SKI, START)


def test_what_is_held_is_listed_apart_and_kept(shell, ada):
    assert "not sure" in shell.done("list", "--pending")
    shell.book(partial(fill, user=ada))
    assert "Not sure of 1 more: gaia memory list --pending" in shell.done("list")
    assert shell.read("list")["pending"] == 1
    assert "Ada may ski" not in shell.done("list")
    assert "Ada may ski" in shell.done("list", "--pending")
    why = shell.done("why", "2")
    for told in ("gaia is not sure of it", "I might ski", "likes skiing", "digest        3"):
        assert told in why
    assert isinstance(shell.failure("keep", "1"), UnknownMemoryError)
    assert shell.done("keep", "2") == "Kept in the memory of Ada as 2: Ada may ski\n"
    assert "Ada may ski" in shell.done("list")


def test_a_reminder_without_a_time_is_refused(shell):
    shell.user("Ada")
    assert str(shell.failure("add", "call Bob", "--kind", "reminder")).startswith(
        "a reminder has a time: give one with --due, such as 'Friday at 9'"
    )


def test_files_tell_all_of_it(shell, ada, tmp_path: Path):
    shell.user("Bob")
    shell.book(partial(fill, user=ada))
    lines = shell.done("export", "--user", "Ada").splitlines()
    told = [json.loads(line) for line in lines]
    assert [(each["text"], each["pending"]) for each in told] == [
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
    assert "Ada may ski" in shell.done("list", "--pending", "--user", "Bob")
    assert "Ada may ski" in shell.done("list", "--held", "--user", "Bob")
    assert shell.done("export", "--user", "Bob").count("Call Grace") == 1

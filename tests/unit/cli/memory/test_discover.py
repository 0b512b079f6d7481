"""`gaia memory discover`: each fact is kept after a yes, and nothing else is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gaia.store.people import identities
from gaia.store.people.identities import Role, User
from gaia.testing.clock import START
from tests.harness.book import Book

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


@pytest.fixture
def owner(shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An owner at a machine whose git knows them."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "Europe/Lisbon")
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada L\n\temail = ada@example.org\n")

    async def create(book: Book) -> User:
        return await book.database.write(identities.create, "Grace", Role.OWNER, now=START)

    shell.book(create)
    return "Grace"


def test_facts_are_shown_and_none_is_kept_by_itself(shell, owner: str) -> None:
    told = shell.read("discover", "--user", owner)
    assert [each["key"] for each in told["facts"]] == ["git-name", "git-email", "time-zone"]
    assert not any(each["kept"] for each in told["facts"])
    refused = shell.run("discover", "--user", owner)
    assert refused.exit_code == 2
    assert "git-name: My name is Ada L." in refused.output
    assert shell.texts("--user", owner) == []


def test_what_is_named_is_kept_once(shell, owner: str) -> None:
    shell.done("discover", "--user", owner, "--keep", "git-name", "--keep", "time-zone")
    assert shell.texts("--user", owner) == ["My time zone is Europe/Lisbon.", "My name is Ada L."]
    assert "found on the machine, and confirmed" in shell.done("why", "1", "--user", owner)
    left = shell.read("discover", "--user", owner)["facts"]
    assert [each["key"] for each in left] == ["git-email"]

    async def zone(book: Book) -> str | None:
        return (await book.database.read(identities.find, owner)).zone

    assert shell.book(zone) == "Europe/Lisbon"


def test_what_was_not_found_cannot_be_kept(shell, owner: str) -> None:
    refused = shell.run("discover", "--user", owner, "--keep", "git-name", "--keep", "shoe-size")
    assert refused.exit_code == 2
    assert "shoe-size" in refused.output
    assert shell.texts("--user", owner) == []


def test_the_machine_is_its_owners(shell, ada) -> None:
    refused = shell.run("discover", "--user", "Ada")
    assert refused.exit_code == 2
    assert "Ada is no owner" in refused.output

"""`gaia memory list`, `why` and `stats`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from rich.cells import cell_len

from gaia.cli.memory.view import SOURCES, FormatName, KindName
from gaia.errors import AmbiguousUserError, UnknownMemoryError, UnknownUserError
from gaia.memory.transfer.importer import FileFormat
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.testing.clock import START
from tests.harness.book import said

POT = "The gate code is under the blue pot"


def test_the_enums_are_those_of_the_ledger() -> None:
    assert [each.value for each in KindName] == [each.value for each in MemoryKind]
    assert [each.value for each in FormatName] == [each.value for each in FileFormat]
    assert set(SOURCES) == set(MemorySource)


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("search", "tea"),
        ("why", "1"),
        ("add", "tea"),
        ("forget", "--all", "--yes"),
        ("export",),
        ("import", "-"),
        ("stats",),
    ],
)
def test_without_users_there_is_no_memory_and_no_home_either(shell, arguments) -> None:
    assert isinstance(shell.failure(*arguments), UnknownUserError)
    assert not shell.home.root.exists()
    shell.book(_nothing)
    assert "'gaia chat' makes you the first" in str(shell.failure(*arguments))


async def _nothing(book) -> None:
    pass


def test_an_empty_memory_says_how_to_begin(shell, ada) -> None:
    assert "'gaia memory add'" in shell.done("list")
    assert shell.read("list") == {
        "user": "Ada",
        "page": 1,
        "pages": 1,
        "total": 0,
        "pending": 0,
        "memories": [],
    }


def test_the_only_person_needs_no_name_and_anybody_else_does(shell, ada) -> None:
    shell.done("add", "I drink tea")
    shell.user("Family", is_group=True)
    assert shell.texts() == ["I drink tea"]
    assert shell.texts("--user", "family") == []
    shell.done("add", "We go to Ulm", "-u", "Family")
    assert shell.texts("--user", "Family") == ["We go to Ulm"]
    shell.user("Bob")
    refused = shell.failure("list")
    assert isinstance(refused, AmbiguousUserError)
    assert refused.exit_code == 2
    assert "say who is meant: Ada, Bob, Family" in str(refused)
    assert shell.texts("--user", ada.user_id) == ["I drink tea"]
    assert isinstance(shell.failure("list", "--user", "Nobody"), UnknownUserError)


def test_of_several_the_logins_own_memory_is_meant(shell, ada, monkeypatch) -> None:
    shell.done("add", "I drink tea")
    bob = shell.user("Bob")
    monkeypatch.setenv("LOGNAME", "bobby")
    assert isinstance(shell.failure("list"), AmbiguousUserError)
    shell.link(bob, "bobby")
    assert shell.read("list")["user"] == "Bob"
    shell.done("add", "I drink coffee")
    assert shell.texts() == ["I drink coffee"]
    assert shell.texts("--user", "Ada") == ["I drink tea"]


def test_a_group_alone_is_the_only_one_who_can_be_meant(shell) -> None:
    shell.user("Family", is_group=True)
    assert shell.read("list")["user"] == "Family"


def test_pages_go_from_the_newest_to_the_oldest(shell, ada) -> None:
    async def fill(book) -> None:
        for number in range(45):
            await book.keep(ada, f"thing {number}")

    shell.book(fill)
    lines = shell.done("list").splitlines()
    assert lines[0].split() == ["ID", "SINCE", "KIND", "TEXT"]
    assert lines[1].endswith("thing 44")
    assert lines[-1] == "Page 1 of 3, 45 memories. The next one: gaia memory list --page 2"
    assert shell.done("list", "--page", "99").splitlines()[-1] == "Page 3 of 3, 45 memories."
    assert [each["text"] for each in shell.read("list", "--page", "3")["memories"]] == [
        f"thing {number}" for number in range(4, -1, -1)
    ]
    assert len(shell.done("list", "--all").splitlines()) == 46


def test_long_texts_are_cut_in_the_table_and_whole_for_a_script(shell, ada) -> None:
    long = "过敏 " * 200 + "\x1b[31mred\x07\n\nend \u202eof it"
    shell.done("add", long)
    shown = shell.done("list").splitlines()
    assert len(shown) == 2
    assert 75 <= cell_len(shown[1]) <= 80
    assert shown[1].endswith("…")
    assert shell.texts() == [long.strip()]


def test_nothing_stored_can_command_the_terminal(shell, ada) -> None:
    async def fill(book) -> None:
        evil = "a\x1b]0;title\x07b\x1b[31mc\x9b31md\u202ee\rf"
        await book.keep(ada, said(evil, quote=evil, subject=evil, entities=(evil,)))

    shell.book(fill)
    for arguments in (("list",), ("why", "1"), ("search", "a"), ("export",)):
        output = shell.done(*arguments)
        assert output.replace("\n", "").isprintable(), arguments
    assert "abcdef" in shell.done("why", "1").replace("\n", "")


def test_why_tells_where_a_memory_comes_from(shell, ada) -> None:
    async def fill(book) -> None:
        bonn = await book.keep(ada, said("I live in Bonn", MemorySource.DIGEST, context="home"))
        ulm = said(
            "I live in Ulm\nsince 2019",
            MemorySource.TOOL,
            quote="I moved to Ulm!",
            subject="Ada",
            context="home",
            sensitive=True,
            entities=("place:ulm",),
            expires_at=START + timedelta(days=9),
            turn_id="t_7",
        )
        await book.replace(ada, bonn, ulm)
        await book.keep(ada, replace(ulm, turn_id="t_8"))

    shell.book(fill)
    told = shell.done("why", "2")
    assert told.startswith("I live in Ulm\nsince 2019\n\n")
    facts = dict(line.split("  ", 1) for line in told.split("\n\n")[1].splitlines())
    facts = {name.strip(): value.strip() for name, value in facts.items()}
    assert facts.pop("since").startswith(f"{START.astimezone():%Y-%m-%d %H:%M}")
    assert facts.pop("until").startswith(f"{START.astimezone() + timedelta(days=9):%Y-%m-%d}")
    assert facts.pop("replaced").startswith("1, of 20")
    assert facts == {
        "kind": "fact, hidden",
        "context": "home",
        "source": "kept by gaia when they talked",
        "their words": "I moved to Ulm!",
        "subject": "Ada",
        "about": "place:ulm",
        "told": "2 times",
        "turn": "t_7",
    }
    assert "replaced by   2" in shell.done("why", "1")
    read = shell.read("why", "2")
    assert read["about"] == ["place:ulm"]
    assert [each["text"] for each in read["earlier"]] == ["I live in Bonn"]


@pytest.mark.parametrize("number", ["2", "0", "99999999999999999999999"])
def test_a_number_that_there_is_not_is_named(shell, ada, number: str) -> None:
    shell.user("Bob")
    shell.done("add", POT, "--user", "Bob")
    shell.done("add", "tea", "--user", "Ada")
    failure = shell.failure("why", "1" if number == "2" else number, "--user", "Ada")
    assert isinstance(failure, UnknownMemoryError)


def test_figures_count_what_counts(shell, ada) -> None:
    async def fill(book) -> None:
        bonn = await book.keep(ada, said("I live in Bonn", entities=("place:bonn",)))
        await book.replace(ada, bonn, said("I live in Ulm", MemorySource.TOOL))
        rule = said("No meetings", kind=MemoryKind.RULE, sensitive=True, entities=("a", "b"))
        await book.keep(ada, rule)

    shell.book(fill)
    assert shell.done("stats") == (
        "memories  2 memories of Ada, 24 characters\n"
        "besides   1 superseded\n"
        "kinds     1 fact, 1 rule\n"
        "sources   1 tool, 1 user\n"
        "hidden    1\n"
        "about     2 people and things\n"
        f"oldest    {START.astimezone():%Y-%m-%d %H:%M:%S}\n"
        f"newest    {START.astimezone():%Y-%m-%d %H:%M:%S}\n"
        "index     4 to be taken in; gaia does not run\n"
    )
    read = shell.read("stats")
    assert (read["memories"], read["statuses"]) == (2, {"active": 2, "superseded": 1})
    assert read["index"]["waiting"] == 4
    assert read["index"]["running"] is False


def test_figures_of_nothing(shell, ada) -> None:
    assert shell.done("stats") == (
        "memories  0 memories of Ada, 0 characters\nindex     all is taken in; gaia does not run\n"
    )

"""The archive is searched by words of every script and by time, of one user alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gaia.errors import MissingOwnerError
from gaia.memory import archive, forget
from gaia.memory.memory import Statement
from gaia.store import archive as rows
from gaia.store.memory_tables import MemorySource
from gaia.testing.clock import START
from tests.harness.archived import talk

DAY = timedelta(days=1)


async def found(database, user, words="", limit=10, **times) -> list[str]:
    hits = await database.read(archive.search, user.user_id, words=words, limit=limit, **times)
    return [hit.turn.turn_id for hit in hits]


@pytest.fixture
async def said(database, ada, bob):
    """What ada said on four days, and bob of the same."""
    talks = [
        ("boat", "The boat leaks again", "Pump it out first."),
        ("tea", "I drink tea", "Green or black?"),
        ("leak", "And the roof?", "A leak in a roof, a boat and a leaking tap."),
        ("cjk", "我们去京都看红叶", "いいですね"),
    ]
    with database.writing() as session:
        for day, (turn_id, words, answer) in enumerate(talks):
            talk(session, ada.user_id, words, answer, turn_id=turn_id, said_at=START + day * DAY)
        talk(session, bob.user_id, "My boat is new", turn_id="of-bob")


async def test_words_are_found_in_what_was_said_and_answered_in_other_forms(said, database, ada):
    assert await found(database, ada, "leaking boats?", limit=9) == ["boat", "leak"]
    assert await found(database, ada, "boats with taps") == ["leak", "boat"]
    assert await found(database, ada, "pumps") == ["boat"]


@pytest.mark.parametrize("words", ["京都", "红叶", "ですね"])
async def test_scripts_without_spaces_are_found(said, database, ada, words):
    assert await found(database, ada, words) == ["cjk"]


async def test_nobody_finds_what_another_said(said, database, ada, bob):
    assert await found(database, bob, "boat leak tea") == ["of-bob"]
    assert "of-bob" not in await found(database, ada)


async def test_without_words_the_latest_come_first(said, database, ada):
    assert await found(database, ada, limit=2) == ["cjk", "leak"]


async def test_time_bounds_what_is_found_and_the_end_is_not_part_of_it(said, database, ada):
    assert await found(database, ada, "boat", since=START + DAY) == ["leak"]
    assert await found(database, ada, "boat", until=START + 2 * DAY) == ["boat"]
    assert await found(database, ada, since=START + DAY, until=START + 2 * DAY) == ["tea"]


@pytest.mark.parametrize(
    "words",
    ["", "?!", "\x00", "what AND (", '"boat', "the of", "x" * 5000, "boat " * 9000, "\ud83d"],
)
async def test_no_query_is_an_error(said, database, ada, words):
    await found(database, ada, words)


async def test_many_words_look_for_the_rarest(said, database, ada):
    assert (await found(database, ada, " ".join(f"word{n}" for n in range(300)) + " tea")) == [
        "tea"
    ]


@pytest.mark.parametrize("user_id", ["", " "])
async def test_a_search_without_a_user_raises(database, user_id):
    with database.reading() as session, pytest.raises(MissingOwnerError):
        archive.search(session, user_id, words="boat", limit=1)


async def test_a_hit_shows_the_part_with_the_words(database, ada):
    long = "word " * 300 + "the Violet canal " + "word " * 300
    with database.writing() as session:
        talk(session, ada.user_id, long, long, turn_id="long")
        (hit,) = archive.search(session, ada.user_id, words="violet", limit=1, excerpt=100)
    assert hit.said_at == START
    for part in (hit.asked, hit.answer):
        assert "Violet canal" in part
        assert part.startswith("…")
        assert part.endswith("…")
        assert len(part) <= 100


async def test_what_is_being_forgotten_is_not_found_while_files_still_hold_it(
    said, database, book, ada, clock
):
    kept = await book.keep(ada, Statement("The boat leaks", MemorySource.USER))
    with database.writing() as session:
        forget.forget(session, ada.user_id, [kept.memory.memory_id], now=clock.now())
        talk(session, ada.user_id, "The boat leaks, I say again", turn_id="since")
    assert await found(database, ada, "boat") == ["since"]


async def test_nothing_said_before_is_found_once_everything_is_to_be_forgotten(
    said, database, ada, bob, clock
):
    with database.writing() as session:
        forget.forget_everything(session, ada.user_id, now=clock.now())
        talk(session, ada.user_id, "A new boat", turn_id="since")
    assert await found(database, ada) == ["since"]
    assert await found(database, bob) == ["of-bob"]


async def test_a_session_is_read_to_its_end_in_order_however_long_it_is(database, ada):
    with database.writing() as session:
        first = talk(session, ada.user_id, "Hello", turn_id="0")
        for number in range(1, 2 * rows.TURNS_AT_A_TIME + 1):
            rows.add(session, replace(first, turn_id=str(number)), {})
    with database.reading() as session:
        turns = rows.of_session(session, first.session_id)
        rest = rows.of_session(session, first.session_id, after=turns[-3].archive_id)
    assert [turn.turn_id for turn in turns] == [*map(str, range(2 * rows.TURNS_AT_A_TIME + 1))]
    assert rest == turns[-2:]

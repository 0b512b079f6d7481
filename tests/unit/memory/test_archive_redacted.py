"""Which turns of the archive are looked at, and what is left of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.memory import archive, text
from gaia.memory.archive import redact_archive
from gaia.memory.needles import Needles
from gaia.store import archive as rows
from gaia.store.redaction import REPLACEMENT, Redaction
from gaia.testing.clock import START
from tests.harness.archived import talk

GATE = "The gate code is under the blue pot"
KNOWN = ("the", "is", "not", "it", "gate", "code", "blue", "pot", "a", "4711", "京都", "ß")
WORDS = st.lists(st.sampled_from(KNOWN), max_size=8)


def what(user, *needles: str, sources=frozenset()) -> Redaction:
    found = Needles(needles)
    return Redaction(user.user_id, found.match, frozenset(sources), False, 0, START, found.terms)


@pytest.fixture
def redact(database, ada):
    """Redacts what was said and answered; returns what is left."""

    async def redact(*said: tuple[str, str], needles=(GATE,), sources=(), spared=()):
        with database.writing() as session:
            for number, (words, answer) in enumerate(said):
                talk(session, ada.user_id, words, answer, turn_id=f"{number}")
        await redact_archive(database, what(ada, *needles, sources=sources), frozenset(spared))
        with database.reading() as session:
            numbers = rows.numbers(session, ada.user_id)
            turns = rows.get_many(session, ada.user_id, numbers)
        return [(turn.asked, turn.words, turn.answer) for turn in turns]

    return redact


async def test_what_says_it_goes_and_what_does_not_stays(redact):
    asked = "Where does my uncle keep everything?"
    left = await redact((asked, "Below the blue pot of the gate"), ("Hello", "Hi"))
    assert left == [(asked, asked, REPLACEMENT), ("Hello", "Hello", "Hi")]


async def test_one_line_among_others_is_enough(redact):
    ((asked, words, answer),) = await redact(
        ("many other words of a burst\nblue pot\nand so on", "ok")
    )
    assert (asked, words, answer) == (REPLACEMENT, "", "ok")


async def test_a_source_goes_as_a_whole_whatever_it_says(redact):
    assert await redact(("Hello", "Hi"), sources=["0"]) == [(REPLACEMENT, "", REPLACEMENT)]


async def test_what_is_spared_stays(redact):
    assert await redact((GATE, GATE), spared=["0"]) == [(GATE, GATE, GATE)]


async def test_a_needle_of_stop_words_is_looked_for_everywhere(redact):
    assert await redact(("That is not it!", "ok"), needles=["not it"]) == [(REPLACEMENT, "", "ok")]


async def test_the_end_of_a_text_with_too_many_terms_is_looked_at(redact):
    long = " ".join(f"w{number}" for number in range(text.MOST_TERMS)) + f". {GATE}"
    assert await redact((long, "ok")) == [(REPLACEMENT, "", "ok")]


async def test_own_words_that_notes_left_no_room_for_are_looked_at(redact, database, ada):
    with database.writing() as session:
        first = talk(session, ada.user_id, "Hello", turn_id="first")
        archive.keep(
            session,
            replace(first, turn_id="cut", asked="Hello\n[a long note…", words=f"Hello\n{GATE}"),
        )
    assert await redact() == [
        ("Hello", "Hello", "Fine."),
        (REPLACEMENT, "", "Fine."),
    ]


async def test_terms_are_those_of_what_is_left(redact, database, ada):
    await redact((GATE, "Such fine weather"))
    with database.reading() as session:
        hits = {
            words: archive.search(session, ada.user_id, words=words, limit=1)
            for words in ("gate", "forgotten", "weather")
        }
    assert [words for words, found in hits.items() if found] == ["weather"]


@given(needles=st.lists(WORDS.map(" ".join), min_size=1, max_size=3), said=WORDS.map(" ".join))
def test_a_text_that_says_it_has_one_of_the_terms(needles, said):
    found = Needles(needles)
    if found.match(said) and found.terms is not None:
        assert not found.terms.isdisjoint(text.terms(said))

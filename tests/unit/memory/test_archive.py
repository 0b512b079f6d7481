"""The archive: searched by words and by time, of one user alone, pruned, and redacted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from gaia.errors import MissingOwnerError
from gaia.memory import archive, forget, text
from gaia.memory.archive import redact_archive
from gaia.memory.contexts import visible
from gaia.memory.forget_matcher import ForgetMatcher
from gaia.memory.memory import Statement
from gaia.store import archive as rows
from gaia.store import conversations
from gaia.store.digest_tables import ArchivedTermRow, DigestReason, DigestRow, DigestState
from gaia.store.memory_tables import MemorySource
from gaia.store.redaction import REPLACEMENT, Redaction
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


async def test_what_was_said_in_another_context_is_found_by_nothing_but_there(database, ada):
    with database.writing() as session:
        for name in ("global", "work", "club"):
            talk(session, ada.user_id, "The boat leaks", turn_id=name, context=name)
    for words in ("boat", ""):
        assert await found(database, ada, words) == ["global"]
        assert await found(database, ada, words, contexts=visible("work")) == ["work", "global"]
        assert len(await found(database, ada, words, contexts=None)) == 3


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


NOW = START + timedelta(days=100)


def kept(session, user) -> list[str]:
    numbers = rows.numbers(session, user.user_id)
    return [turn.turn_id for turn in rows.get_many(session, user.user_id, numbers)]


@pytest.fixture
async def session(database, ada, bob):
    with database.writing() as session:
        yield session


def talk_and_leave(session, user, state: DigestState | None, **changes):
    turn = talk(session, user.user_id, "hello there", turn_id="old", **changes)
    chat = conversations.get(session, turn.conversation_id)
    conversations.start_next_session(session, turn.conversation_id)
    if state is not None:
        session.add(
            DigestRow(
                session_id=turn.session_id,
                user_id=user.user_id,
                conversation_id=turn.conversation_id,
                generation=chat.generation,
                reason=DigestReason.IDLE,
                state=state,
                created_at=START,
            )
        )
        session.flush()


@pytest.mark.parametrize(
    ("state", "goes"),
    [*((state, state is DigestState.CLEARED) for state in DigestState), (None, True)],
)
async def test_what_is_old_goes_once_its_session_is_cleared_or_nobody_reads_it(
    session, ada, state, goes
):
    talk_and_leave(session, ada, state)
    assert archive.prune(session, NOW, 90) == goes
    assert kept(session, ada) == ([] if goes else ["old"])
    terms = session.scalar(select(func.count()).select_from(ArchivedTermRow))
    assert bool(terms) is not goes


async def test_what_is_young_stays(session, ada):
    talk_and_leave(session, ada, None)
    assert archive.prune(session, START + timedelta(days=90), 90) == 0


async def test_the_present_session_stays_and_no_other_of_a_like_number(session, ada):
    for number in range(15):
        turn = talk(session, ada.user_id, "hi", turn_id=f"turn-{number}")
        conversations.start_next_session(session, turn.conversation_id)
    talk(session, ada.user_id, "hi", turn_id="present")
    assert archive.prune(session, NOW, 90) == 15
    assert kept(session, ada) == ["present"]


async def test_it_goes_in_short_transactions_the_oldest_first(session, ada):
    for number in range(3):
        turn = talk(session, ada.user_id, "hi", turn_id=f"{number}")
        conversations.start_next_session(session, turn.conversation_id)
    assert rows.prune(session, NOW, most=2) == 2
    assert kept(session, ada) == ["2"]


GATE = "The gate code is under the blue pot"
KNOWN = ("the", "is", "not", "it", "gate", "code", "blue", "pot", "a", "4711", "京都", "ß")
WORDS = st.lists(st.sampled_from(KNOWN), max_size=8)


def what(user, *phrases: str, sources=frozenset()) -> Redaction:
    found = ForgetMatcher(phrases)
    return Redaction(user.user_id, found.match, frozenset(sources), False, 0, START, found.terms)


@pytest.fixture
def redact(database, ada):
    """Redacts what was said and answered; returns what is left."""

    async def redact(*said: tuple[str, str], phrases=(GATE,), sources=(), spared=()):
        with database.writing() as session:
            for number, (words, answer) in enumerate(said):
                talk(session, ada.user_id, words, answer, turn_id=f"{number}")
        await redact_archive(database, what(ada, *phrases, sources=sources), frozenset(spared))
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
    assert await redact(("That is not it!", "ok"), phrases=["not it"]) == [(REPLACEMENT, "", "ok")]


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


@given(phrases=st.lists(WORDS.map(" ".join), min_size=1, max_size=3), said=WORDS.map(" ".join))
def test_a_text_that_says_it_has_one_of_the_terms(phrases, said):
    found = ForgetMatcher(phrases)
    if found.match(said) and found.terms is not None:
        assert not found.terms.isdisjoint(text.terms(said))

"""Dates and times that sentences name.

`sentences.jsonl` has a sentence a line: its `language` (null where it is to be told by the
words), its `text`, and what is `placed`: the phrase, when it is on the local clock (a day, a
day and a time, or a beginning and an end with ` .. ` between), and how it recurs. It is said
at `said`, else on Monday 2026-03-02 at 15:00, in `zone`, else in Lisbon; `ahead` if true is a
reminder.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.memory.when import Placed, find
from gaia.memory.when.book import LANGUAGES, open_book
from gaia.memory.when.folded import fold
from tests.harness.effort import rounds

SENTENCES = [
    json.loads(line)
    for line in Path(__file__).with_name("sentences.jsonl").read_text("utf-8").splitlines()
]
LISBON = ZoneInfo("Europe/Lisbon")
BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 3, 2, 15, tzinfo=LISBON)


def test_there_are_sentences_of_every_language_with_and_without_a_time() -> None:
    assert len(SENTENCES) >= 250
    assert sum(not row["placed"] for row in SENTENCES) >= 80
    assert {row["language"] for row in SENTENCES if row["placed"]} >= set(LANGUAGES)
    assert {row["language"] for row in SENTENCES if not row["placed"]} >= set(LANGUAGES)


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: f"{row['language']}:{row['text']}")
def test_what_is_certain_is_placed(row: dict[str, Any]) -> None:
    zone = ZoneInfo(row.get("zone", "Europe/Lisbon"))
    said_at = datetime.fromisoformat(row.get("said", "2026-03-02 15:00")).replace(tzinfo=zone)
    placed = find(row["text"], said_at, zone, row["language"], ahead=row.get("ahead", False))
    assert [told(each, zone) for each in placed] == row["placed"]


def told(placed: Placed, zone: tzinfo) -> list[str]:
    form = "%Y-%m-%d %H:%M" if placed.has_time else "%Y-%m-%d"
    when = placed.start.astimezone(zone).strftime(form)
    if placed.end:
        when += f" .. {placed.end.astimezone(zone).strftime(form)}"
    return [placed.phrase, when, *([placed.recurrence] if placed.recurrence else [])]


def only(text: str, said_at: datetime, zone: tzinfo) -> Placed:
    (placed,) = find(text, said_at, zone, "en")
    return placed


def test_times_are_utc() -> None:
    assert only("tomorrow at 9", MONDAY, BERLIN).start == datetime(2026, 3, 3, 8, tzinfo=UTC)
    assert only("tomorrow", MONDAY, BERLIN).start.tzinfo is UTC


def test_the_day_is_that_of_the_person() -> None:
    late = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    assert only("tomorrow", late, BERLIN).start == datetime(2026, 3, 3, 23, tzinfo=UTC)


def test_an_hour_that_does_not_exist_is_the_next() -> None:
    said_at = datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    start = only("tomorrow at 2:30 am", said_at, BERLIN).start
    assert start.astimezone(BERLIN).strftime("%d %H:%M") == "29 03:30"


def test_an_hour_that_happens_twice_is_the_first() -> None:
    said_at = datetime(2026, 10, 24, 12, tzinfo=BERLIN)
    start = only("tomorrow at 2:30 am", said_at, BERLIN).start
    assert start == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_hours_from_now_pass_and_days_from_now_are_dates() -> None:
    said_at = datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    assert only("in 24 hours", said_at, BERLIN).start == said_at.astimezone(UTC) + timedelta(days=1)
    assert only("in 1 day", said_at, BERLIN).start == datetime(2026, 3, 28, 23, tzinfo=UTC)


def test_accents_and_case_do_not_count() -> None:
    for text in ("MAÑANA a las 9", "manana a las 9", "man\u0303ana  a\tlas 9"):
        (placed,) = find(text, MONDAY, LISBON, "es")
        assert placed.start == datetime(2026, 3, 3, 9, tzinfo=UTC)
        assert placed.phrase == text


def test_a_locale_is_read_by_the_book_of_its_language() -> None:
    assert find("morgen", MONDAY, LISBON, "de-AT") == find("morgen", MONDAY, LISBON, "DE")


def test_of_a_language_that_nobody_knows_nothing_is_placed() -> None:
    assert find("tomorrow", MONDAY, LISBON, "xx") == []
    assert find("tomorrow", MONDAY, LISBON, "../en") == []


def pieces_of_books() -> Sequence[str]:
    words = {"9", "5.", "9:30", "2026-03-14", "31", " ", ",", "-", "a", "in", "ß", "İ", "の"}
    return sorted(words | {word for row in SENTENCES for word in row["text"].split()})


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=80),
    st.lists(st.sampled_from(pieces_of_books()), max_size=12).map(" ".join),
)
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
ZONES = st.sampled_from(["Europe/Lisbon", "America/New_York", "Pacific/Apia", "UTC"]).map(ZoneInfo)
BOOKS = st.sampled_from([None, *LANGUAGES, "da", "uk", "el"])


@settings(max_examples=rounds(200, thorough=5_000), deadline=None)
@given(TEXTS, MOMENTS, ZONES, BOOKS, st.booleans())
def test_whatever_is_said_is_read(
    text: str, said_at: datetime, zone: ZoneInfo, language: str | None, ahead: bool
) -> None:
    for placed in find(text, said_at, zone, language, ahead=ahead):
        assert placed.start >= datetime(1899, 12, 31, tzinfo=UTC)
        assert placed.end is None or placed.end > placed.start
        assert placed.phrase
        assert placed.phrase == " … ".join(text[first:end] for first, end in placed.places)
        assert placed.recurrence is None or placed.recurrence.startswith("FREQ=")


@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_what_is_folded_is_found_again(text: str) -> None:
    folded = fold(text)
    assert len(folded.places) == len(folded.text)
    assert list(folded.places) == sorted(folded.places)
    if folded.places:
        assert folded.source(0, len(folded.text)) == text[folded.places[0] :]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_book_has_the_phrases_that_every_language_has(language: str) -> None:
    book = open_book(language)
    assert book is not None
    kinds = {pattern.kind for pattern in book.patterns}
    assert kinds >= {"day", "in", "ago", "weekday", "date", "clock", "every_weekday", "never"}


def test_a_sentence_takes_milliseconds() -> None:
    texts = [row["text"] for row in SENTENCES[:200]]
    for text in texts:
        find(text, MONDAY, LISBON)
    began = time.process_time()
    for text in texts:
        find(text, MONDAY, LISBON)
    assert (time.process_time() - began) / len(texts) < 0.01


@pytest.mark.parametrize("text", ["at 9 ", "monday ", " ", "habe am montag ", "9", "every 2 "])
def test_a_long_text_takes_no_longer_than_it_is_long(text: str) -> None:
    began = time.process_time()
    find(text * (20_000 // len(text)), MONDAY, LISBON, "de")
    assert time.process_time() - began < 10

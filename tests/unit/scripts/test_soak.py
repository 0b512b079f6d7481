"""What a soak takes for a fault: a test that cannot fail is none."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gaia.messages import Outbound
from gaia.testing.clock import FakeClock

MONTHS = 12
WORD = "Zqbadiku"


@pytest.fixture
def figures(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_module("soak_figures")


@pytest.fixture
def people(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_module("soak_people")


@pytest.fixture
def search(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_module("soak_search")


def year(figures: ModuleType) -> list[Any]:
    """Twelve months as they are to be: the database grows, and all else is flat."""
    return [
        figures.Period(
            number=number,
            turns=1_000,
            resident_mb=300.0,
            database_mb=1.0 + number,
            wal_mb=4.0,
            index_mb=1.0,
            backups_mb=1.0,
            logs_mb=1.0,
            threads=20,
            descriptors=40,
            connections=5,
            tasks=16,
            turn_ms=50.0,
        )
        for number in range(1, MONTHS + 1)
    ]


def test_a_year_as_it_is_to_be_is_flat(figures: ModuleType) -> None:
    assert figures.not_flat(year(figures)) == []


@pytest.mark.parametrize(
    ("name", "by_month"),
    [
        ("threads", lambda month: 19 + month),
        ("descriptors", lambda month: 39 + month),
        ("connections", lambda month: 5 * month),
        ("tasks", lambda month: 15 + month),
        ("wal_mb", lambda month: 3.0 * month),
        ("resident_mb", lambda month: 300.0 + 10 * month),
        ("database_mb", lambda month: 1.0 + month**2 / 4),
        ("turn_ms", lambda month: 45.0 + 5 * month),
    ],
)
def test_a_figure_that_grows_is_named_with_its_values(
    figures: ModuleType, name: str, by_month: Callable[[int], float]
) -> None:
    periods = [replace(each, **{name: by_month(each.number)}) for each in year(figures)]
    (told,) = figures.not_flat(periods)
    assert told.startswith(f"{name}: ")
    assert any(sign.isdigit() for sign in told)


def test_the_first_of_a_few_periods_may_be_colder_than_the_rest(figures: ModuleType) -> None:
    periods = year(figures)[:4]
    periods[0] = replace(periods[0], resident_mb=200.0)
    assert figures.not_flat(periods) == []
    periods[-1] = replace(periods[-1], resident_mb=350.0)
    (told,) = figures.not_flat(periods)
    assert told == "resident_mb: 350.0 at last, 300.0 in the first 2 periods"


@pytest.mark.parametrize(("name", "spare"), [("threads", 2), ("descriptors", 4), ("tasks", 0)])
def test_one_more_in_a_single_month_is_one_too_many(
    figures: ModuleType, name: str, spare: int
) -> None:
    periods = year(figures)
    usual = getattr(periods[7], name)
    periods[7] = replace(periods[7], **{name: usual + spare})
    assert figures.not_flat(periods) == []
    periods[7] = replace(periods[7], **{name: usual + spare + 1})
    (told,) = figures.not_flat(periods)
    assert told.startswith(f"{name}: ")
    assert "period 8" in told


def test_what_is_forgotten_is_found_in_files_and_in_what_is_packed(
    search: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_bytes(f"\0\1{WORD.upper()}\2".encode())
    (tmp_path / "packed.tar.gz").write_bytes(gzip.compress(f"a{WORD}b".encode()))
    (tmp_path / "other").write_text("Zqbadika")
    assert search.found(tmp_path, [WORD]) == {
        "packed.tar.gz": {WORD.lower()},
        "sub/file": {WORD.lower()},
    }


def test_what_is_forgotten_is_found_between_two_pieces(
    search: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "PIECE_BYTES", 10)
    (tmp_path / "file").write_text(f"1234567{WORD}1234567")
    assert search.found(tmp_path, [WORD]) == {"file": {WORD.lower()}}


def answer(*message_ids: str, is_repeat: bool = False, is_failure: bool = False) -> Outbound:
    return Outbound(
        outbox_id=1,
        chat="ada",
        text="Certainly.",
        seq=0,
        final=True,
        in_reply_to=message_ids,
        is_repeat=is_repeat,
        is_failure=is_failure,
    )


async def test_each_message_is_answered_once(people: ModuleType) -> None:
    post = people.Post(FakeClock())
    for name in ("one", "two"):
        post.expect(name)
    await post.send(answer("one"))
    assert post.without_answer == ["two"]
    await post.send(answer("two", is_failure=True))
    await post.send(answer("one", is_repeat=True))
    assert post.faults == ["message two has no answer: Certainly."]


async def test_a_second_answer_is_a_fault(people: ModuleType) -> None:
    post = people.Post(FakeClock())
    post.expect("one")
    for _ in range(2):
        await post.send(answer("one"))
    await post.send(answer("two"))
    assert post.faults == [
        "message one was answered a second time",
        "message two was answered though nobody is known to have said it",
    ]

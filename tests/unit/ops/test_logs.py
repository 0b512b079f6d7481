"""The log is read in order, each line once, over rotations and rewritings, in both forms."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gaia.files import rewrite
from gaia.logs.line import LEVELS, Line, as_json, as_text
from gaia.ops.logs import LogReader, Wanted, follow

AT = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
TRACEBACK = 'Traceback (most recent call last):\n  File "x"\nValueError: no'


def line(number: int, *, turn: str | None = None, level: str = "INFO", at: int = -1) -> Line:
    moment = AT + timedelta(seconds=number if at < 0 else at)
    failure = TRACEBACK if level == "ERROR" else None
    return Line(moment, level, "gaia", turn, f"line {number}", failure)


def write(file: Path, *lines: Line, form: Callable[[Line], str] = as_text) -> None:
    with file.open("a") as to:
        to.writelines(f"{form(each)}\n" for each in lines)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "gaia.log"


def rotate(log: Path) -> None:
    for number in range(8, 0, -1):
        older = log.with_name(f"gaia.log.{number}")
        if older.exists():
            older.rename(log.with_name(f"gaia.log.{number + 1}"))
    log.rename(log.with_name("gaia.log.1"))


@pytest.fixture
def reader(log: Path) -> Iterator[LogReader]:
    with LogReader(log.parent, Wanted()) as reader:
        yield reader


def numbers(lines: object) -> list[int]:
    assert isinstance(lines, (list, tuple)) or hasattr(lines, "__iter__")
    return [int(each.message.split()[-1]) for each in lines]


def last(log: Path, count: int | None = None, **wanted: object) -> list[int]:
    with LogReader(log.parent, Wanted(**wanted)) as reader:  # type: ignore[arg-type]
        return numbers(reader.last(count))


def test_all_files_are_read_the_oldest_first_in_either_form(log: Path) -> None:
    for number in range(12):
        form = as_json if number % 3 else as_text
        write(log, line(2 * number, level="ERROR"), line(2 * number + 1), form=form)
        if number < 11:
            rotate(log) if number > 8 else None
    with LogReader(log.parent, Wanted()) as reader:
        lines = reader.last(None)
    assert numbers(lines) == list(range(24))
    assert [each.exception for each in lines] == [TRACEBACK, None] * 12
    assert last(log, 5) == [19, 20, 21, 22, 23]


def test_the_tenth_file_is_older_than_the_second(log: Path) -> None:
    for number in range(10):
        write(log.with_name(f"gaia.log.{10 - number}"), line(number))
    log.with_name("gaia.log.partial").write_text("not this")
    assert last(log) == list(range(10))


def test_lines_are_chosen_by_turn_level_and_time(log: Path) -> None:
    write(log, line(1, turn="3f2a9c"), line(2, level="ERROR"), line(3, turn="3f2a9c"))
    write(log, line(4, turn="77aa00", level="WARNING"), line(5))
    assert last(log, turn="3f2a9c") == [1, 3]
    assert last(log, turn="3f") == [1, 3]
    assert last(log, severity=LEVELS.index("WARNING")) == [2, 4]
    assert last(log, since=AT + timedelta(seconds=4)) == [4, 5]
    assert last(log, 1, turn="3f2a9c") == [3]


def test_a_file_that_was_changed_before_is_not_read(log: Path) -> None:
    rotated = log.with_name("gaia.log.1")
    write(rotated, line(9))
    os.utime(rotated, (AT.timestamp(), AT.timestamp()))
    write(log, line(12))
    assert last(log, since=AT + timedelta(seconds=5)) == [12]


def test_without_a_log_there_is_nothing(log: Path) -> None:
    assert last(log) == []
    assert last(log / "no folder") == []


def test_what_is_written_is_read_once(log: Path, reader: LogReader) -> None:
    assert list(reader.last(None)) == []
    assert reader.more() == []
    write(log, line(1))
    assert numbers(reader.more()) == [1]
    assert reader.more() == []
    write(log, line(2), line(3, level="ERROR"))
    assert numbers(reader.more()) == [2, 3]


def test_half_a_line_waits_for_its_other_half(log: Path, reader: LogReader) -> None:
    write(log, line(1))
    reader.last(None)
    text = as_text(line(2)) + "\n"
    with log.open("a") as to:
        to.write(text[:30])
        to.flush()
        assert reader.more() == []
        to.write(text[30:])
    assert reader.more() == [line(2)]


def test_what_follows_late_below_a_line_keeps_its_turn_and_level(
    log: Path, reader: LogReader
) -> None:
    head, rest = as_text(line(1, turn="3f", level="ERROR")).split("\n", 1)
    log.write_text(f"{head}\n")
    reader.last(None)
    with log.open("a") as to:
        to.write(f"{rest}\n")
    [more] = reader.more()
    assert (more.turn, more.level, more.exception) == ("3f", "ERROR", TRACEBACK)


def test_rotations_are_followed_also_several_at_once(log: Path, reader: LogReader) -> None:
    write(log, line(1))
    reader.last(None)
    write(log, line(2))
    for number in (3, 4, 5):
        rotate(log)
        write(log, line(number))
    assert numbers(reader.more()) == [2, 3, 4, 5]
    rotate(log)
    assert reader.more() == []
    write(log, line(6))
    assert numbers(reader.more()) == [6]


def test_files_that_are_rewritten_give_what_was_not_read(log: Path, reader: LogReader) -> None:
    write(log, line(1), line(2, at=2), line(3, at=2))
    reader.last(None)
    lines = [line(1), line(3, at=2), line(4, at=2), line(5)]
    rewrite(log, "".join(f"{as_text(each)}\n" for each in lines).encode())
    assert numbers(reader.more()) == [4, 5]
    write(log, line(6))
    assert numbers(reader.more()) == [6]


def test_what_is_rewritten_and_rotated_is_read_on(log: Path, reader: LogReader) -> None:
    write(log, line(1), line(2))
    reader.last(None)
    write(log, line(3))
    rewrite(log.with_name("gaia.log.1"), f"{as_text(line(2))}\n{as_text(line(3))}\n".encode())
    log.unlink()
    write(log, line(4))
    assert numbers(reader.more()) == [3, 4]


def test_a_file_that_is_cut_short_is_read_on(log: Path, reader: LogReader) -> None:
    write(log, line(1), line(2), line(3))
    reader.last(None)
    log.write_text(f"{as_text(line(2))}\n{as_text(line(4))}\n")
    assert numbers(reader.more()) == [4]


def test_a_log_is_followed_as_it_is_written(log: Path, reader: LogReader) -> None:
    reader.last(None)
    following = follow(reader, log.parent)
    write(log, line(1))
    assert numbers(next(each for each in following if each)) == [1]
    rotate(log)
    write(log, line(2))
    assert numbers(next(each for each in following if each)) == [2]

"""Lines that are cut out of logs, also while somebody writes and files are rotated."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gaia.logs import PrivateFileHandler
from gaia.logs.line import Line, as_json
from gaia.ops.traces import cut_lines

SECRET = "blue pot"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """A log that this process writes, of at most 100 bytes a file."""
    file = tmp_path / "gaia.log"
    handler = PrivateFileHandler(file, maxBytes=100, backupCount=5, encoding="utf-8", delay=True)
    logging.getLogger().addHandler(handler)
    yield file
    logging.getLogger().removeHandler(handler)
    handler.close()


def written(folder: Path) -> str:
    return "".join(file.read_text() for file in sorted(folder.glob("gaia.log*"), reverse=True))


def test_what_says_it_goes_from_all_files_and_the_rest_stays(log: Path) -> None:
    for number in range(12):
        logging.warning("line %d %s", number, SECRET if number % 3 == 0 else "")
    assert cut_lines(log.parent, lambda line: SECRET in line) == 4
    logging.warning("and on")
    assert SECRET not in written(log.parent)
    numbers = [line.split()[1] for line in written(log.parent).splitlines()[:-1]]
    assert numbers == [str(number) for number in range(12) if number % 3]
    assert written(log.parent).splitlines()[-1] == "and on"
    assert log.stat().st_mode & 0o777 == 0o600


def test_what_is_written_while_lines_are_judged_is_judged_too(log: Path) -> None:
    logging.warning("first %s", SECRET)

    def says(line: str) -> bool:
        if line.startswith("first"):
            for number in range(4):
                logging.warning("meanwhile %d %s", number, SECRET * (number % 2))
        return SECRET in line

    assert cut_lines(log.parent, says) == 3
    assert [line.split()[1] for line in written(log.parent).splitlines()] == ["0", "2"]


def test_a_line_goes_with_what_is_below_it(tmp_path: Path) -> None:
    file = tmp_path / "gaia.log"
    file.write_text(f"first\n  of two\nfailed\n  Traceback\n  X: {SECRET}\nlast\n  of two\n")
    assert cut_lines(tmp_path, lambda line: SECRET in line) == 1
    assert file.read_text() == "first\n  of two\nlast\n  of two\n"


def test_what_json_writes_otherwise_is_found(tmp_path: Path) -> None:
    file = tmp_path / "gaia.log"
    at = datetime(2026, 11, 28, tzinfo=UTC)
    said = as_json(Line(at, "INFO", "gaia", None, 'the "blue"\npot'))
    kept = as_json(Line(at, "INFO", "gaia", None, "the green pot"))
    file.write_text(f"{said}\n{kept}\n")
    assert cut_lines(tmp_path, lambda line: '"blue"\npot' in line) == 1
    assert file.read_text() == f"{kept}\n"


def test_what_a_crash_left_of_an_earlier_cut_goes(tmp_path: Path) -> None:
    tmp_path.joinpath("gaia.log").write_text("fine\n")
    tmp_path.joinpath("gaia.log.partial").write_text(SECRET)
    assert cut_lines(tmp_path, lambda line: SECRET in line) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["gaia.log"]


def test_without_logs_there_is_nothing_to_cut(tmp_path: Path) -> None:
    assert cut_lines(tmp_path / "none", lambda line: True) == 0

"""`gaia logs`, as it is called."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.main import app
from gaia.logs.line import Line, as_json, as_text
from gaia.paths import Home

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    monkeypatch.setenv("GAIA_HOME", str(home.root))
    return home


def write(
    home: Home, *said: str, turn: str | None = None, level: str = "INFO", age: int = 0
) -> None:
    with (home.logs / "gaia.log").open("a") as to:
        for text in said:
            line = Line(NOW - timedelta(minutes=age), level, "gaia", turn, text)
            to.write(f"{(as_json if 'json' in text else as_text)(line)}\n")


def logs(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["logs", *arguments])


def said(*arguments: str) -> list[str]:
    result = logs(*arguments)
    assert result.exit_code == 0, result.output
    return [line.split(": ", 1)[1] for line in result.stdout.splitlines()]


def test_the_last_lines_are_shown_whatever_their_form(home: Home) -> None:
    write(home, *(f"line {number}" for number in range(60)), "and json")
    assert said() == [*(f"line {number}" for number in range(11, 60)), "and json"]
    assert said("-n", "2") == ["line 59", "and json"]


@pytest.mark.parametrize("turn", ["3f2a9c17d0", "3f2a", "(turn 3f2a9c17d0)", "[3f2a…]", "3F2A"])
def test_a_turn_is_shown_by_its_id_as_people_read_it(home: Home, turn: str) -> None:
    write(home, *(["mine"] * 60), turn="3f2a9c17d0")
    write(home, "other", turn="77aa00bb11")
    assert said("--turn", turn) == ["mine"] * 60


def test_lines_are_chosen_by_level_and_age(home: Home) -> None:
    write(home, "old", level="ERROR", age=90)
    write(home, "warned", level="WARNING", age=30)
    write(home, "new")
    assert said("--level", "warning") == ["old", "warned"]
    assert said("--since", "1h") == ["warned", "new"]
    assert said("--since", "1h15m", "--level", "ERROR") == []
    assert said("--since", (NOW - timedelta(minutes=1)).isoformat()) == ["new"]


@pytest.mark.parametrize("wrong", [("--since", "soon"), ("--turn", "a b"), ("--level", "loud")])
def test_what_cannot_be_understood_is_told(home: Home, wrong: tuple[str, str]) -> None:
    result = logs(*wrong)
    assert result.exit_code == 2
    assert wrong[1] in result.stderr


def test_json_is_an_object_a_line(home: Home) -> None:
    write(home, "plain", "as json", turn="3f2a")
    objects = [json.loads(line) for line in logs("--json").stdout.splitlines()]
    assert [each["message"] for each in objects] == ["plain", "as json"]
    assert [each["turn"] for each in objects] == ["3f2a", "3f2a"]


def test_without_a_line_that_is_told_apart_from_the_output(home: Home) -> None:
    result = logs("--json")
    assert result.stdout == ""
    assert str(home.logs) in result.stderr
    assert not (home.logs / "gaia.log").exists()


def test_a_log_is_followed_until_ctrl_c_which_is_no_failure_to_tell(home: Home) -> None:
    write(home, "before", level="ERROR")
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", "NO_COLOR": ""}
    with (
        subprocess.Popen(
            [sys.executable, "-m", "gaia", "logs", "-f"], stdout=theirs, stderr=theirs, env=environ
        ) as process,
        os.fdopen(ours, "r", errors="replace") as terminal,
        # Or a failure here would wait for its end.
        ExitStack() as ended,
    ):
        os.close(theirs)
        ended.callback(process.kill)
        assert "\x1b[31mERROR\x1b[0m   gaia: before" in terminal.readline()
        write(home, "after")
        assert "INFO    gaia: after" in terminal.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        with pytest.raises(OSError, match="Input/output"):
            assert terminal.read() == ""


def test_a_reader_that_has_seen_enough_ends_it_quietly(home: Home) -> None:
    write(home, "before")
    command = [sys.executable, "-m", "gaia", "logs", "-f"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        ExitStack() as ended,
    ):
        ended.callback(process.kill)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        write(home, "after")
        assert process.stderr.read() == b""
        assert process.wait() == 1


def test_a_home_that_has_not_logged_is_no_matter_of_what_was_asked(home: Home) -> None:
    assert "Nothing has been logged in" in logs().output
    assert "There is no such line in" in logs("--level", "error").output

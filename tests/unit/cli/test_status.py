"""`gaia status`, against what may answer on the control socket."""

from __future__ import annotations

import json
import os
import pwd
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gaia.cli import control, status
from gaia.cli.main import app
from gaia.cli.status import shown
from gaia.errors import GaiaError, HomeError, NotRunningError, StoreError, WireError
from gaia.ops.status_text import Line, Tone
from gaia.paths import Home

LONG = "the 24-hour window of WhatsApp is closed: what has not been sent waits until they write"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_script_is_told_of_a_home_that_is_not_there_and_of_settings_with_a_mistake(
    tmp_path: Path,
) -> None:
    root = tmp_path / "home"
    environment = {"GAIA_HOME": str(root)}
    told = CliRunner().invoke(app, ["status", "--json"], env=environment)
    assert json.loads(told.stdout)["running"] is False
    root.mkdir()
    (root / "gaia.yaml").write_text("database: {url: mysql://db/gaia}\n")
    told = CliRunner().invoke(app, ["status", "--json"], env=environment)
    assert "database.url" in json.loads(told.stdout)["fault"]


@contextmanager
def answering(home: Home, answer: bytes | None) -> Iterator[None]:
    """A socket that gives one answer, or none for as long as the block lasts."""
    over = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.control_socket))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                if answer is None:
                    over.wait()
                else:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        over.set()
        thread.join()


def http(code: int, body: str) -> bytes:
    return f"HTTP/1.1 {code} X\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (http(503, '{"error": "the disk is full"}'), StoreError, "the disk is full"),
        (http(503, "{}"), WireError, "same version"),
        (http(500, "Internal Server Error"), WireError, "same version"),
        (http(200, '{"version": "0.0"}'), WireError, "same version"),
        (http(200, "hello"), WireError, "same version"),
    ],
)
def test_each_answer_is_a_clear_message(
    home: Home, answer: bytes, error: type[GaiaError], said: str
) -> None:
    with answering(home, answer), pytest.raises(error, match=said):
        status.ask_status(home)


def test_a_daemon_that_does_not_answer_is_not_called_absent(home: Home) -> None:
    with answering(home, None), pytest.raises(NotRunningError, match=r"not answer within 0\.05 s"):
        status.ask_status(home, answer_seconds=0.05)


@pytest.fixture
def another_user(home: Home) -> Iterator[None]:
    """Somebody who may not enter the home."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    else:
        home.root.chmod(0)
    yield
    if is_root:
        os.seteuid(0)
    home.root.chmod(0o700)


@pytest.mark.usefixtures("another_user")
def test_the_gaia_of_another_user_is_not_called_absent(home: Home) -> None:
    with pytest.raises(HomeError, match=r"Permission denied\): run this as the user"):
        status.ask_status(home)
    with pytest.raises(HomeError, match="run this as the user"):
        control.is_served(home)
    assert not control.wake(home)


def told(*lines: Line, width: int = 80, is_coloured: bool = False) -> list[str]:
    return shown(lines, width=width, is_coloured=is_coloured).splitlines()


def test_subjects_and_names_stand_in_columns() -> None:
    assert told(
        Line("home", "/home/ada"),
        Line("channels", "works", name="terminal"),
        Line("channels", "works", name="sms"),
        Line("outbox", "1 waiting"),
        Line("outbox", "1 waits: x"),
    ) == [
        "home       /home/ada",
        "channels   terminal  works",
        "           sms       works",
        "outbox     1 waiting",
        "           1 waits: x",
    ]


def test_long_lines_go_on_below_and_fit_the_terminal() -> None:
    lines = told(Line("outbox", LONG), Line("channels", LONG, name="whatsapp"))
    assert lines == [
        "outbox     the 24-hour window of WhatsApp is closed: what has not been sent",
        "             waits until they write",
        "channels   whatsapp  the 24-hour window of WhatsApp is closed: what has not been",
        "                       sent waits until they write",
    ]
    assert max(map(len, lines)) <= 80


def test_columns_within_a_text_stay() -> None:
    assert told(Line("today", " 3 calls      45 tokens", name="bob")) == [
        "today      bob   3 calls      45 tokens"
    ]


def test_only_what_is_wrong_is_coloured_and_columns_stay() -> None:
    lines = (
        Line("home", "/home/ada"),
        Line("inbox", "2 unanswered", Tone.WARNING),
        Line("channels", "does not work", Tone.BAD, "telegram"),
    )
    plain = told(*lines)
    assert not any("\x1b" in line for line in plain)
    assert told(*lines, is_coloured=True) == [
        plain[0],
        "inbox      \x1b[33m2 unanswered\x1b[0m",
        "channels   telegram  \x1b[31mdoes not work\x1b[0m",
    ]


def test_nothing_that_a_terminal_obeys_is_shown_and_long_names_are_cut() -> None:
    assert told(Line("today", "a\x1b[2Jb", name="\x9b31m" + "x" * 30)) == [
        f"today      {'x' * 19}…  ab"
    ]

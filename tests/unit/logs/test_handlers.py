"""Logging as the settings have it, and again when they change."""

from __future__ import annotations

import json
import logging
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from gaia import logs
from gaia.logs.handlers import log_files
from gaia.settings.schema import LoggingSettings

logger = logging.getLogger("gaia")

PROGRAM = """
import sys, threading
from pathlib import Path
from gaia import logs
from gaia.logs.handlers import log_uncaught
from gaia.settings.schema import LoggingSettings

logs.configure(LoggingSettings(), Path(sys.argv[1]), ["opensesame"], to_terminal=True)
log_uncaught()

class Last:
    def __del__(self):
        raise ValueError("opensesame in __del__")

def fail():
    raise ValueError("opensesame in a thread")

thread = threading.Thread(target=fail, name="worker")
thread.start()
thread.join()
Last()
raise ValueError("opensesame in the program")
"""


def configure(folder: Path, *secrets: str, **settings: object) -> None:
    logs.configure(LoggingSettings.model_validate(settings), folder, secrets, to_terminal=False)


def written(folder: Path) -> str:
    return "".join(file.read_text() for file in log_files(folder))


def test_a_full_disk_costs_lines_and_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gaia.log").symlink_to("/dev/full")
    configure(tmp_path)
    logger.warning("nobody reads this")
    assert capsys.readouterr().err == ""
    for handler in logging.getLogger().handlers[:]:
        with suppress(OSError):
            handler.close()


def test_log_files_are_private_and_hold_no_secret(tmp_path: Path) -> None:
    configure(tmp_path, "opensesame")
    logger.warning("asked with %s", "opensesame")
    file = tmp_path / "gaia.log"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "asked with [redacted]" in file.read_text()


def test_half_a_character_costs_no_line(tmp_path: Path) -> None:
    for form in ("text", "json"):
        configure(tmp_path, format=form)
        logger.warning("file \udcff.txt")
    text, as_json = written(tmp_path).splitlines()
    assert text.endswith("file \\udcff.txt")
    assert json.loads(as_json)["message"] == "file \udcff.txt"


def test_new_settings_and_secrets_count_from_the_next_line_on(tmp_path: Path) -> None:
    configure(tmp_path)
    logger.info("opensesame")
    logger.debug("not this")
    configure(tmp_path, "opensesame", level="DEBUG", format="json")
    logger.debug("opensesame")
    configure(tmp_path, level="ERROR")
    logger.warning("not this")
    logging.getLogger("httpx").warning("nor this")
    first, second = written(tmp_path).splitlines()
    assert first.endswith("gaia: opensesame")
    assert json.loads(second)["message"] == "[redacted]"


def test_the_file_that_settings_replaced_is_closed(tmp_path: Path) -> None:
    configure(tmp_path)
    logger.info("one")
    [before] = logging.getLogger().handlers
    assert isinstance(before, logs.PrivateFileHandler)
    configure(tmp_path)
    assert before.stream is None


def test_no_line_is_lost_while_settings_change(tmp_path: Path) -> None:
    configure(tmp_path)
    start = threading.Barrier(3)

    def say(name: str) -> None:
        start.wait()
        for number in range(200):
            logger.info("%s-%d", name, number)

    threads = [threading.Thread(target=say, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    start.wait()
    while any(thread.is_alive() for thread in threads):
        configure(tmp_path)
    said = [line.rsplit(maxsplit=1)[-1] for line in written(tmp_path).splitlines()]
    assert sorted(said) == sorted(f"{name}-{number}" for name in "ab" for number in range(200))


def test_fewer_files_are_kept_once_the_settings_say_so(tmp_path: Path) -> None:
    for number in range(1, 9):
        (tmp_path / f"gaia.log.{number}").write_text(f"{number}\n")
    (tmp_path / "gaia.log").write_bytes(b"0" * 1_000_000)
    configure(tmp_path, file_megabytes=1, files_kept=3)
    logger.warning("and on")
    assert [file.name for file in log_files(tmp_path)] == [
        "gaia.log.3",
        "gaia.log.2",
        "gaia.log.1",
        "gaia.log",
    ]
    assert (tmp_path / "gaia.log.3").read_text() == "2\n"


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("logs")
    program = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder], capture_output=True, text=True, check=False
    )
    assert program.returncode == 1
    return (folder / "gaia.log").read_text(), program.stderr


def test_what_nobody_caught_is_logged_without_secrets(ended: tuple[str, str]) -> None:
    for text in ended:
        for place in ("in a thread", "in __del__", "in the program"):
            assert f"ValueError: [redacted] {place}" in text
        assert "opensesame" not in text


def test_the_line_says_which_thread_failed(ended: tuple[str, str]) -> None:
    assert "thread worker failed" in ended[0]

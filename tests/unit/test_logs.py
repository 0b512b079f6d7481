from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gaia import logs
from gaia.settings.schema import LoggingSettings


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(capture=False)


def test_a_full_disk_costs_lines_and_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gaia.log").symlink_to("/dev/full")
    logs.configure(LoggingSettings(), tmp_path, [], to_terminal=False)
    logging.getLogger("gaia").warning("nobody reads this")
    assert capsys.readouterr().err == ""
    for handler in logging.getLogger().handlers[:]:
        with suppress(OSError):
            handler.close()


def test_log_files_are_private_and_hold_no_secret(tmp_path: Path) -> None:
    logs.configure(LoggingSettings(), tmp_path, ["opensesame"], to_terminal=False)
    logging.getLogger("gaia").warning("asked with %s", "opensesame")
    file = tmp_path / "gaia.log"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "asked with [redacted]" in file.read_text()

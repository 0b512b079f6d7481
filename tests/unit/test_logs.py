from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
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


def test_log_files_are_private_and_hold_no_secret(tmp_path: Path) -> None:
    logs.configure(LoggingSettings(), tmp_path, ["opensesame"], to_terminal=False)
    logging.getLogger("gaia").warning("asked with %s", "opensesame")
    file = tmp_path / "gaia.log"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "asked with [redacted]" in file.read_text()

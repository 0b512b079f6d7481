"""Where the control socket lies."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from gaia.paths import SHARED_FOLDER, Home


def test_the_socket_of_a_long_home_is_where_every_process_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    socket = Home(tmp_path / ("x" * 100)).control_socket
    assert socket.parent == SHARED_FOLDER / f"gaia-{os.getuid()}"

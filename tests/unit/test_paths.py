"""A home's folders, and where its control socket lies."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from gaia import paths
from gaia.errors import HomeError
from gaia.paths import SHARED_FOLDER, Home


def test_the_socket_of_a_long_home_is_where_every_process_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    socket = Home(tmp_path / ("x" * 100)).control_socket
    assert socket.parent == SHARED_FOLDER / f"gaia-{os.getuid()}"


def test_a_folder_of_somebody_else_s_is_not_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "SHARED_FOLDER", tmp_path)
    (tmp_path / f"gaia-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"gaia-{os.getuid()}").chmod(0o777)
    with pytest.raises(HomeError, match="is not private to this user"):
        Home(tmp_path / ("x" * 100)).control_socket  # noqa: B018


def test_what_keeps_a_home_from_being_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "logs").touch()
    with pytest.raises(HomeError, match=f"'{tmp_path}/logs' is not a folder: move what is there"):
        Home(tmp_path).create()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(HomeError, match=r"/loop/home' cannot be made .* symbolic links"):
        Home(tmp_path / "loop" / "home").create()

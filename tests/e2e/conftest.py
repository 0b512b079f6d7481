"""Homes, users and daemons for the tests that run gaia as a user would: as a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.paths import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home

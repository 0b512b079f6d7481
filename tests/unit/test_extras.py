"""The line that installs an extra, for the environment that gaia runs in."""

from __future__ import annotations

import shlex
import sys

import pytest

from gaia.extras import LOCAL, Extra


def test_the_line_is_for_this_environment_and_a_shell_reads_it_as_one_wish() -> None:
    assert shlex.split(LOCAL.install_line) == [
        *(sys.executable, "-m", "pip", "install"),
        "gaia-assistant[local]",
    ]


def test_an_environment_without_pip_gets_another_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    assert shlex.split(LOCAL.install_line) == [
        *("uv", "pip", "install", "--python", sys.executable),
        "gaia-assistant[local]",
    ]


def test_what_cannot_be_imported_is_not_installed() -> None:
    assert Extra("any", "json").is_installed
    assert not Extra("any", "no_such_package_at_all").is_installed

"""Tests cannot reach past this machine, nor into the home of who runs them."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from gaia.paths import find_home


def test_a_connection_to_another_machine_is_refused() -> None:
    with (
        socket.socket() as outside,
        pytest.raises((RuntimeError, UserWarning), match=r"tried to use socket"),
    ):
        outside.connect(("192.0.2.1", 80))


def test_a_connection_to_this_machine_is_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as inside:
        inside.connect(server.getsockname())


def test_the_home_is_not_that_of_who_runs_the_tests() -> None:
    assert not find_home().root.is_relative_to(Path.home() / ".gaia")


def test_no_key_of_who_runs_the_tests_is_seen() -> None:
    assert [name for name in os.environ if name.endswith("_API_KEY")] == []

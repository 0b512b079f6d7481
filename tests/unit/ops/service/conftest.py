"""A socket that a service manager would listen on."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaia.testing.clock import FakeClock


class NotifySocket:
    """Takes what is told, a list of lines a message."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)

    def told(self) -> list[list[str]]:
        """What was told since the last time."""
        messages = []
        while True:
            try:
                messages.append(self._socket.recv(4096).decode().split("\n"))
            except BlockingIOError:
                return messages

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["path", "abstract"])
def any_socket(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NotifySocket]:
    path = str(tmp_path / "notify")
    listener = NotifySocket(path if request.param == "path" else f"@{path}")
    yield listener
    listener.close()


@pytest.fixture
def notify_socket(tmp_path: Path) -> Iterator[NotifySocket]:
    listener = NotifySocket(str(tmp_path / "notify"))
    yield listener
    listener.close()

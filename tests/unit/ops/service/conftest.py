"""A socket that a service manager would listen on."""

from __future__ import annotations

import os
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


SYSTEMCTL = """\
#!/bin/sh
# Writes down how it was called, and answers as the files beside it say.
here=$(dirname "$0")
echo "$(basename "$0") $*" >>"$here/calls"
case "$*" in
*is-system-running) cat "$here/running" ;;
*show*) cat "$here/shown" ;;
*"$(cat "$here/failing")"*) echo "it is of no use" >&2; exit 1 ;;
esac
"""


class Tools:
    """A `systemctl` and a `loginctl` that write down how they are called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("systemctl", "loginctl"):
            (folder / name).write_text(SYSTEMCTL)
            (folder / name).chmod(0o755)
        self.running("running")
        self.shown("")
        self.fail_at("(nothing)")

    def running(self, state: str) -> None:
        (self._folder / "running").write_text(state)

    def shown(self, properties: str) -> None:
        (self._folder / "shown").write_text(properties)

    def fail_at(self, words: str) -> None:
        (self._folder / "failing").write_text(words)

    def calls(self) -> list[str]:
        """What they were asked to change since the last time."""
        file = self._folder / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.write_text("")
        return [line for line in lines if "is-system-running" not in line and "show" not in line]


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """They come first on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return Tools(folder)

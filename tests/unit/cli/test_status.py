"""`gaia status`, against what may answer on the control socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gaia.cli import status
from gaia.errors import GaiaError, NotRunningError, StoreError, WireError
from gaia.paths import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@contextmanager
def answering(home: Home, answer: bytes | None) -> Iterator[None]:
    """A socket that gives one answer, or none for as long as the block lasts."""
    over = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.control_socket))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                if answer is None:
                    over.wait()
                else:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        over.set()
        thread.join()


def http(code: int, body: str) -> bytes:
    return f"HTTP/1.1 {code} X\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (http(503, '{"error": "the disk is full"}'), StoreError, "the disk is full"),
        (http(503, "{}"), WireError, "same version"),
        (http(500, "Internal Server Error"), WireError, "same version"),
        (http(200, '{"version": "0.0"}'), WireError, "same version"),
        (http(200, "hello"), WireError, "same version"),
    ],
)
def test_each_answer_is_a_clear_message(
    home: Home, answer: bytes, error: type[GaiaError], said: str
) -> None:
    with answering(home, answer), pytest.raises(error, match=said):
        status.ask_status(home)


def test_a_daemon_that_does_not_answer_is_not_called_absent(home: Home) -> None:
    with answering(home, None), pytest.raises(NotRunningError, match=r"not answer within 0\.05 s"):
        status.ask_status(home, answer_seconds=0.05)

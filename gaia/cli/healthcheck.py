"""`python -m gaia.cli.healthcheck`: ends with 0 while gaia serves its channels and its store,
and with 1 otherwise, with the cause in a line.

For containers, which ask every minute: it imports next to nothing, and asks by the control
socket, which is there whatever the settings say of ports.
"""

from __future__ import annotations

import json
import socket
import sys
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path

from gaia.paths import find_home

ANSWER_SECONDS = 10.0


class UnixConnection(HTTPConnection):
    """A connection to a socket of this machine."""

    def __init__(self, path: Path) -> None:
        super().__init__("gaia", timeout=ANSWER_SECONDS)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(ANSWER_SECONDS)
        self.sock.connect(str(self._path))


def main() -> int:
    """Ask once."""
    connection = UnixConnection(find_home().control_socket)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        told = _told(answer)
    except (OSError, HTTPException, ValueError, TypeError, KeyError) as exc:
        sys.stdout.write(f"gaia does not answer: {type(exc).__name__}\n")
        return 1
    finally:
        connection.close()
    sys.stdout.write(f"{told}\n")
    return 0 if answer.status == 200 else 1


def _told(answer: HTTPResponse) -> str:
    told = json.loads(answer.read())
    causes = [f"{part}: {cause}" for part, cause in told["degraded"].items()]
    return "; ".join([told["status"], *causes])


if __name__ == "__main__":
    sys.exit(main())

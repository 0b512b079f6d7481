"""`python -m gaia.cli.healthcheck`: ends with 0 while gaia serves its channels and its store,
and with 1 otherwise, with the cause in a line.

For containers, which ask every minute: it imports next to nothing, and asks by the control
socket, which is there whatever the settings say of ports.
"""

from __future__ import annotations

import json
import sys
from http.client import HTTPException, HTTPResponse

from gaia.cli.control import UnixConnection
from gaia.errors import HomeError
from gaia.paths import find_home

ANSWER_SECONDS = 10.0


def main() -> int:
    """Ask once."""
    try:
        home = find_home()
    except HomeError as exc:
        sys.stdout.write(f"{exc}\n")
        return 1
    connection = UnixConnection(home.control_socket, ANSWER_SECONDS)
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

"""What the daemon of a home tells on its control socket."""

from __future__ import annotations

import socket
from typing import Any

import httpx

from gaia.paths import Home

PATIENCE_SECONDS = 20.0


def asks(home: Home, path: str) -> dict[str, Any]:
    """What the daemon answers to a GET, as JSON."""
    transport = httpx.HTTPTransport(uds=str(home.control_socket))
    with httpx.Client(transport=transport, timeout=PATIENCE_SECONDS) as client:
        return dict(client.get(f"http://gaia{path}").json())


def is_ready(home: Home) -> bool:
    """Whether a daemon serves the home, and has taken up what an earlier one left."""
    with socket.socket(socket.AF_UNIX) as knocking:
        if knocking.connect_ex(str(home.control_socket)) != 0:
            return False
    return bool(asks(home, "/readyz")["ready"])

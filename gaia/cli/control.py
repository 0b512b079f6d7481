"""Asks the daemon that may run in a home, over its control socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gaia.paths import Home

WAKE_SECONDS = 5.0


def is_served(home: Home) -> bool:
    """Whether somebody listens on the control socket: a daemon that ended leaves it behind."""
    import socket

    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(WAKE_SECONDS)
        try:
            probe.connect(str(home.control_socket))
        except OSError:
            return False
    return True


def wake(home: Home) -> bool:
    """Have a running daemon look at once for what this process wrote into its queues.

    False when none runs, or it is too busy to say so: it finds the work at its
    next start, or when something else wakes that conversation.
    """
    if not is_served(home):
        return False
    import httpx

    transport = httpx.HTTPTransport(uds=str(home.control_socket))
    try:
        with httpx.Client(transport=transport, timeout=WAKE_SECONDS) as client:
            return client.post("http://gaia/local/wake").is_success
    except httpx.TransportError:
        return False

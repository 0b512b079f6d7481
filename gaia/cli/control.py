"""Asks the daemon that may run in a home, over its control socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

    from gaia.paths import Home

WAKE_SECONDS = 5.0
CONNECT_SECONDS = 5.0


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


@contextmanager
def asking(
    home: Home, path: str, body: str, read_seconds: float | None
) -> Iterator[httpx.Response]:
    """The answer of a running daemon to what is posted to `path`, to be read as it comes.

    Raises:
        NotRunningError: None runs, or it does not answer.
        WireError: It is of another version.
    """
    import httpx

    from gaia.errors import NotRunningError, WireError

    not_running = NotRunningError(
        f"gaia does not run in {str(home.root)!r}, or does not answer: start it with 'gaia serve'"
    )
    if not is_served(home):
        raise not_running
    transport = httpx.HTTPTransport(uds=str(home.control_socket))
    timeout = httpx.Timeout(CONNECT_SECONDS, read=read_seconds)
    try:
        with (
            httpx.Client(transport=transport, timeout=timeout) as client,
            client.stream("POST", f"http://gaia{path}", content=body) as answer,
        ):
            if answer.is_error:
                answer.read()
                answer.raise_for_status()
            yield answer
    except httpx.TransportError as exc:
        raise not_running from exc
    except (httpx.HTTPStatusError, ValueError) as exc:
        raise WireError(
            f"the gaia that runs in {str(home.root)!r} gave an answer that this one does not "
            "understand: restart it, so that both are of the same version"
        ) from exc

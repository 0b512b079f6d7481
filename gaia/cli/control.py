"""Asks the daemon that may run in a home, over its control socket.

By the standard library's client: another would be most of what a command has to import.
"""

from __future__ import annotations

import errno
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import TYPE_CHECKING, NoReturn, TypeVar

from gaia.errors import AnswerError, HomeError, NotRunningError, StoreError, WireError

if TYPE_CHECKING:
    from pathlib import Path

    from gaia.ops.report import Report
    from gaia.paths import Home

R = TypeVar("R", bound="Report")

WAKE_SECONDS = 5.0
OF_OUTPUT = frozenset({errno.EPIPE, errno.ENOSPC})
"""What goes wrong with what this process prints while it reads an answer."""


class UnixConnection(HTTPConnection):
    """A connection to a socket of this machine."""

    def __init__(self, path: Path, seconds: float | None) -> None:
        super().__init__("gaia", timeout=seconds)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def is_served(home: Home) -> bool:
    """Whether somebody listens on the control socket: a daemon that was killed leaves it behind.

    Raises:
        HomeError: This user may not ask.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(WAKE_SECONDS)
        try:
            probe.connect(str(home.control_socket))
        except PermissionError as exc:
            raise _of_another(home, exc) from exc
        except OSError:
            return False
    return True


def wake(home: Home) -> bool:
    """Have a running daemon look at once for what this process wrote into its queues.

    False when none runs, or it is too busy to say so: it finds the work at its
    next start, or when something else wakes that conversation.
    """
    try:
        with asking(home, "/local/wake", "", WAKE_SECONDS):
            return True
    except (HomeError, NotRunningError, StoreError, WireError):
        return False


def ask(home: Home, path: str, body: str | None, seconds: float, report: type[R]) -> R:
    """The answer of a running daemon, which is a `report`; see `asking`."""
    with asking(home, path, body, seconds) as answer:
        return report.model_validate_json(answer.read())


def steps(home: Home, path: str, body: str, report: type[R]) -> Iterator[R]:
    """What a running daemon tells of some work, a `report` a step, as they come; see `asking`."""
    with asking(home, path, body, None) as answer:
        for line in answer:
            yield report.model_validate_json(line)


@contextmanager
def asking(
    home: Home, path: str, body: str | None, seconds: float | None
) -> Iterator[HTTPResponse]:
    """The answer of a running daemon to what is posted to `path`, to be read as it comes;
    without a body, to what is got from there. `seconds` is how long it may be silent.

    Raises:
        NotRunningError: None runs, or it does not answer.
        HomeError: This user may not ask it.
        StoreError: It cannot read its database.
        AnswerError: It refuses what is asked for.
        WireError: It is of another version.
    """
    connection = UnixConnection(home.control_socket, seconds)
    try:
        _send(connection, path, body)
        answer = connection.getresponse()
        if answer.status >= 400:
            _refuse(answer)
        yield answer
    except PermissionError as exc:
        raise _of_another(home, exc) from exc
    except TimeoutError as exc:
        raise NotRunningError(
            f"gaia in {str(home.root)!r} did not answer within {seconds:g} s: "
            "try again, and restart it if that does not help"
        ) from exc
    except (OSError, HTTPException) as exc:
        if isinstance(exc, OSError) and exc.errno in OF_OUTPUT:
            raise
        raise NotRunningError(
            f"gaia does not run in {str(home.root)!r}, or does not answer: "
            "start it with 'gaia serve'"
        ) from exc
    except (KeyError, TypeError, ValueError) as exc:
        raise WireError(
            f"the gaia that runs in {str(home.root)!r} gave an answer that this one does not "
            "understand: restart it, so that both are of the same version"
        ) from exc
    finally:
        connection.close()


def _of_another(home: Home, exc: PermissionError) -> HomeError:
    return HomeError(
        f"this user may not ask the gaia of {str(home.root)!r} ({exc.strerror}): run this as the "
        "user that runs gaia, or set GAIA_HOME to a home of this one"
    )


def _send(connection: UnixConnection, path: str, body: str | None) -> None:
    try:
        connection.request("GET" if body is None else "POST", path, body and body.encode())
    except BrokenPipeError as exc:
        raise ConnectionResetError(*exc.args) from exc


def _refuse(answer: HTTPResponse) -> NoReturn:
    told = json.loads(answer.read())
    if answer.status == 422:
        raise AnswerError(told["error"], told["exit_code"])
    if answer.status == 503:
        raise StoreError(told["error"])
    raise ValueError(f"status {answer.status}")

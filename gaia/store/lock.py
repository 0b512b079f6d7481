"""One daemon a home: a lock that the system releases when its holder dies.

The file stays when the lock is gone; only the lock on it counts. It is not
inherited by programs that the daemon starts, but it is by a bare `fork`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime, timedelta
from types import TracebackType

from gaia.errors import AlreadyRunningError, HomeError
from gaia.files import lock
from gaia.paths import Home
from gaia.store.sqlite.presence import lock_difference

SERVED = "served\n"

RECENT = timedelta(minutes=5)
"""A service that died is waited for if something of it was written so lately."""


def died_while_serving(home: Home, now: datetime) -> bool:
    """Whether the last who had the home was a service that did not end by itself, and that
    ran within minutes."""
    try:
        if not home.lock_file.read_text(errors="replace").endswith(SERVED):
            return False
    except OSError:
        return False
    database = home.database
    wal, log = database.with_name(f"{database.name}-wal"), home.logs / "gaia.log"
    files = (home.lock_file, database, wal, log)
    written = [file.stat().st_mtime for file in files if file.exists()]
    return now.timestamp() - max(written) < RECENT.total_seconds()


def is_held(home: Home) -> bool:
    """Whether somebody has the lock of a home: its daemon, be it deaf or busy. Whoever asks has
    it for a moment if nobody else does."""
    if not home.lock_file.exists():
        return False
    try:
        os.close(lock(home.lock_file))
    except BlockingIOError:
        return True
    return False


class DaemonLock:
    """The lock of a home, held from `acquire` to `release`, or within a `with` block. One that
    is `served` says so in the file, until it is released by itself: where it still does, the
    service died, and comes back."""

    def __init__(self, home: Home, *, served: bool = False) -> None:
        self._home = home
        self._served = served
        self._fd: int | None = None

    def acquire(self) -> None:
        """Take the lock at once, and write this process's id into the file.

        Raises:
            AlreadyRunningError: Another daemon holds it.
            HomeError: The file cannot be written.
        """
        path = self._home.lock_file
        try:
            fd = lock(path)
        except BlockingIOError as exc:
            pid = path.read_text(errors="replace").partition("\n")[0].strip() or "unknown"
            raise AlreadyRunningError(
                f"gaia runs already in {str(self._home.root)!r} (process {pid}): "
                "stop that one first, or set GAIA_HOME to another folder"
            ) from exc
        except OSError as exc:
            raise self._untaken(exc) from exc
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n{SERVED if self._served else ''}".encode(), 0)
        except OSError as exc:
            os.close(fd)
            raise self._untaken(exc) from exc
        self._fd = fd

    def release(self) -> None:
        """Give the lock back. Does nothing when it is not held."""
        if self._fd is not None:
            if self._served:
                with suppress(OSError):
                    os.ftruncate(self._fd, len(f"{os.getpid()}\n"))
            os.close(self._fd)
            self._fd = None

    def problem(self) -> str:
        """Why the lock no longer keeps another daemon out; empty if it does."""
        return "" if self._fd is None else lock_difference(self._home.lock_file, self._fd)

    def __enter__(self) -> DaemonLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def _untaken(self, exc: OSError) -> HomeError:
        return HomeError(
            f"the lock {str(self._home.lock_file)!r} cannot be taken ({exc.strerror}): make the "
            "home writable by this user, free some space, or set GAIA_HOME to another folder on "
            "a local disk"
        )

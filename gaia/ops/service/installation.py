"""This installation of gaia, as a unit has to run it."""

from __future__ import annotations

import os
import pwd
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import gaia
from gaia.errors import ServiceError
from gaia.ops.service.unit import Scope, Unit
from gaia.paths import Home
from gaia.settings.schema import Settings

HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
"""What systemd hides from a service that is not to see people's files."""


def command_here() -> Sequence[str]:
    """The command that is gaia, by its whole path."""
    script = Path(sys.executable).with_name("gaia")
    if os.access(script, os.X_OK):
        return [str(script)]
    return [sys.executable, "-m", "gaia"]


def home_of(user: str) -> Home:
    """Where the gaia of a user is, unless GAIA_HOME says otherwise.

    Raises:
        ServiceError: There is no such user, or gaia should not run as that one.
    """
    try:
        entry = pwd.getpwnam(user)
    except KeyError as exc:
        raise ServiceError(
            f"there is no user {user!r} on this machine: make one, for instance by "
            f"'useradd --system --create-home {user}'"
        ) from exc
    if entry.pw_uid == 0:
        raise ServiceError(
            "gaia is not run as root, who may do more than an assistant should: name another "
            "user by --run-as"
        )
    return Home(Path(entry.pw_dir) / ".gaia")


def user_unit(home: Home, settings: Settings) -> Unit:
    """The unit of this user's own service manager."""
    return Unit(
        scope=Scope.USER,
        command=command_here(),
        drain_seconds=settings.limits.drain_seconds,
        home=None if home.root == Path.home() / ".gaia" else home.root,
    )


def system_unit(home: Home, settings: Settings, run_as: str) -> Unit:
    """The unit of the machine's service manager. It may write to gaia's home, and to where
    the settings want backups.

    Raises:
        ServiceError: There is no such user, or gaia should not run as that one.
    """
    writable = [home.root]
    if settings.backup.folder:
        backups = home.root / Path(settings.backup.folder).expanduser()
        writable += [] if backups.is_relative_to(home.root) else [backups]
    is_tmp_private = home.control_socket.is_relative_to(home.root)
    if not is_tmp_private:
        # Where the control socket is then, for other processes to find.
        writable.append(Path(tempfile.gettempdir()))
    return Unit(
        scope=Scope.SYSTEM,
        command=command_here(),
        drain_seconds=settings.limits.drain_seconds,
        home=None if home.root == home_of(run_as).root else home.root,
        run_as=run_as,
        writable=writable,
        is_tmp_private=is_tmp_private,
        hides_homes=not any(_is_in_homes(path) for path in (*writable, *_read())),
    )


def make_home(home: Home, user: str) -> None:
    """Make the home of a system service, private to its user, unless there is one.

    Raises:
        ServiceError: It cannot be made.
    """
    if home.root.exists():
        return
    try:
        home.root.mkdir(mode=0o700, parents=True)
        shutil.chown(home.root, user)
    except OSError as exc:
        raise ServiceError(
            f"gaia's home {str(home.root)!r} cannot be made ({exc.strerror}): make it, and "
            f"give it to {user!r}"
        ) from exc


def _read() -> Sequence[Path]:
    """What gaia itself is made of."""
    return [Path(sys.prefix), Path(sys.base_prefix), Path(gaia.__file__)]


def _is_in_homes(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in HOMES)

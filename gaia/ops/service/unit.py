"""The unit by which systemd runs gaia: its text, by what is different from one machine to
another.

There are two kinds. One of a user's own service manager may only have what needs no
privileges; one of the machine's is shut in as far as gaia can work at all.
`systemd/` has an example of each.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import gaia
from gaia.errors import ServiceError
from gaia.paths import SHARED_FOLDER, Home, expanded
from gaia.settings.schema import Settings

NAME = "gaia.service"
SIGNED = "# Written by gaia, and unchanged as long as its sum is "
SIGNATURE = re.compile(rf"{SIGNED}([0-9a-f]{{64}})\n")

ENDING_SECONDS = 20
"""What gaia takes to end, at most, beside the drain: connections, the model, the files."""

RUNNING = (
    "# 78: the configuration is wrong, which a restart does not mend. 3: another gaia has the",
    "# home, which passes.",
    "RestartPreventExitStatus=78",
    "# gaia tells that it works each 40 seconds, unless something has come to a standstill.",
    "WatchdogSec=120",
    "# What takes longer, such as a migration or a long drain, gaia asks for by itself.",
    "TimeoutStartSec=180",
)
BOUNDS = (
    "# Files and connections: gaia shares them out, so that nobody who holds on to many",
    "# connections keeps it from its database or its channels.",
    "LimitNOFILE=8192",
    "# The embedded model's process ends with gaia, and not before the turns that need it.",
    "KillMode=mixed",
    "# gaia with the embedded model takes 2.5 GB. If that process is killed for want of",
    "# memory, gaia goes on, and starts another.",
    "MemoryMax=4G",
    "OOMPolicy=continue",
)
UNPRIVILEGED = (
    "UMask=0077",
    "NoNewPrivileges=true",
    "LockPersonality=true",
    "RestrictRealtime=true",
    "RestrictSUIDSGID=true",
    "RestrictNamespaces=true",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
    "SystemCallFilter=~@privileged @resources",
    "SystemCallErrorNumber=EPERM",
)
PRIVILEGED = (
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "PrivateDevices=true",
    "PrivateMounts=true",
    "ProtectClock=true",
    "ProtectControlGroups=true",
    "ProtectHostname=true",
    "ProtectKernelLogs=true",
    "ProtectKernelModules=true",
    "ProtectKernelTunables=true",
    "ProtectProc=invisible",
    "RemoveIPC=true",
)

HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
"""What systemd hides from a service that is not to see people's files."""


class Scope(StrEnum):
    """Whose service manager runs gaia."""

    USER = "user"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit is made of. `run_as` is the user of a system unit; `home` is gaia's, None
    for the default of that user. `writable` are further folders that gaia writes to."""

    scope: Scope
    command: Sequence[str]
    drain_seconds: float
    home: Path | None = None
    run_as: str = ""
    writable: Sequence[Path] = ()
    is_tmp_private: bool = True
    hides_homes: bool = False

    @property
    def stop_seconds(self) -> int:
        """How long systemd waits for gaia to end."""
        return int(self.drain_seconds) + ENDING_SECONDS

    @property
    def text(self) -> str:
        """The unit file."""
        return "\n".join([*self._unit(), "", *self._service(), "", *self._install(), ""])

    @property
    def signed_text(self) -> str:
        """The unit file, with a first line that tells whether somebody has edited it."""
        return (
            f"# Written by gaia, and unchanged as long as its sum is {_sum(self.text)}\n{self.text}"
        )

    def _unit(self) -> Sequence[str]:
        network = ["After=network-online.target", "Wants=network-online.target"]
        return [
            "[Unit]",
            "Description=gaia, a personal assistant",
            *(network if self.scope is Scope.SYSTEM else ()),
            "# Five starts in five minutes, and it stays down until its owner looks.",
            "StartLimitIntervalSec=300",
            "StartLimitBurst=5",
        ]

    def _service(self) -> Sequence[str]:
        return [
            "[Service]",
            "Type=notify",
            "NotifyAccess=main",
            *([f"User={self.run_as}"] if self.scope is Scope.SYSTEM else ()),
            *([f"Environment={_quoted(f'GAIA_HOME={self.home}')}"] if self.home else ()),
            f"ExecStart={' '.join(_quoted(word, is_command=True) for word in self.command)} serve",
            "ExecReload=kill -HUP $MAINPID",
            "Restart=on-failure",
            "RestartSec=5",
            *RUNNING,
            f"TimeoutStopSec={self.stop_seconds}",
            *BOUNDS,
            *UNPRIVILEGED,
            *(self._confinement() if self.scope is Scope.SYSTEM else ()),
        ]

    def _confinement(self) -> Sequence[str]:
        return [
            *PRIVILEGED,
            f"PrivateTmp={'true' if self.is_tmp_private else 'false'}",
            f"ProtectHome={'true' if self.hides_homes else 'read-only'}",
            *(f"ReadWritePaths={_quoted(f'-{path}')}" for path in self.writable),
        ]

    def _install(self) -> Sequence[str]:
        target = "multi-user.target" if self.scope is Scope.SYSTEM else "default.target"
        return ["[Install]", f"WantedBy={target}"]


def is_as_written(text: str) -> bool:
    """Whether a unit file is as some version of gaia wrote it."""
    signature = SIGNATURE.match(text)
    return signature is not None and signature[1] == _sum(text[signature.end() :])


def value_of(text: str, key: str) -> str:
    """What stands behind the last `key=` of a unit file; empty if nothing does."""
    values = re.findall(rf"^{re.escape(key)}=(.*)$", text, re.MULTILINE)
    return values[-1].strip() if values else ""


def words_of(value: str) -> Sequence[str]:
    """The words of a value in a unit file, as gaia quotes them; one empty word if there is none."""
    try:
        words = shlex.split(value.replace("%%", "%").replace("$$", "$"))
    except ValueError:
        words = value.split()
    return words or [""]


def home_in(text: str, scope: Scope) -> Path:
    """The home of the gaia that a unit file starts; the root folder where its user is unknown."""
    for word in words_of(value_of(text, "Environment")):
        name, _, value = word.partition("=")
        if name == "GAIA_HOME":
            return Path(value)
    if scope is Scope.USER:
        return expanded("~/.gaia")
    try:
        return home_of(value_of(text, "User")).root
    except ServiceError:
        return Path("/")


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _quoted(word: str, *, is_command: bool = False) -> str:
    """A word as systemd reads it back: `%` begins a specifier, and `$` in a command a variable."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    if is_command:
        word = word.replace("$", "$$")
    return f'"{word}"' if re.search(r"[\s\"'\\;]", word) else word


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
        home=None if home.root == expanded("~/.gaia") else home.root,
    )


def system_unit(home: Home, settings: Settings, run_as: str) -> Unit:
    """The unit of the machine's service manager. It may write to gaia's home, and to where
    the settings want backups.

    Raises:
        ServiceError: There is no such user, or gaia should not run as that one.
    """
    writable = [home.root]
    if settings.backup.folder:
        backups = _as_seen_by(run_as, home, settings.backup.folder)
        writable += [] if backups.is_relative_to(home.root) else [backups]
    is_tmp_private = home.control_socket.is_relative_to(home.root)
    if not is_tmp_private:
        # Where the control socket is then, for other processes to find.
        writable.append(SHARED_FOLDER)
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


def _as_seen_by(user: str, home: Home, folder: str) -> Path:
    """A folder of the settings as the gaia of that user finds it, without any `..`."""
    begin, *rest = Path(folder).parts or (".",)
    if begin == "~":
        folder = str(Path(pwd.getpwnam(user).pw_dir, *rest))
    return Path(os.path.normpath(home.root / expanded(folder)))


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

"""Installs gaia's unit, removes it, and tells how it is, or whether it is about to be back. The
home is left alone by all of it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gaia.errors import ServiceError
from gaia.files import replacing
from gaia.ops.service.unit import NAME, Scope, Unit, home_in, is_as_written
from gaia.paths import Home, expanded
from gaia.store.lock import died_while_serving

SYSTEM_UNITS = Path("/etc/systemd/system")

RUNNING = {"initializing", "starting", "running", "degraded", "maintenance", "stopping"}
"""What `systemctl is-system-running` prints of a manager that can be asked."""

BACK_SOON = ("active", "activating", "reloading", "deactivating")
"""What systemd says of a service that runs, or is about to be started again."""

ANSWER_SECONDS = 30.0

START_SECONDS = 600.0
"""Until a service that has to migrate its database first is ready."""

LINGERING = Path("/var/lib/systemd/linger")


@dataclass(frozen=True, slots=True)
class Steps:
    """What was done, and what is left to the owner, as commands."""

    path: Path
    is_changed: bool
    by_hand: Sequence[str] = ()
    has_manager: bool = True
    """Whether systemd answered."""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """How the service is. What only a service manager that runs can tell is empty, or
    None, where none does."""

    scope: Scope
    path: Path
    is_installed: bool
    is_edited: bool
    has_manager: bool
    enabled: str = ""
    active: str = ""
    result: str = ""
    pid: int | None = None
    restarts: int | None = None
    lingers: bool | None = None

    @property
    def is_running(self) -> bool:
        """Whether gaia runs as this service, or is about to."""
        return self.active in ("active", "activating", "reloading")


class Service:
    """gaia under one service manager. `folder` is where its units are."""

    def __init__(self, scope: Scope, systemd: Systemd, folder: Path, *, user: str) -> None:
        self.scope = scope
        self.path = folder / NAME
        self._systemd = systemd
        self._user = user

    def written(self) -> str | None:
        """The unit file; None if there is none.

        Raises:
            ServiceError: It cannot be read.
        """
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeError) as exc:
            raise ServiceError(
                f"{str(self.path)!r} cannot be read ({type(exc).__name__}): move it away"
            ) from exc

    def install(self, unit: Unit, *, force: bool, starts: bool) -> Steps:
        """Write the unit, and have it run now and after each start of the machine. May be
        repeated; gaia starts again only if the unit has changed.

        Raises:
            ServiceError: The owner has edited the unit, or a step failed.
        """
        is_changed = self.written() != unit.signed_text
        if is_changed:
            self._keep_edited(force=force, what="install")
            _write(self.path, unit.signed_text)
        commands = [("daemon-reload",), ("enable", NAME)]
        if starts:
            commands.append(("restart" if is_changed else "start", NAME))
        if not self._systemd.is_there():
            by_hand = [" ".join(self._systemd.command(*words)) for words in commands]
            by_hand += self._lingering_by_hand()
            return Steps(self.path, is_changed, by_hand, has_manager=False)
        for words in commands:
            self._systemd.do(*words)
        has_linger = not self._needs_linger() or self._systemd.linger(self._user)
        return Steps(self.path, is_changed, () if has_linger else self._lingering_by_hand())

    def uninstall(self, *, force: bool) -> Steps:
        """Stop gaia, and remove the unit. May be repeated.

        Raises:
            ServiceError: The owner has edited the unit, or a step failed.
        """
        if self.written() is None:
            return Steps(self.path, is_changed=False)
        self._keep_edited(force=force, what="uninstall")
        has_manager = self._systemd.is_there()
        if has_manager:
            self._systemd.do("disable", "--now", NAME)
        try:
            self.path.unlink(missing_ok=True)
        except OSError as exc:
            raise ServiceError(_unwritable(self.path, exc)) from exc
        if has_manager:
            self._systemd.do("daemon-reload")
        by_hand = () if has_manager else (" ".join(self._systemd.command("daemon-reload")),)
        return Steps(self.path, is_changed=True, by_hand=by_hand, has_manager=has_manager)

    def state(self) -> ServiceState:
        """How it is.

        Raises:
            ServiceError: The unit cannot be read, or the manager asked.
        """
        text, has_manager = self.written(), self._systemd.is_there()
        asked = ("UnitFileState", "ActiveState", "Result", "MainPID", "NRestarts")
        told = self._systemd.properties(*asked) if has_manager else {}
        return ServiceState(
            scope=self.scope,
            path=self.path,
            is_installed=text is not None,
            is_edited=text is not None and not is_as_written(text),
            has_manager=has_manager,
            enabled=told.get("UnitFileState", ""),
            active=told.get("ActiveState", ""),
            result=told.get("Result", ""),
            pid=_number(told.get("MainPID", "")) or None,
            restarts=_number(told.get("NRestarts", "")),
            lingers=self._systemd.lingers(self._user) if self.scope is Scope.USER else None,
        )

    def is_back_soon(self, home: Home) -> bool:
        """Whether it runs the gaia of that home, or is about to.

        Raises:
            ServiceError: The unit cannot be read.
        """
        text = self.written()
        if text is None or home_in(text, self.scope) != home.root:
            return False
        try:
            return self._systemd.properties("ActiveState").get("ActiveState") in BACK_SOON
        except ServiceError:
            return False

    def _keep_edited(self, *, force: bool, what: str) -> None:
        text = self.written()
        if text is not None and not force and not is_as_written(text):
            raise ServiceError(
                f"{str(self.path)!r} was edited, or written by somebody else, and was left as "
                f"it is: 'gaia service {what} --force' does it all the same; changes of your "
                f"own are kept in a drop-in, by '{' '.join(self._systemd.command('edit', NAME))}'"
            )

    def _needs_linger(self) -> bool:
        return self.scope is Scope.USER and not self._systemd.lingers(self._user)

    def _lingering_by_hand(self) -> Sequence[str]:
        return [" ".join(lingering_command(self._user))] if self._needs_linger() else ()


def service_of(scope: Scope, environ: Mapping[str, str]) -> Service:
    """gaia under this user's service manager, or under the machine's."""
    configuration = environ.get("XDG_CONFIG_HOME") or expanded("~/.config")
    user_units = Path(configuration) / "systemd" / "user"
    folder = user_units if scope is Scope.USER else SYSTEM_UNITS
    return Service(scope, Systemd(scope), folder, user=user_name())


def comes_back(home: Home, environ: Mapping[str, str], now: datetime) -> bool:
    """Whether a service of this home is down for a moment, so that a chat waits for it instead of
    taking its place: it died within minutes, or systemd is about to start it again."""
    services = (service_of(scope, environ) for scope in Scope)
    return died_while_serving(home, now) or any(each.is_back_soon(home) for each in services)


def user_name() -> str:
    """What the user that runs this is called."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _write(path: Path, text: str) -> None:
    """Write all of it, or nothing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(text.encode())
        path.chmod(0o644)
    except OSError as exc:
        raise ServiceError(_unwritable(path, exc)) from exc


def _unwritable(path: Path, exc: OSError) -> str:
    return (
        f"{str(path)!r} cannot be changed ({exc.strerror}): make its folder writable by this "
        "user, or use root for a system unit"
    )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


class Systemd:
    """systemd, as the manager of the machine or of this user."""

    def __init__(self, scope: Scope, *, lingering: Path = LINGERING) -> None:
        self._scope = scope
        self._lingering = lingering

    def is_there(self) -> bool:
        """Whether it runs, and can be asked."""
        if shutil.which("systemctl") is None:
            return False
        told = _run(self.command("is-system-running"), ANSWER_SECONDS)
        return told.stdout.strip() in RUNNING

    def command(self, *words: str) -> Sequence[str]:
        """A command of systemctl's, to be run here or by hand."""
        return ["systemctl", *(["--user"] if self._scope is Scope.USER else ()), *words]

    def do(self, *words: str) -> None:
        """Have systemctl do something.

        Raises:
            ServiceError: It was not done.
        """
        command = self.command(*words)
        done = _run(command, START_SECONDS)
        if done.returncode:
            said = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
            raise ServiceError(f"'{' '.join(command)}' failed ({said}): {self._remedy()}")

    def properties(self, *names: str) -> Mapping[str, str]:
        """What is known of gaia's unit."""
        asked = self.command("show", NAME, f"--property={','.join(names)}")
        lines = _run(asked, ANSWER_SECONDS).stdout.splitlines()
        return {name: value for name, _, value in (line.partition("=") for line in lines)}

    def lingers(self, user: str) -> bool:
        """Whether the user's services go on while they are not logged in."""
        return (self._lingering / user).exists()

    def linger(self, user: str) -> bool:
        """Have them do so; whether that could be done."""
        command = lingering_command(user)
        return shutil.which(command[0]) is not None and not _run(command, ANSWER_SECONDS).returncode

    def _remedy(self) -> str:
        journal = "journalctl --user" if self._scope is Scope.USER else "journalctl"
        return f"'{journal} --unit {NAME}' tells why"


def lingering_command(user: str) -> Sequence[str]:
    """The command that has a user's services go on while they are not logged in."""
    return ["loginctl", "enable-linger", user]


def _run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise ServiceError(
            f"'{' '.join(command)}' came to no end ({type(exc).__name__}): run it by hand, "
            "and see what it says"
        ) from exc

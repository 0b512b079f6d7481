"""The machine's service manager, asked by `systemctl` and `loginctl`. Blocks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from gaia.errors import ServiceError
from gaia.ops.service.unit import NAME, Scope

RUNNING = {"initializing", "starting", "running", "degraded", "maintenance", "stopping"}
"""What `systemctl is-system-running` prints of a manager that can be asked."""

ANSWER_SECONDS = 30.0
START_SECONDS = 600.0
"""Until a service that has to migrate its database first is ready."""

LINGERING = Path("/var/lib/systemd/linger")


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

"""The unit by which systemd runs gaia: its text, by what is different from one machine to
another.

There are two kinds. One of a user's own service manager may only have what needs no
privileges; one of the machine's is shut in as far as gaia can work at all.
`systemd/` has an example of each.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

NAME = "gaia.service"

SIGNED = "# Written by gaia, and unchanged as long as its sum is "
SIGNATURE = re.compile(rf"{SIGNED}([0-9a-f]{{64}})\n")

ENDING_SECONDS = 20
"""What gaia takes to end, at most, beside the drain: connections, the model, the files."""


RUNNING = (
    "# 78: the configuration is wrong; 3: another gaia has the home. A restart mends neither.",
    "RestartPreventExitStatus=78 3",
    "# gaia tells that it works each 40 seconds, unless something has come to a standstill.",
    "WatchdogSec=120",
    "# What takes longer, such as a migration or a long drain, gaia asks for by itself.",
    "TimeoutStartSec=180",
)

BOUNDS = (
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


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _quoted(word: str, *, is_command: bool = False) -> str:
    """A word as systemd reads it back: `%` begins a specifier, and `$` in a command a variable."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    if is_command:
        word = word.replace("$", "$$")
    return f'"{word}"' if re.search(r"[\s\"'\\;]", word) else word

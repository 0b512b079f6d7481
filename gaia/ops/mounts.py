"""What the home's database lies on, where SQLite's write-ahead log is not safe: disks of other
machines, and folders that one system lends to another.

The log is memory that all processes share, and locks that all of them see: both end at the
machine. https://www.sqlite.org/wal.html, https://www.sqlite.org/howtocorrupt.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gaia.paths import Home
from gaia.store.location import in_file

MOUNTS = Path("/proc/self/mountinfo")
"""Linux's table of what this process sees; no other system has it."""

NETWORK = "a disk of another machine"
LENT = "a folder that another system lends to this one"
FUSE = "a file system that a program makes"

NETWORK_KINDS = frozenset(
    [
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "beegfs", "ceph", "cephfs", "coda"),
        *("davfs", "davfs2", "glusterfs", "gpfs", "lustre", "moosefs", "ncpfs", "orangefs"),
        *("rclone", "s3fs", "sshfs"),
    ]
)
LENT_KINDS = frozenset(
    [
        *("9p", "virtiofs", "fakeowner", "grpcfuse", "osxfs", "drvfs", "wslfs", "vboxsf"),
        *("vmhgfs", "vmhgfs-fuse", "prl_fs", "prl_fsd"),
    ]
)
"""Of virtual machines, of Docker Desktop and of WSL."""

LOCAL_FUSE = frozenset(
    ["fuse-overlayfs", "gocryptfs", "encfs", "cryfs", "securefs", "bindfs", "ntfs-3g"]
)
"""A program makes these of a disk of this machine, and the kernel keeps their pages."""

ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """A file system, and where it is mounted."""

    point: Path
    kind: str

    @property
    def unsafe(self) -> str:
        """What it is if SQLite's log is not safe there, empty otherwise."""
        name = self.kind.removeprefix("fuse.")
        if name in NETWORK_KINDS:
            return NETWORK
        if name in LENT_KINDS:
            return LENT
        is_fuse = name == "fuse" or name != self.kind
        return FUSE if is_fuse and name not in LOCAL_FUSE else ""


def mount_below(home: Home, table: Path = MOUNTS) -> Mount | None:
    """What the database lies on, None where that is not known, or is another's matter."""
    if not in_file(home):
        return None
    try:
        text = table.read_text(encoding="utf-8", errors="surrogateescape")
        return mount_of(home.database.resolve(), text)
    except (OSError, RuntimeError):
        return None


def problem(home: Home, mount: Mount | None) -> str:
    """What is wrong with where the database lies, empty when nothing is known to be."""
    if mount is None or not mount.unsafe:
        return ""
    return (
        f"{home.root} lies on {mount.unsafe} ({mount.kind} at {mount.point}), where SQLite's "
        "write-ahead log is not safe: gaia.db may be damaged"
    )


def remedy(home: Home) -> str:
    """What to do about it."""
    return (
        f"Stop gaia, move {home.root} to a disk of this machine and set GAIA_HOME to the new "
        "path; in a container, use a named volume and not a folder of the host."
    )


def mount_of(path: Path, table: str) -> Mount | None:
    """The mount that an absolute path without links lies on, by the text of a mountinfo; None
    where none is told."""
    over = [each for each in _mounts(table) if path.is_relative_to(each.point)]
    # Of those at the same place the last one hides the others.
    return max(reversed(over), key=lambda each: len(each.point.parts), default=None)


def _mounts(table: str) -> Iterator[Mount]:
    """Those of the table's lines, https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html."""
    for line in table.split("\n"):
        place, _, source = line.partition(" - ")
        fields, kind = place.split(" "), source.partition(" ")[0]
        if len(fields) > 4 and kind:
            yield Mount(Path(_unescaped(fields[4])), _unescaped(kind))


def _unescaped(field: str) -> str:
    """The field as it was before the kernel wrote it: bytes that would end it stand in octal."""
    return ESCAPE.sub(lambda found: chr(int(found[1], 8)), field)

"""An archive: its name, its manifest, how long one that gaia made is kept, and what is told while
one is made or read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gaia.errors import BackupError
from gaia.files import UNFINISHED
from gaia.paths import Home, expanded
from gaia.settings.schema import BackupSettings

SUFFIX = ".tar.gz"
ENCRYPTED_SUFFIX = ".tar.gz.age"
NAME = re.compile(
    r"gaia(?P<nightly>-nightly)?-"
    r"(?P<time>\d{4}-\d\d-\d\dT\d{6})\.(?P<thousandths>\d{3})Z"
    r"(?:-(?P<forgotten>[0-9a-f]{8}))?\.tar\.gz(?P<encrypted>\.age)?"
)
TIME_FORMAT = "%Y-%m-%dT%H%M%S"
ENCRYPTED_START = b"age-encryption.org/"
MANIFEST = "manifest.json"
MANIFEST_MAX_BYTES = 1_000_000


def is_encrypted(path: Path) -> bool:
    """Whether a file is encrypted, told from its beginning.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(ENCRYPTED_START)) == ENCRYPTED_START


@dataclass(frozen=True, slots=True)
class Archive:
    """A finished backup. What it holds is no older than `taken_at`; `is_nightly` says that
    gaia made it by itself. `forgotten` is the mark of the last that was forgotten before, empty
    where nothing was, or an older gaia made it: clocks are set, and cannot tell."""

    path: Path
    taken_at: datetime
    is_nightly: bool
    is_encrypted: bool
    size_bytes: int
    forgotten: str = ""


def archive_name(taken_at: datetime, *, nightly: bool, encrypted: bool, forgotten: str = "") -> str:
    """The name of an archive. Its time is exact to the thousandth of a second; what it tells can
    be read of an encrypted one, too."""
    at = taken_at.astimezone(UTC)
    time = f"{at:{TIME_FORMAT}}.{at.microsecond // 1000:03d}Z"
    suffix = ENCRYPTED_SUFFIX if encrypted else SUFFIX
    mark = f"-{forgotten}" if forgotten else ""
    return f"gaia{'-nightly' if nightly else ''}-{time}{mark}{suffix}"


def archives_in(folder: Path) -> Sequence[Archive]:
    """The archives in a folder under the names that gaia gives them, the oldest first; none
    where there is no folder.

    Raises:
        BackupError: It cannot be read.
    """
    try:
        found = [_archive(path) for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as exc:
        raise BackupError(
            f"{str(folder)!r} cannot be read ({exc.strerror}): run this as the user that runs "
            "gaia, mend its permissions, or set backup.folder to another one"
        ) from exc
    return sorted(filter(None, found), key=lambda archive: (archive.taken_at, archive.path.name))


def latest(archives: Sequence[Archive], now: datetime) -> Archive | None:
    """The newest of the archives, which are in order. One that was made while the clock was
    ahead is none while there are others."""
    past = [archive for archive in archives if archive.taken_at <= now]
    return (past or archives)[-1] if archives else None


def unfinished_in(folder: Path) -> Iterator[Path]:
    """What is left of archives that were never finished."""
    for path in folder.glob(f"*{UNFINISHED}"):
        if NAME.fullmatch(path.name.removesuffix(UNFINISHED)):
            yield path


def backup_folder(home: Home, settings: BackupSettings) -> Path:
    """Where backups are kept. A relative path counts from the home."""
    return home.root / expanded(settings.folder) if settings.folder else home.backups


def _archive(path: Path) -> Archive | None:
    match = NAME.fullmatch(path.name)
    if match is None or path.is_symlink() or not path.is_file():
        return None
    try:
        taken_at = datetime.strptime(match["time"], TIME_FORMAT).replace(
            microsecond=int(match["thousandths"]) * 1000, tzinfo=UTC
        )
    except ValueError:
        return None
    return Archive(
        path=path,
        taken_at=taken_at,
        is_nightly=match["nightly"] is not None,
        is_encrypted=match["encrypted"] is not None,
        size_bytes=path.stat().st_size,
        forgotten=match["forgotten"] or "",
    )


class FileEntry(BaseModel):
    """A file of the archive, as it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What an archive holds. `database` is what it is of, and `revision` is that of its tables;
    `while_running` says that gaia went on after it was taken; `with_secrets` that keys and tokens
    are inside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    gaia: str
    database: Literal["sqlite", "postgresql"] = "sqlite"
    revision: str
    taken_at: AwareDatetime
    while_running: bool
    with_secrets: bool
    files: tuple[FileEntry, ...]

    @property
    def size(self) -> int:
        """How many bytes all files have."""
        return sum(entry.size for entry in self.files)


def places(home: Home) -> Mapping[str, Path]:
    """All files that a backup can have, by their names in it, and where they lie in a home.

    Not the vector index: it is rebuilt from the ledger, and no process but the daemon may
    open it. Not logs, models, sockets, or other backups.
    """
    return {
        path.name: path
        for path in (
            home.database,
            home.dump,
            home.settings_file,
            home.last_good_settings_file,
            home.shared_settings_file,
            home.exports_file,
            home.env_file,
        )
    }


def entry_of(path: Path) -> FileEntry:
    """The entry of a file that lies ready. Blocks."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileEntry(name=path.name, size=path.stat().st_size, sha256=digest)


def outlived(
    archives: Sequence[Archive], settings: BackupSettings, now: datetime
) -> Sequence[Archive]:
    """Those of the archives that need not be kept any longer.

    Kept are the nightly ones of the last days, of the weeks before that the last one of
    each calendar week, and the newest one, however old it is.
    """
    nightly = sorted(
        (each for each in archives if each.is_nightly), key=lambda each: each.taken_at, reverse=True
    )
    days = timedelta(days=settings.keep_days)
    longest = days + timedelta(weeks=settings.keep_weeks)
    weeks: set[tuple[int, int]] = set()
    going = []
    for archive in nightly[1:]:
        age = now - archive.taken_at
        if age < days:
            continue
        year, week, _ = archive.taken_at.isocalendar()
        if age >= longest or (year, week) in weeks:
            going.append(archive)
        weeks.add((year, week))
    return going


class Progress(Protocol):
    """Is told of steps and bytes, from whatever thread does the work. An exception that it
    raises ends the work, which leaves nothing behind."""

    def step(self, what: str) -> None:
        """Another thing is begun, such as "copying gaia.db"."""
        ...

    def bytes_done(self, done: int, total: int) -> None:
        """So much of the present step is done."""
        ...


class Silent:
    """Nobody looks on."""

    def step(self, what: str) -> None:
        """Nobody is told."""

    def bytes_done(self, done: int, total: int) -> None:
        """Nobody is told."""

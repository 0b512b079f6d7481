"""The archives in a folder, told by their names: when, by whom, and whether encrypted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gaia.files import UNFINISHED
from gaia.paths import Home
from gaia.settings.schema import BackupSettings

SUFFIX = ".tar.gz"
ENCRYPTED_SUFFIX = ".tar.gz.age"

NAME = re.compile(
    r"gaia(?P<nightly>-nightly)?-"
    r"(?P<time>\d{4}-\d\d-\d\dT\d{6})\.(?P<thousandths>\d{3})Z\.tar\.gz(?P<encrypted>\.age)?"
)
TIME_FORMAT = "%Y-%m-%dT%H%M%S"
ENCRYPTED_START = b"age-encryption.org/"


@dataclass(frozen=True, slots=True)
class Archive:
    """A finished backup. What it holds is no older than `taken_at`; `is_nightly` says that
    gaia made it by itself."""

    path: Path
    taken_at: datetime
    is_nightly: bool
    is_encrypted: bool
    size_bytes: int


def archive_name(taken_at: datetime, *, nightly: bool, encrypted: bool) -> str:
    """The name of an archive. Its time is exact to the thousandth of a second."""
    at = taken_at.astimezone(UTC)
    time = f"{at:{TIME_FORMAT}}.{at.microsecond // 1000:03d}Z"
    suffix = ENCRYPTED_SUFFIX if encrypted else SUFFIX
    return f"gaia{'-nightly' if nightly else ''}-{time}{suffix}"


def archives_in(folder: Path) -> Sequence[Archive]:
    """The archives in a folder under the names that gaia gives them, the oldest first."""
    try:
        found = [_archive(path) for path in folder.iterdir()]
    except OSError:
        return []
    return sorted(filter(None, found), key=lambda archive: (archive.taken_at, archive.path.name))


def unfinished_in(folder: Path) -> Iterator[Path]:
    """What is left of archives that were never finished."""
    for path in folder.glob(f"*{UNFINISHED}"):
        if NAME.fullmatch(path.name.removesuffix(UNFINISHED)):
            yield path


def backup_folder(home: Home, settings: BackupSettings) -> Path:
    """Where backups are kept. A relative path counts from the home."""
    return home.root / Path(settings.folder).expanduser() if settings.folder else home.backups


def is_encrypted(path: Path) -> bool:
    """Whether a file is encrypted, told from its beginning.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(ENCRYPTED_START)) == ENCRYPTED_START


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
    )

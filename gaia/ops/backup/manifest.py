"""The manifest: the first file of an archive, which tells what else is in it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gaia.paths import Home

MANIFEST = "manifest.json"
MANIFEST_MAX_BYTES = 1_000_000


class FileEntry(BaseModel):
    """A file of the archive, as it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What an archive holds. `revision` is that of gaia.db; `while_running` says that gaia
    went on after it was taken; `with_secrets` that keys and tokens are inside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    gaia: str
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

    Not the vector index: it is made anew from the ledger, and no process but the daemon may
    open it. Not logs, models, sockets, or other backups.
    """
    return {
        path.name: path
        for path in (
            home.database,
            home.settings_file,
            home.last_good_settings_file,
            home.env_file,
        )
    }


def entry_of(path: Path) -> FileEntry:
    """The entry of a file that lies ready. Blocks."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileEntry(name=path.name, size=path.stat().st_size, sha256=digest)

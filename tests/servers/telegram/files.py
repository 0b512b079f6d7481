"""The files that are with Telegram, by their ids."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tests.servers.telegram.refusals import Json, bad_request

MAX_DOWNLOAD_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file, and where it is downloaded from."""

    file_id: str
    path: str
    content: bytes
    file_size: int

    @property
    def unique_id(self) -> str:
        return hashlib.sha256(self.file_id.encode()).hexdigest()[:16]

    def json(self) -> Json:
        """What all descriptions of a file begin with."""
        return {
            "file_id": self.file_id,
            "file_unique_id": self.unique_id,
            "file_size": self.file_size,
        }


class Files:
    """All files. One may claim to be larger than its content is."""

    def __init__(self) -> None:
        self._by_id: dict[str, StoredFile] = {}
        self._by_path: dict[str, StoredFile] = {}
        self._lost: set[str] = set()

    def add(self, folder: str, ending: str, content: bytes, size: int | None = None) -> StoredFile:
        number = len(self._by_id)
        path = f"{folder}/file_{number}{ending}"
        stored = StoredFile(f"{folder}-file-{number}", path, content, size or len(content))
        self._by_id[stored.file_id] = self._by_path[path] = stored
        return stored

    def found(self, file_id: str) -> StoredFile:
        """Raises `ApiRefusal` for a file that is not there, or not for bots."""
        stored = self._by_id.get(file_id)
        if stored is None:
            raise bad_request("wrong file_id or the file is temporarily unavailable")
        return stored

    def downloadable(self, file_id: str) -> StoredFile:
        """Raises `ApiRefusal` for a file that is not there, or not for bots."""
        stored = self.found(file_id)
        if stored.file_size > MAX_DOWNLOAD_BYTES:
            raise bad_request("file is too big")
        return stored

    def at(self, path: str) -> StoredFile | None:
        """The file that `getFile` gave this path for, unless it was lost since."""
        return None if path in self._lost else self._by_path.get(path)

    def lose(self, file_id: str) -> None:
        """Answer 404 for the file's content from now on."""
        self._lost.add(self.found(file_id).path)

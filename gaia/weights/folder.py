"""The files of pulled models: where they lie, which are whole, and their removal.

A model of 1 GB takes seconds to hash. It is hashed once, when it is pulled; a mark beside
it then tells its hash, for what file that was right, where it came from and when.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gaia.errors import ModelMissingError
from gaia.files import sync_folder
from gaia.weights.catalogue import CatalogueModel


@dataclass(frozen=True, slots=True)
class Pulled:
    """What is written down of a model that is here. Marks of earlier versions of gaia say
    neither where it came from nor when."""

    sha256: str
    source: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """The folder of the pulled models."""

    folder: Path

    def path(self, model: CatalogueModel) -> Path:
        """Where the file of `model` lies, or would."""
        return self.folder / model.file_name

    def is_installed(self, model: CatalogueModel) -> bool:
        """Whether the file is there and is the one that was verified."""
        return self.pulled(model) is not None

    def pulled(self, model: CatalogueModel) -> Pulled | None:
        """What was pulled; None if the file is not there, or not the one that was verified."""
        try:
            stamp, *rest = self._mark(model).read_text(encoding="utf-8").splitlines()
            sha256 = stamp.partition(" ")[0]
            is_right = stamp == self._stamp(model, sha256) and model.sha256 in ("", sha256)
        except (OSError, ValueError):
            return None
        return Pulled(sha256, *rest[:2]) if is_right else None

    def require(self, model: CatalogueModel) -> Path:
        """The file of `model`.

        Raises:
            ModelMissingError: It is not installed.
        """
        if not self.is_installed(model):
            raise ModelMissingError(
                f"the embedded model {model.name!r} is not installed: "
                f"run `gaia model pull {model.name}`"
            )
        return self.path(model)

    def install(self, model: CatalogueModel, verified: Path, source: str = "") -> None:
        """Move a file whose hash is right to its place, durably."""
        verified.replace(self.path(model))
        day = datetime.fromtimestamp(self.path(model).stat().st_mtime, UTC).date().isoformat()
        mark = "\n".join((self._stamp(model, model.sha256), source, day, ""))
        self._mark(model).write_text(mark, encoding="utf-8")
        sync_folder(self.folder)

    def has_files(self, model: CatalogueModel) -> bool:
        """Whether anything of `model` is here, be it whole, begun or broken."""
        return any(file.is_file() for file in (self.path(model), *self.partials(model)))

    def remove(self, model: CatalogueModel) -> None:
        """Delete the file and what was begun of it."""
        for file in (self._mark(model), self.path(model), *self.partials(model)):
            file.unlink(missing_ok=True)

    def partials(self, model: CatalogueModel) -> tuple[Path, ...]:
        """Where unfinished files lie, one a source: from the publisher, from the mirror."""
        path = self.path(model)
        return (path.with_suffix(".url.part"), path.with_suffix(".index.part"))

    def _mark(self, model: CatalogueModel) -> Path:
        return self.path(model).with_suffix(".verified")

    def _stamp(self, model: CatalogueModel, sha256: str) -> str:
        status = self.path(model).stat()
        return f"{sha256} {status.st_size} {status.st_mtime_ns}"

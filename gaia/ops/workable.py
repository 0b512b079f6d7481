"""What settings ask for and cannot get, although each of them is allowed: providers that mem0
does not have, a folder that is not there."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from gaia.errors import HomeError
from gaia.memory.index.factories import AUTO, EMBEDDED, known_providers
from gaia.memory.index.parts import OF_AUTO
from gaia.mistakes import Mistake
from gaia.paths import expanded
from gaia.settings.schema import Settings

FILE = "gaia.yaml"


def unworkable(settings: Settings, root: Path) -> Iterator[Mistake]:
    """The mistakes, without a place, of settings for the home at `root`."""
    yield from _providers(settings)
    folder = settings.backup.folder
    if settings.backup.enabled and folder and not _is_folder(root, folder):
        yield _mistake(
            "backup.folder",
            f"is {folder!r}, and there is no such folder",
            "Make it, mount its disk, or name another",
        )


def _is_folder(root: Path, named: str) -> bool:
    try:
        return (root / expanded(named)).is_dir()
    except (HomeError, OSError):
        return False


def _providers(settings: Settings) -> Iterator[Mistake]:
    memory = settings.memory
    named = {
        "memory.llm": (memory.llm.provider, {AUTO}),
        "memory.embedder": (memory.embedder.provider, {EMBEDDED}),
        "memory.vector_store": (memory.vector_store.provider, {AUTO, *OF_AUTO}),
    }
    if all(provider in usual for provider, usual in named.values()):
        return
    known = known_providers()
    for (key, (provider, usual)), others in zip(named.items(), known, strict=True):
        names = sorted({*usual, *others})
        if provider not in names:
            near = get_close_matches(provider.lower(), names, n=1)
            meant = f". Did you mean {near[0]}?" if near else ""
            yield _mistake(
                f"{key}.provider",
                f"is {provider!r}, and there is none of that name",
                f"Allowed: {', '.join(names)}{meant}",
            )


def _mistake(key: str, problem: str, remedy: str) -> Mistake:
    return Mistake(FILE, None, None, key, problem, remedy)

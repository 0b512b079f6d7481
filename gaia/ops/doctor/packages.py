"""Whether the package `channels` is gaia's own: Django Channels has the same name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

import gaia
from gaia.findings import Check, Finding, failed, ok

NAME = "packages"
CHANNELS = "channels"
REMEDY = "Install gaia into an environment of its own, without the package channels (Django's)."


def packages_check(search_path: Sequence[str] | None = None) -> Check:
    """The check of what is imported as `channels`."""

    async def look() -> Sequence[Finding]:
        return [_look(sys.path if search_path is None else search_path)]

    return Check(NAME, look)


def channels_are_ours(search_path: Sequence[str] | None = None) -> bool:
    """Whether gaia's channels can be imported."""
    return _found(sys.path if search_path is None else search_path) == _own_folder()


def _look(search_path: Sequence[str]) -> Finding:
    found = _found(search_path)
    if found != _own_folder():
        where = f"is {found}" if found else "is not there"
        return failed(f"the package 'channels' {where}, and not gaia's own", REMEDY)
    if any(each.metadata["Name"] == CHANNELS for each in _distributions(search_path)):
        return failed("another distribution has a package 'channels' as well", REMEDY)
    return ok(f"gaia {gaia.__version__} in {_own_folder().parent}")


def _own_folder() -> Path:
    return Path(gaia.__file__).parent.parent / CHANNELS


def _found(search_path: Sequence[str]) -> Path | None:
    spec = PathFinder.find_spec(CHANNELS, list(search_path))
    return Path(spec.origin).parent if spec and spec.origin else None


def _distributions(search_path: Sequence[str]) -> Sequence[metadata.Distribution]:
    return list(metadata.distributions(name=CHANNELS, path=list(search_path)))

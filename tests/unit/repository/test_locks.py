"""The locks: complete, with hashes, alike where they overlap, and free of addresses."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

TO_DEVELOP_ALONE = ("rerank",)
"""Extras that are off by default, and too large for everybody to fetch."""

LOCKS = ("requirements.lock", "requirements-dev.lock")


def pins_of(file: Path) -> dict[str, str]:
    """Each package of a lock with its version and markers."""
    return dict(re.findall(r"^([a-z0-9-]+)(?:\[[^]]*\])?==(.+?) \\$", file.read_text(), re.M))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_a_lock_has_hashes(root: Path, lock: str) -> None:
    entries = re.split(r"^(?=[a-z0-9])", (root / lock).read_text(), flags=re.M)[1:]
    assert len(entries) == len(pins_of(root / lock)) > 0
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_and_no_path(root: Path, lock: str) -> None:
    assert re.findall(r"://|--index|--find-links|@ |^/", (root / lock).read_text(), re.M) == []


def test_the_lock_for_development_includes_the_one_to_run(root: Path) -> None:
    to_run, to_develop = (pins_of(root / lock) for lock in LOCKS)
    assert to_run.items() <= to_develop.items()


def test_the_locks_have_what_is_declared(root: Path, pyproject: dict[str, Any]) -> None:
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    extras = project["optional-dependencies"]
    to_run = [
        *project["dependencies"],
        *chain(*(needed for name, needed in extras.items() if name not in TO_DEVELOP_ALONE)),
        *groups["build"],
    ]
    to_develop = [item for item in groups["dev"] if isinstance(item, str)]
    to_develop += chain(*(extras[name] for name in TO_DEVELOP_ALONE))
    for requirements, lock in ((to_run, LOCKS[0]), (to_run + to_develop, LOCKS[1])):
        names = {re.split(r"[\[<>=~;! ]", requirement)[0] for requirement in requirements}
        assert names - pins_of(root / lock).keys() == set()


def test_what_builds_the_wheel_is_locked_too(pyproject: dict[str, Any]) -> None:
    required = set(pyproject["build-system"]["requires"])
    assert required <= set(pyproject["dependency-groups"]["build"])

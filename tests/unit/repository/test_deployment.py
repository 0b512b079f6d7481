"""The Dockerfile, as far as it can be checked without building it.

`scripts/check_image.py` carries out its steps.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gaia.settings.schema import LimitsSettings


@pytest.fixture
def dockerfile(root: Path) -> str:
    return (root / "Dockerfile").read_text().replace("\\\n", " ")


@pytest.fixture
def instructions(dockerfile: str) -> Mapping[str, Sequence[str]]:
    """What follows each word that an instruction begins with, in order."""
    found: dict[str, list[str]] = {}
    for word, rest in re.findall(r"^([A-Z]+) +(.*)$", dockerfile, re.MULTILINE):
        found.setdefault(word, []).append(rest.strip())
    return found


def test_the_base_is_one_image_and_no_other(instructions: Mapping[str, Sequence[str]]) -> None:
    assert re.fullmatch(r"BASE=python:3\.11-[\w.-]+@sha256:[0-9a-f]{64}", instructions["ARG"][0])
    assert {line.split()[0] for line in instructions["FROM"]} == {"${BASE}"}


def test_all_that_the_image_copies_is_there_and_let_through(
    root: Path, instructions: Mapping[str, Sequence[str]]
) -> None:
    copied = [line.split()[:-1] for line in instructions["COPY"]]
    sources = {name for names in copied for name in names if not names[0].startswith("--from")}
    assert {"requirements.lock", "gaia", "channels", "config"} <= sources
    assert [name for name in sources if not (root / name).exists()] == []
    kept, *let_through = (root / ".dockerignore").read_text().split()
    assert kept == "*"
    assert {name[1:] for name in let_through if name.startswith("!")} == sources


def test_the_image_is_not_root_and_says_so_by_number(
    instructions: Mapping[str, Sequence[str]],
) -> None:
    (user,) = instructions["USER"]
    assert all(int(number) > 0 for number in user.split(":"))


def test_the_image_is_asked_for_its_health_by_what_is_in_it(
    instructions: Mapping[str, Sequence[str]],
) -> None:
    (check,) = instructions["HEALTHCHECK"]
    python, option, module = json.loads(check.partition("CMD ")[2])
    assert (python, option) == ("python", "-m")
    assert callable(importlib.import_module(module).main)


def test_the_time_to_stop_that_is_advised_is_longer_than_the_drain(
    root: Path, dockerfile: str
) -> None:
    for text in (dockerfile, (root / "docs" / "service.md").read_text()):
        (seconds,) = re.findall(r"--stop-timeout (\d+)", text)
        assert int(seconds) > LimitsSettings().drain_seconds

"""The shape of the source: short files, and no import that is not declared."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path
from typing import Any

Distributions = Mapping[str, list[str]]
LONGEST_FILE_LINES = 350
OWN = {"gaia", "channels"}
TESTING = Path("gaia", "testing")
"""Nothing that runs imports it: it may use what tests are made with."""

COMES_WITH = {
    "h11": "uvicorn",
    "httpx2": "anthropic",
    "markdown_it": "rich",
    "pydantic_core": "pydantic",
    "werkzeug": "openapi-core",
}
"""Packages whose types a declared dependency takes or gives; they come with it."""


def python_files(root: Path) -> Iterator[Path]:
    for folder in ("gaia", "channels", "tests", "scripts"):
        yield from (root / folder).rglob("*.py")


def test_no_file_is_longer_than_one_sitting(root: Path) -> None:
    lengths = {
        str(file.relative_to(root)): len(file.read_text(encoding="utf-8").splitlines())
        for file in python_files(root)
    }
    assert lengths
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE_LINES} == {}


def test_every_package_that_is_imported_is_a_declared_dependency(
    root: Path, pyproject: dict[str, Any]
) -> None:
    project = pyproject["project"]
    requirements = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    declared = {name_of(requirement) for requirement in requirements}
    of_tests = declared | {
        name_of(each) for each in pyproject["dependency-groups"]["dev"] if isinstance(each, str)
    }
    distributions = packages_distributions()
    undeclared = {
        module: str(file.relative_to(root))
        for file in python_files(root)
        if file.relative_to(root).parts[0] in OWN
        for module in imported_modules(file)
        if not is_declared(
            module, of_tests if root / TESTING in file.parents else declared, distributions
        )
    }
    assert undeclared == {}


def is_declared(module: str, declared: set[str], distributions: Distributions) -> bool:
    top = module.partition(".")[0]
    if top in OWN or top in sys.stdlib_module_names:
        return True
    if top == "google":
        return "-".join(module.split(".")[:2]) in declared
    names = {COMES_WITH.get(top, top), *distributions.get(top, [])}
    return any(name_of(name) in declared for name in names)


def imported_modules(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            top = node.module == "google"
            yield from (f"google.{alias.name}" for alias in node.names if top)
            if not top:
                yield node.module


def name_of(requirement: str) -> str:
    (name,) = re.findall(r"^[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", name).lower()

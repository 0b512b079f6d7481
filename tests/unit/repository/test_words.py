"""The words of the house: names are nouns of the field, and sentences are plain English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

FIELD = frozenset(
    {
        "EffectiveSetting",
        "Embedding",
        "Everything",
        "Finding",
        "Greeting",
        "Meaning",
        "Pairing",
        "Setting",
        "Spending",
        "Timing",
        "meaning",
        "pairing",
        "pending",
        "ranking",
        "recording",
        "staging",
        "streaming",
        "testing",
        "tracing",
    }
)
"""Nouns in -ing."""

OLD_NAMES = frozenset(
    {
        "Announcing",
        "Committing",
        "Current",
        "DigestWish",
        "Digesting",
        "Forgetting",
        "Gates",
        "Greeter",
        "HeldTime",
        "InVainError",
        "Keeper",
        "Needles",
        "PatientBench",
        "Reading",
        "Reloading",
        "RestingReport",
        "Telling",
        "Trying",
        "Use",
        "Warming",
        "Weighing",
        "Wish",
        "Wishes",
        "bury",
        "channelling",
        "commanding",
        "courtesies",
        "holding",
        "housekeeping",
        "in_vain",
        "leave_threads",
        "needles",
        "resting_report",
        "seams",
        "telling",
        "went_well",
        "wish",
        "wishes",
    }
)

OLD_WORDS = re.compile(
    r"\bin vain\b|\banew\b|counts no longer|no longer counts|nobody waits for|\bSo long [a-z]"
    r"|\bWhat of\b|\bneedles?\b|\berrs more\b|does not look like it\b|lies about that"
    r"|Who I take you for|\bis whole, of\b|list --held"
)


def product_files(root: Path) -> Iterator[Path]:
    for folder in ("gaia", "channels"):
        for path in sorted((root / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def documents(root: Path) -> Iterator[Path]:
    yield from (root / "README.md", root / "AGENTS.md", root / "config" / "gaia.yaml")
    yield from sorted((root / "docs").glob("*.md"))


def names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute):
            yield node.attr


def texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


def test_classes_and_modules_are_named_by_nouns(root: Path) -> None:
    found = []
    for path in product_files(root):
        tree = ast.parse(path.read_text())
        classes = [each.name for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]
        found += [
            f"{path.relative_to(root)}: {name}"
            for name in (path.stem, *classes)
            if name.endswith("ing") and name.lstrip("_") not in FIELD
        ]
    assert found == []


def test_no_name_is_one_that_was_given_up(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}: {name}"
        for path in product_files(root)
        for name in {path.stem, *names(ast.parse(path.read_text()))}
        if name.lstrip("_") in OLD_NAMES
    ]
    assert found == []


def test_docstrings_and_sentences_are_plain_english(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}: {text[:120]}"
        for path in product_files(root)
        for text in texts(ast.parse(path.read_text()))
        if OLD_WORDS.search(text)
    ]
    assert found == []


def test_documents_are_plain_english(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}:{number}: {line[:120]}"
        for path in documents(root)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OLD_WORDS.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["It is made anew.", "So long a file stays", "counts no longer"])
def test_old_words_are_noticed(text: str) -> None:
    assert OLD_WORDS.search(text)

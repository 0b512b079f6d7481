"""docs/features.md: each feature of the memory names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "features.md"
FEATURES = range(1, 60)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_there_is_a_row_for_each_feature() -> None:
    assert [int(number) for number, *_ in rows()] == list(FEATURES)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_each_feature_is_shown_by_tests_that_exist(row: list[str]) -> None:
    assert len(row) == 3, row
    assert all(row), row
    named = TEST.findall(row[-1])
    assert named, "a feature without a test"
    for path, name in named:
        text = (ROOT / path).read_text()
        assert re.search(rf"^\s*(?:async )?def {name}\(", text, re.MULTILINE), f"{path}::{name}"

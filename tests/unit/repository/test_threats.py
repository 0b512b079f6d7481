"""docs/security.md: each threat names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "security.md"
COLUMNS = 4
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")

MUST_BE_TOLD = (
    "stranger",
    "pairing codes",
    "`/role`",
    "another member",
    "group",
    "forwarded",
    "contact",
    "start link",
    "document",
    "display name",
    "signature",
    "`X-Forwarded-",
    "`Host`",
    "half-sent",
    "local user",
    "backup",
    "YAML",
    "links, devices",
    "answer that never ends",
    "ten thousand",
    "descriptors",
    "full disk",
    "read-only",
    "two daemons",
    "clock",
    "removed while gaia runs",
    "`/healthz`",
    "service's place",
    "only said",
)
"""What a reader looks for in the table, in small letters."""


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_there_is_a_table() -> None:
    assert len(rows()) >= len(MUST_BE_TOLD)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[1][:40])
def test_each_threat_is_held_off_by_tests_that_exist(row: list[str]) -> None:
    assert len(row) == COLUMNS, row
    assert all(row), row
    named = TEST.findall(row[-1])
    assert named, "a threat without a test"
    for path, name in named:
        text = (ROOT / path).read_text()
        assert re.search(rf"^\s*(?:async )?def {name}\(", text, re.MULTILINE), f"{path}::{name}"


@pytest.mark.parametrize("told", MUST_BE_TOLD)
def test_what_must_be_told_is_told(told: str) -> None:
    assert any(told.lower() in " ".join(row[:-1]).lower() for row in rows()), told

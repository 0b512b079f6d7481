"""The audit only ever grows, within bounds, and nothing that makes a prompt knows it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

import gaia
from gaia.messages import Address
from gaia.store import audit
from gaia.store.audit import CLI, DENIED_A_WINDOW, GAIA, Action
from gaia.store.engine import Database
from gaia.testing.clock import START

PACKAGE = Path(gaia.__file__).parent
MAY_CHANGE_IT = {"store/ownership.py"}
"""They take addresses out, and say who somebody is now; the triggers hold them to that."""

MAY_LIST_IT = {"store/audit.py", "ops/queries/records.py", "testing/letting_in.py"}
ANOTHER = (
    "(audit_id, at, action, actor, subject, detail) VALUES (1, '2020-01-01', 'denied', 'x', '', '')"
)
FORGETTING = "memory/forget.py"
"""It records that somebody had something forgotten."""


@cache
def modules() -> Mapping[str, set[str]]:
    """The names of all modules, by their paths."""
    return {
        file.relative_to(PACKAGE).as_posix(): names(ast.parse(file.read_text()))
        for file in sorted(PACKAGE.rglob("*.py"))
    }


def names(tree: ast.Module) -> set[str]:
    """What a module imports, by its full name, and the names that it uses."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(f"{ast.unparse(node.value)}.{node.attr}")
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit",
        "UPDATE audit SET action = 'approved'",
        "UPDATE audit SET actor = 'nobody'",
        "UPDATE audit SET at = '2020-01-01'",
        "UPDATE audit SET audit_id = 99",
        f"INSERT INTO audit {ANOTHER} ON CONFLICT (audit_id) DO UPDATE SET action = 'denied'",
        pytest.param(f"INSERT OR REPLACE INTO audit {ANOTHER}", marks=pytest.mark.sqlite),
        pytest.param(
            "UPDATE OR REPLACE audit SET audit_id = 1 WHERE audit_id = 2", marks=pytest.mark.sqlite
        ),
        pytest.param("TRUNCATE audit", marks=pytest.mark.postgres),
        pytest.param(
            "MERGE INTO audit USING (SELECT 1 AS one) AS x ON audit_id = one "
            "WHEN MATCHED THEN DELETE",
            marks=pytest.mark.postgres,
        ),
    ],
)
async def test_no_statement_changes_what_was_decided(database: Database, statement: str) -> None:
    with database.writing() as session:
        audit.record(session, Action.ADDED, at=START, by=CLI)
        session.flush()
        audit.record(session, Action.REMOVED, at=START, by=CLI)
    with (
        pytest.raises(IntegrityError, match="rows of audit are never"),
        database.writing() as session,
    ):
        session.execute(text(statement))
    listed = [(entry.action, entry.actor) for entry in await database.read(audit.entries)]
    assert listed == [(Action.ADDED, CLI), (Action.REMOVED, CLI)]


def test_nothing_that_makes_a_prompt_or_a_session_knows_the_audit() -> None:
    for name, used in modules().items():
        if name.startswith(("agent/", "memory/", "sessions/")) and name != FORGETTING:
            known = {each for each in used if "audit" in each.lower()}
            assert not known, f"{name} uses {known}"


def test_the_audit_is_listed_for_its_command_alone_and_changed_where_it_must_be() -> None:
    listing = {name for name, used in modules().items() if "audit.entries" in used}
    rows = {
        name
        for name, used in modules().items()
        if "gaia.store.tables.AuditRow" in used and not name.startswith("store/audit")
    }
    assert listing <= MAY_LIST_IT
    assert listing
    assert rows == MAY_CHANGE_IT


async def test_a_flood_of_strangers_does_not_fill_the_audit(database: Database) -> None:
    async def denied(minutes: int, number: int) -> None:
        with database.writing() as session:
            at = START + timedelta(minutes=minutes)
            audit.record_denied(session, Address("fake", str(number)), at)

    for number in range(DENIED_A_WINDOW + 20):
        await denied(0, number)
    entries = await database.read(audit.entries, actions=[Action.DENIED])
    assert len(entries) == DENIED_A_WINDOW
    assert entries[-1].detail
    assert {entry.detail for entry in entries[:-1]} == {""}
    assert {entry.actor for entry in entries} == {GAIA}
    await denied(61, 0)
    assert len(await database.read(audit.entries)) == DENIED_A_WINDOW + 1

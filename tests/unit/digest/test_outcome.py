"""What was read of a window survives its time in the database."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from gaia.digest.outcome import from_json, to_json
from gaia.errors import UnusableExtractionError
from gaia.memory.extraction import Change, Checked, Proposal, Relation, Target
from gaia.store.memory_tables import MemoryKind
from gaia.testing.clock import START

PROPOSAL = Proposal(
    kind=MemoryKind.REMINDER,
    text="Ada calls Zoë 📞",
    quote="call Zoë",
    turn_id="t_1",
    archive_id=1,
    said_at=START,
    label="Ada is to call Zoë",
    verdict="same",
    changes=[(Target(None, 2, 3), Change.REPLACES)],
    relations=[Relation("Zoë")],
    due_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
    pending=True,
)
CHECKED = Checked("They spoke of Zoë.", [PROPOSAL], {"no quote": 2})


def test_what_is_written_is_read_back_the_same() -> None:
    assert from_json(json.loads(json.dumps(to_json(CHECKED)))) == CHECKED


def test_nothing_found_is_read_back_too() -> None:
    assert from_json(to_json(Checked("", [], {}))) == Checked("", [], {})


@pytest.mark.parametrize(
    "changes",
    [
        {"summary": None},
        {"proposals": "secret"},
        {"proposals": [{}]},
        {"refused": {"secret": "many"}},
        {"proposals": [{**to_json(CHECKED)["proposals"][0], "kind": "secret"}]},  # type: ignore[index]
        {"proposals": [{**to_json(CHECKED)["proposals"][0], "said_at": "2026-01-01T00:00"}]},  # type: ignore[index]
    ],
)
def test_what_is_damaged_is_an_error_that_tells_nothing_of_it(changes: dict[str, object]) -> None:
    with pytest.raises(UnusableExtractionError) as caught:
        from_json({**to_json(CHECKED), **changes})
    assert "secret" not in str(caught.value)
    with pytest.raises(UnusableExtractionError):
        from_json({})

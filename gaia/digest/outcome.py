"""What was read in a window as JSON, the form in which it waits for its digest."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from gaia.errors import UnusableExtractionError
from gaia.memory.extraction import Checked, Proposal

CHECKED = TypeAdapter(Checked)


def to_json(checked: Checked) -> dict[str, object]:
    """JSON that `from_json` understands."""
    written: dict[str, object] = CHECKED.dump_python(checked, mode="json")
    return written


def from_json(written: Mapping[str, object]) -> Checked:
    """What was written.

    Raises:
        UnusableExtractionError: It is something else: the window is to be read again.
    """
    try:
        checked = CHECKED.validate_json(json.dumps(written), strict=True)
    except (ValidationError, TypeError, ValueError) as exc:
        # The error itself would tell what stands there.
        raise _unusable(type(exc).__name__) from None
    if not all(map(_has_times, checked.proposals)):
        raise _unusable("a time without a zone")
    return checked


def _has_times(proposal: Proposal) -> bool:
    times = (proposal.said_at, proposal.due_at, proposal.expires_at)
    return all(time is None or time.tzinfo is not None for time in times)


def _unusable(cause: str) -> UnusableExtractionError:
    return UnusableExtractionError(
        f"what was read of a window cannot be read back ({cause}): the window is read again"
    )

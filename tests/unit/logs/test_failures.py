"""How a failure is told in the log."""

from __future__ import annotations

import logging

import pytest

from gaia.errors import StoreError
from gaia.logs import log_failure

logger = logging.getLogger(__name__)


@pytest.mark.parametrize(
    ("exc", "said", "has_traceback"),
    [
        (StoreError("the server is away"), "reminders died in 3 s: the server is away", False),
        (LookupError("a bug"), "reminders died in 3 s", True),
    ],
)
def test_an_outage_has_no_traceback_and_a_bug_has_one(
    caplog: pytest.LogCaptureFixture, exc: Exception, said: str, has_traceback: bool
) -> None:
    log_failure(logger, exc, "%s died in %d s", "reminders", 3)
    (record,) = caplog.records
    assert (record.getMessage(), record.levelname) == (said, "ERROR")
    assert bool(record.exc_info) is has_traceback

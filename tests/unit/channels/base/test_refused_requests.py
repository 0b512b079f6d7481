"""Whoever knocks again and again does not fill the log."""

from __future__ import annotations

import logging

import pytest

from channels.base.http import REFUSAL_SECONDS, RefusedRequests
from gaia.testing.clock import FakeClock


def test_each_reason_is_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    refused = RefusedRequests(logging.getLogger("x"), "the webhook", clock)
    for _ in range(1000):
        refused.note("it is not signed")
    refused.note("it is of another account")
    assert caplog.messages == [
        "a request to the webhook is refused: it is not signed",
        "a request to the webhook is refused: it is of another account",
    ]
    caplog.clear()
    clock.advance(REFUSAL_SECONDS)
    refused.note("it is not signed")
    refused.note("it is of another account")
    assert caplog.messages == [
        "a request to the webhook is refused: it is not signed (999 more since this was last said)",
        "a request to the webhook is refused: it is of another account",
    ]

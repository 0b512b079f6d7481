"""What the tests of checks share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from gaia.memory.digest.checks import check
from gaia.memory.digest.findings import Checked, Extraction, Finding, Offer, Operation, Window
from gaia.store.memory_tables import MemoryKind
from tests.harness.turns import a_window

Checking = Callable[..., Checked]


@pytest.fixture
def checking() -> Checking:
    """Checks one finding about what somebody says: its text, its quote, and what else is
    different about it; of the last argument on, keywords go to the finding."""

    def checking(
        said: str | Window,
        text: str,
        quote: str = "",
        *,
        offers: Sequence[Offer] = (),
        **changes: object,
    ) -> Checked:
        window = a_window(said) if isinstance(said, str) else said
        words = "\n".join(turn.words for turn in window.turns)
        finding = Finding(Operation.ADD, MemoryKind.FACT, text, quote or words)
        finding = replace(finding, **changes)  # type: ignore[arg-type]
        return check(Extraction("They talked.", [finding]), window, offers)

    return checking

"""JSON as no program of gaia's writes it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

VALUES: Sequence[Any] = (
    *(None, True, -1, 0, 1e99, 2**63, 2**80, "", "x", "x" * 100_000, [], {}, [{}], "../x", "\0"),
    *("2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+00:00", "now"),
    *("\ud800", "🙂", "' OR 1=1 --", "%", "NaN", float("nan"), float("inf"), [[]] * 1_000),
)


def change(chance: random.Random, value: Any) -> None:
    """Change something in it, at any depth."""
    while isinstance(value, (dict, list)) and value:
        key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if chance.random() < 0.5 or not isinstance(value[key], (dict, list)):
            if chance.random() < 0.2:
                del value[key]
            else:
                value[key] = chance.choice(VALUES)
            return
        value = value[key]

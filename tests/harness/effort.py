"""How much a run of the tests does: the usual one a part of what repeats, a thorough one all,
and a fast one, before a commit, the least.

`scripts/test` sets GAIA_EFFORT. Read here, since tests run without gaia's variables.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence

EFFORT = os.environ.get("GAIA_EFFORT", "usual")
THOROUGH, FAST = EFFORT == "thorough", EFFORT == "fast"

EXAMPLES = {"fast": 10, "usual": 25, "thorough": 100}[EFFORT]
"""Of a property that names no number of its own."""

USUAL_KILLS = 5


def rounds(usual: int, *, thorough: int) -> int:
    """How often a test does something, or how many examples it tries."""
    return thorough if THOROUGH else usual


def deadly(last: int) -> Sequence[int]:
    """The steps of 1 to `last` at which a process is killed, one after the other: all of
    them, or in a usual run some that are drawn from a seed. The seed is printed;
    GAIA_KILL_SEED replays it."""
    steps = range(1, last + 1)
    if THOROUGH:
        return steps
    seed = int(os.environ.get("GAIA_KILL_SEED") or random.randrange(2**32))
    print(f"GAIA_KILL_SEED={seed}")
    return sorted(random.Random(seed).sample(steps, USUAL_KILLS))

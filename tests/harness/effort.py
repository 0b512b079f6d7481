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

KILL_SEED, FAULT_SEED = "GAIA_KILL_SEED", "GAIA_FAULT_SEED"


def rounds(usual: int, *, thorough: int) -> int:
    """How often a test does something, or how many examples it tries."""
    return thorough if THOROUGH else usual


def deadly(last: int) -> Sequence[int]:
    """The steps of 1 to `last` at which a process is killed, one after the other: all of
    them, or in a usual run some that are drawn from a seed."""
    steps = range(1, last + 1)
    return steps if THOROUGH else sorted(drawn(KILL_SEED).sample(steps, USUAL_KILLS))


def drawn(variable: str) -> random.Random:
    """Chance, from a seed that is printed; the environment `variable` replays it."""
    seed = int(os.environ.get(variable) or random.randrange(2**32))
    print(f"{variable}={seed}")
    return random.Random(seed)

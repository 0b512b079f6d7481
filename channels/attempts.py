"""How often the core failed at something that arrived, so that one odd message does not
come again for ever."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

ATTEMPTS = 5
"""So often something that the core fails at for a reason of its own is tried."""

_MOST_REMEMBERED = 500


class Attempts:
    """Counts, by whatever name the provider has for it. Those that failed last are known."""

    def __init__(self) -> None:
        self._failures: OrderedDict[Hashable, int] = OrderedDict()

    def fail(self, name: Hashable) -> bool:
        """Count a failure; whether it was the last one, and the count is over."""
        failures = self._failures.pop(name, 0) + 1
        if failures >= ATTEMPTS:
            return True
        self._failures[name] = failures
        while len(self._failures) > _MOST_REMEMBERED:
            self._failures.popitem(last=False)
        return False

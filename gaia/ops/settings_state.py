"""Which settings hold: since when, and why it is not those in the file."""

from __future__ import annotations

from datetime import datetime

from gaia.messages import Health


class SettingsState:
    """Kept by who loads them, told by the status."""

    def __init__(self, loaded_at: datetime, problem: str = "") -> None:
        self.loaded_at = loaded_at
        self._problem = problem

    def loaded(self, at: datetime) -> None:
        """What stands in the files holds."""
        self.loaded_at, self._problem = at, ""

    def refused(self, problem: str) -> None:
        """It does not hold; those before do."""
        self._problem = problem

    def health(self) -> Health:
        return Health(ok=not self._problem, detail=self._problem)

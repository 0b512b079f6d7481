"""Whether the model works, as its last calls tell."""

from __future__ import annotations

from datetime import datetime

from gaia.messages import Health


class ModelHealth:
    """The last success and the last error of a model. Written by `ResilientLlm`."""

    def __init__(self) -> None:
        self.last_success: datetime | None = None
        self.last_error: datetime | None = None
        self.cause = ""
        """The last error in one line, without a key. It stays after a success."""
        self._works = True

    def answered(self, at: datetime) -> None:
        self.last_success = at
        self._works = True

    def failed(self, at: datetime, cause: str) -> None:
        self.last_error = at
        self.cause = cause
        self._works = False

    def report(self) -> Health:
        """Bad when the latest call failed; good before the first call."""
        return Health(ok=True) if self._works else Health(ok=False, detail=self.cause)

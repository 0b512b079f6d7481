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
        """The last error in one line, without a key."""

    def answered(self, at: datetime) -> None:
        self.last_success = at

    def failed(self, at: datetime, cause: str) -> None:
        self.last_error = at
        self.cause = cause

    def report(self) -> Health:
        """Bad when the latest call failed; good before the first call."""
        if self.last_error is None:
            return Health(ok=True)
        if self.last_success is not None and self.last_success > self.last_error:
            return Health(ok=True)
        return Health(ok=False, detail=self.cause)

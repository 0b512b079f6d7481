"""How a channel is: whether messages come in, and if they don't, why."""

from __future__ import annotations

import logging
from datetime import datetime

from gaia.messages import Health
from gaia.ports import Clock

logger = logging.getLogger(__name__)


class Condition:
    """What is known of a channel at the moment. Polls, sends and the store report to it.

    Without a report of any kind for `stall_seconds` it has stalled, which is told in the
    words of `stalled`: it neither works nor fails. None for one that its provider calls by
    itself. While errors come in it is troubled, and that alone: gaia is not at fault then.
    """

    def __init__(
        self, provider: str, clock: Clock, *, stall_seconds: float | None, stalled: str
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._stall_seconds = stall_seconds
        self._stalled = stalled
        self._is_serving = False
        self._trouble: str | None = None
        self._troubled_since: datetime | None = None
        self._well_at = clock.now()
        self._has_worked = False
        self._storing_fails = False
        self._heard_at = clock.monotonic()

    def begin(self) -> None:
        """The channel serves, and knows nothing of its provider yet."""
        self._is_serving = True
        self._storing_fails = False
        self._trouble = f"connecting to {self._provider}"
        self._troubled_since = None
        self.rests(0)

    def end(self) -> None:
        """The channel does not serve any more."""
        self._is_serving = False

    def well(self) -> None:
        """The provider answered as it should."""
        if self._troubled_since is not None:
            logger.info("%s is back: %s is over", self._provider, self._trouble)
        self._trouble = self._troubled_since = None
        self._worked()

    def unreachable(self, cause: str) -> None:
        """A request that has to succeed did not, for a cause that may pass."""
        since = self._troubled_since or self._clock.now()
        self.troubled(f"{self._provider} cannot be reached since {_hour(since)}: {cause}")

    def troubled(self, trouble: str) -> None:
        """Something is wrong, in words that the owner reads."""
        self.rests(0)
        self.stuck(trouble)

    def stuck(self, trouble: str) -> None:
        """As `troubled`, of what is no sign of life: it neither worked nor failed."""
        if self._trouble != trouble:
            logger.warning("%s", trouble)
        self._troubled_since = self._troubled_since or self._clock.now()
        self._trouble = trouble

    def stored(self, *, succeeded: bool) -> None:
        """Whether the last message that arrived could be stored."""
        self._storing_fails = not succeeded
        self.rests(0)
        if succeeded:
            self._worked()

    def rests(self, seconds: float) -> None:
        """The provider is left alone for so long: nothing is heard meanwhile, and on purpose."""
        self._heard_at = self._clock.monotonic() + seconds

    def health(self) -> Health:
        trouble = self._what_is_wrong()
        return Health(
            ok=not trouble,
            detail=trouble,
            worked_at=self._well_at if self._has_worked else None,
            is_stalled=self._is_stalled(),
        )

    def _is_stalled(self) -> bool:
        """Whether it serves, and nothing was heard of it for too long. By a clock that
        never jumps, and that stands still while the machine sleeps."""
        if not self._is_serving or self._stall_seconds is None:
            return False
        return self._clock.monotonic() - self._heard_at > self._stall_seconds

    def _what_is_wrong(self) -> str:
        if not self._is_serving:
            return "not serving"
        if self._is_stalled():
            return f"{self._stalled}: no answer since {_hour(self._well_at)}"
        if self._storing_fails:
            return f"messages cannot be stored, and wait at {self._provider}"
        return self._trouble or ""

    def _worked(self) -> None:
        self._well_at, self._has_worked = self._clock.now(), True
        self.rests(0)


def _hour(time: datetime) -> str:
    return f"{time:%H:%M} UTC"

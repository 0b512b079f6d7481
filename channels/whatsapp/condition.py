"""How WhatsApp is: what Twilio's errors say of the channel as a whole, and whether its
webhook reaches gaia.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from channels.base.channel import Condition
from channels.whatsapp.errors import Blame, Refusal, blame_of, code_of, describe, words_for
from gaia.messages import Health
from gaia.ports import Clock

logger = logging.getLogger(__name__)


class WhatsAppCondition(Condition):
    """Knows what Twilio's errors say of the channel, and what the owner has to mend while
    Twilio answers."""

    def __init__(self, clock: Clock, *, address: str, stall_seconds: float) -> None:
        super().__init__(
            "Twilio", clock, stall_seconds=stall_seconds, stall="looking for messages has stalled"
        )
        self._address = address
        self._refusals: dict[Blame, str] = {}
        self._failures: dict[Blame, str] = {}
        self._missed: str | None = None
        self._turned_away = False

    def begin(self) -> None:
        super().begin()
        self._refusals.clear()
        self._failures.clear()
        self._missed = None
        self._turned_away = False

    def failed(self, exc: Refusal) -> None:
        """Report that a request that has to succeed did not."""
        if code_of(exc) is None:
            self.unreachable(describe(exc))
        else:
            self.troubled(describe(exc))

    def refused(self, exc: Refusal) -> None:
        """Report that a message was not taken."""
        if blame_of(code_of(exc)) is Blame.CREDENTIALS:
            self.failed(exc)
        else:
            _note(self._refusals, code_of(exc))

    def sent(self, *, in_template: bool = False) -> None:
        """Report that a message was taken."""
        _forget(self._refusals, in_template=in_template)

    def undelivered(self, code: int | None) -> None:
        """Report that a message that was taken failed, for a reason that may be the owner's."""
        _note(self._failures, code)

    def delivered(self, *, in_template: bool = False) -> None:
        """Report that a message arrived."""
        _forget(self._failures, in_template=in_template)

    def called(self) -> None:
        """Report that Twilio called the webhook, as it is set up to."""
        if self._missed is not None:
            logger.info("Twilio's webhook reaches gaia again")
        self._missed = None

    def stored(self, *, succeeded: bool) -> None:
        super().stored(succeeded=succeeded)
        self._turned_away |= not succeeded

    def missed_calls(self) -> None:
        """Report messages that no webhook told of, or that could not be stored then."""
        if self._turned_away:
            self._turned_away = False
            return
        missed = (
            f"Twilio's webhook does not reach gaia, messages come late: see that it is set to "
            f"{self._address} (gaia doctor looks)"
        )
        if self._missed is None:
            logger.warning("%s", missed)
        self._missed = missed

    def health(self) -> Health:
        health = super().health()
        to_mend = dict.fromkeys([*self._refusals.values(), *self._failures.values()])
        if self._missed is not None:
            to_mend[self._missed] = None
        if health.ok and to_mend:
            return replace(health, ok=False, detail="; ".join(to_mend))
        return health


def _note(known: dict[Blame, str], code: int | None) -> None:
    blame = blame_of(code)
    if code is not None and blame is not None:
        if known.get(blame) != words_for(code):
            logger.warning("%s", words_for(code))
        known[blame] = words_for(code)


def _forget(known: dict[Blame, str], *, in_template: bool) -> None:
    """Forget what a message that fared well disproves; one without a template says nothing
    of the template."""
    template = None if in_template else known.get(Blame.TEMPLATE)
    known.clear()
    if template is not None:
        known[Blame.TEMPLATE] = template

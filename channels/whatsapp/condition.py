"""How WhatsApp is: what Twilio's errors say of the channel as a whole, and whether its
webhook reaches gaia.
"""

from __future__ import annotations

import logging

from channels import condition
from channels.whatsapp.codes import Blame
from channels.whatsapp.faults import Refusal, blame_of, code_of, describe, words_for
from gaia.messages import Health
from gaia.ports import Clock

logger = logging.getLogger(__name__)

_WEBHOOK = "webhook"


class Condition(condition.Condition):
    """What is known of the channel at the moment: of Twilio itself, and of what the owner
    has to mend while Twilio answers."""

    def __init__(self, clock: Clock, *, address: str, stall_seconds: float) -> None:
        super().__init__(
            "Twilio", clock, stall_seconds=stall_seconds, stalled="looking for messages has stalled"
        )
        self._address = address
        self._to_mend: dict[str, str] = {}

    def begin(self) -> None:
        super().begin()
        self._to_mend.clear()

    def failed(self, exc: Refusal) -> None:
        """A request that has to succeed did not."""
        if code_of(exc) is None:
            self.unreachable(describe(exc))
        else:
            self.troubled(describe(exc))

    def refused(self, exc: Refusal) -> None:
        """A message was not taken."""
        if blame_of(code_of(exc)) is Blame.CREDENTIALS:
            self.failed(exc)
        else:
            self.undelivered(code_of(exc))

    def undelivered(self, code: int | None) -> None:
        """A message that was taken came to nothing, for a reason that may be the owner's."""
        blame = blame_of(code)
        if code is not None and blame is not None:
            self._mend(blame.value, words_for(code))

    def sent(self, *, in_template: bool = False) -> None:
        """A message was taken."""
        mended = {Blame.NUMBER, Blame.ACCOUNT} | ({Blame.TEMPLATE} if in_template else set())
        for blame in mended:
            self._to_mend.pop(blame.value, None)

    def called(self) -> None:
        """Twilio called the webhook."""
        if self._to_mend.pop(_WEBHOOK, None) is not None:
            logger.info("Twilio's webhook reaches gaia again")

    def missed_calls(self) -> None:
        """Messages were found that no webhook told of."""
        self._mend(
            _WEBHOOK,
            f"Twilio's webhook does not reach gaia, messages come late: see that it is set to "
            f"{self._address} (gaia doctor looks)",
        )

    def health(self) -> Health:
        health = super().health()
        if health.ok and self._to_mend:
            return Health(ok=False, detail="; ".join(self._to_mend.values()))
        return health

    def _mend(self, what: str, words: str) -> None:
        if self._to_mend.get(what) != words:
            logger.warning("%s", words)
        self._to_mend[what] = words

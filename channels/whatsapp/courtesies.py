"""What is done at its best effort once something has arrived: a stranger is told so. It
does not hold up the answer to Twilio.
"""

from __future__ import annotations

from channels.background import Background
from channels.gates import Gates
from channels.whatsapp.api import Api
from channels.whatsapp.faults import Refusal
from channels.whatsapp.http import FloodError
from gaia.messages import Inbound, Receipt, ReceiptKind


class Courtesies:
    """Does all that in the background."""

    def __init__(self, api: Api, gates: Gates[str], background: Background[Refusal]) -> None:
        self._api = api
        self._gates = gates
        self._background = background

    def received(self, inbound: Inbound, receipt: Receipt) -> None:
        """A message arrived, and the core took it or did not."""
        if receipt.kind is not ReceiptKind.DENIED or not receipt.stranger_reply:
            return
        if not self._gates.remaining(inbound.chat):
            reply = receipt.stranger_reply
            self._background.start("a reply to a stranger", self._tell, inbound.chat, reply)

    async def _tell(self, person: str, text: str) -> None:
        try:
            await self._api.send_text(person, text)
        except FloodError as exc:
            self._gates.close(person, exc.seconds)

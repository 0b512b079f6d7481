"""What people write, on its way to the webhook. Messages of one person keep their order."""

from __future__ import annotations

from functools import partial

from tests.servers.twilio.calls import Caller
from tests.servers.twilio.lanes import Lanes
from tests.servers.twilio.messages import Message
from tests.servers.twilio.world import World


class Incoming:
    """Tells the webhook of messages. What it does not take is only in the list then."""

    def __init__(self, world: World, caller: Caller, lanes: Lanes) -> None:
        self.webhook_url = ""
        """Where messages go. While it is empty, they go nowhere."""
        self.taken: list[Message] = []
        self.given_up: list[Message] = []
        self._world = world
        self._caller = caller
        self._lanes = lanes
        self._waiting = 0

    @property
    def idle(self) -> bool:
        """Whether no message is on its way."""
        return self._waiting == 0

    async def until_idle(self) -> None:
        """Return once the webhook took all, or was given up on."""
        await self._world.changes.until(lambda: self.idle)

    def deliver(self, message: Message) -> Message:
        """Send a message on its way."""
        self._waiting += 1
        self._lanes.put(f"from {message.person}", partial(self._tell, message))
        return message

    def redeliver(self, sids: tuple[str, ...] = ()) -> int:
        """Deliver messages again that were taken, all or those; return how many."""
        again = [each for each in self.taken if not sids or each.sid in sids]
        self.taken = [each for each in self.taken if each not in again]
        for each in again:
            self.deliver(each)
        return len(again)

    async def _tell(self, message: Message) -> None:
        url, form = self.webhook_url, [*message.parameters.items()]
        try:
            is_taken = bool(url) and await self._caller.post(url, form, wants_twiml=True)
            (self.taken if is_taken else self.given_up).append(message)
        finally:
            self._waiting -= 1
            self._world.changes.tell()

"""A gaia that dies in the middle of turns: a process that `soak_life` starts.

Its arguments are the home, the time, how many messages were said before, and a file. That
one gets a line for each message that was accepted, and for each that was answered.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from datetime import datetime
from pathlib import Path

from gaia_inside import daemon_inside
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from kit import NAME
from pydantic import PrivateAttr
from soak_model import SoakModel
from soak_people import NAMES, Post

from gaia.messages import Outbound
from gaia.paths import Home
from gaia.testing.clock import FakeClock

MESSAGES = 9
ANSWERS = 4
"""It dies when it is asked for the next one."""


class RecordedPost(Post):
    """Writes down what it sends, before gaia knows that it was sent."""

    def __init__(self, clock: FakeClock, record: Path) -> None:
        super().__init__(clock)
        self._record = record

    def tell(self, what: str, message_id: str) -> None:
        with self._record.open("a") as file:
            file.write(f"{what} {message_id}\n")

    def answered(self, message_id: str, outbound: Outbound) -> None:
        self.tell("answered", message_id)


class MortalModel(SoakModel):
    """Answers once it may, and so many times; the next time it kills the process."""

    _may_answer: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)
    _answers: int = PrivateAttr(default=ANSWERS)

    def begin(self) -> None:
        self._may_answer.set()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        await self._may_answer.wait()
        self._answers -= 1
        if self._answers < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        async for response in super().generate_content_async(llm_request, stream):
            yield response


async def die(home: Home, now: datetime, said: int, record: Path) -> None:
    """Accept messages, answer some of them, and end by SIGKILL."""
    clock, model = FakeClock(now), MortalModel(model=NAME)
    post = RecordedPost(clock, record)
    async with daemon_inside(home, clock, post, model, asyncio.Event()):
        for number in range(MESSAGES):
            message_id = f"message-{said + number + 1}"
            sender = NAMES[number % len(NAMES)]
            await post.say(
                f"This is message {said + number + 1}.",
                sender=sender,
                provider_message_id=message_id,
            )
            post.tell("accepted", message_id)
        model.begin()
        await asyncio.Event().wait()


def main(home: str, now: str, said: str, record: str) -> None:
    asyncio.run(die(Home(Path(home)), datetime.fromisoformat(now), int(said), Path(record)))


if __name__ == "__main__":
    main(*sys.argv[1:])

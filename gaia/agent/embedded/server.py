"""The life of the model's process: started on first use, stopped after idle time.

One request runs at a time, in the order of asking. A process that died is
started again by the next request.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx

from gaia.agent.embedded.child import KEY_VARIABLE, Greeting
from gaia.agent.remote.completions import open_client
from gaia.errors import ModelError, ModelMissingError, ModelUnavailableError
from gaia.extras import LOCAL
from gaia.files import create
from gaia.ports import Clock
from gaia.weights.catalogue import CatalogueModel
from gaia.weights.folder import Weights

logger = logging.getLogger(__name__)

START_SECONDS = 180.0
"""Reading 1 GB from a slow card takes a minute."""
PATIENT_THREADS = {"OMP_WAIT_POLICY": "passive"}
"""Threads that wait for each other sleep instead of spinning. On a busy machine
that is five times faster: a spinning thread keeps the other from its core."""
LARGEST_LOG_BYTES = 1_000_000
LOG_TAIL_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class Launch:
    """What a process is started with. `threads` 0 leaves the number to llama.cpp."""

    model: CatalogueModel
    weights: Weights
    context_tokens: int
    threads: int
    log: Path


@dataclass(frozen=True, slots=True)
class _Child:
    """A process that is ready, and where it answers to whom."""

    process: asyncio.subprocess.Process
    base_url: str
    key: str

    @property
    def alive(self) -> bool:
        return self.process.returncode is None


class EmbeddedServer:
    """The process of one model. Its owner calls `close` once.

    The process sees the environment as it is now: what other parts of gaia tell their
    libraries by it later, such as to use one thread, is not for the model.
    """

    def __init__(self, launch: Launch, *, clock: Clock, idle_seconds: float) -> None:
        self._launch = launch
        self._clock = clock
        self._idle_seconds = idle_seconds
        self._environ = dict(os.environ)
        self._one_at_a_time = asyncio.Lock()
        self._child: _Child | None = None
        self._idling: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of the process while there is one."""
        return self._child.process.pid if self._child and self._child.alive else None

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client for one request; waits for its turn, starts the process if need be.
        Closing it makes the process give up what is under way.

        Raises:
            ModelMissingError: The model or its library is not installed.
            ModelUnavailableError: The process does not start.
        """
        async with self._one_at_a_time:
            if self._idling is not None:
                self._idling.cancel()
            child = await self._ready()
            try:
                async with open_client(child.base_url, child.key, trust_env=False) as client:
                    yield client
            except httpx.HTTPError:
                # It died, or is not itself; the next request gets a fresh one.
                await _kill(child.process)
                raise
            finally:
                if not self._closed:
                    self._idling = asyncio.create_task(self._stop_when_idle(child))

    async def close(self) -> None:
        """Stop the process, and with it a request that is under way. Idempotent."""
        self._closed = True
        if self._idling is not None:
            self._idling.cancel()
        if self._child is not None:
            await _kill(self._child.process)

    async def _stop_when_idle(self, child: _Child) -> None:
        await self._clock.sleep(self._idle_seconds)
        async with self._one_at_a_time:
            await _kill(child.process)
            logger.info("the embedded model was stopped after idle time")

    async def _ready(self) -> _Child:
        if self._closed:
            raise ModelUnavailableError("the embedded model is shut down: gaia is stopping")
        if self._child is not None and self._child.alive:
            return self._child
        path = self._launch.weights.require(self._launch.model)
        key = secrets.token_urlsafe(32)
        process = await self._spawn(path, key)
        try:
            port = await self._greeted(process)
        except BaseException:
            await _kill(process)
            raise
        logger.info("the embedded model %s runs as process %d", path.stem, process.pid)
        self._child = _Child(process, f"http://127.0.0.1:{port}/v1", key)
        return self._child

    async def _spawn(self, path: Path, key: str) -> asyncio.subprocess.Process:
        """Start the process, in a session of its own: Ctrl-C in the terminal is for gaia."""
        launch = self._launch
        try:
            with self._open_log() as log:
                return await asyncio.create_subprocess_exec(
                    sys.executable,
                    *("-P", "-m", "gaia.agent.embedded.child"),
                    *(str(path), str(launch.context_tokens), str(launch.threads)),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=log,
                    env={**PATIENT_THREADS, **self._environ, KEY_VARIABLE: key},
                    start_new_session=True,
                )
        except OSError as exc:
            raise ModelUnavailableError(
                f"the embedded model's process cannot be started ({exc}): "
                f"see whether {str(launch.log.parent)!r} is writable and memory is left"
            ) from exc

    async def _greeted(self, process: asyncio.subprocess.Process) -> int:
        """The port of the process, once the model is loaded."""
        assert process.stdout is not None
        try:
            async with asyncio.timeout(START_SECONDS):
                line = await process.stdout.readline()
                if not line:
                    await process.wait()
        except TimeoutError as exc:
            raise self._failure(f"was not ready after {START_SECONDS:.0f} s") from exc
        try:
            greeting = Greeting(*json.loads(line))
        except (ValueError, TypeError) as exc:
            raise self._failure(f"ended while it started ({_end(process)})") from exc
        if greeting.missing:
            raise ModelMissingError(
                f"the engine of the embedded model cannot be loaded ({greeting.missing}): "
                f"run `{LOCAL.install_line}`, or choose another model with 'gaia setup'"
            )
        return greeting.port

    def _failure(self, what: str) -> ModelError:
        log = self._launch.log
        return ModelUnavailableError(
            f"the embedded model's process {what}; the end of {str(log)!r}: {_last_line(log)}"
        )

    def _open_log(self) -> BinaryIO:
        log = self._launch.log
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        create(log)
        full = log.stat().st_size > LARGEST_LOG_BYTES
        return log.open("wb" if full else "ab")


async def _kill(process: asyncio.subprocess.Process) -> None:
    """End the process: it has nothing to save."""
    if process.returncode is None:
        process.kill()
    await process.wait()


def _end(process: asyncio.subprocess.Process) -> str:
    code = process.returncode
    if code is not None and code < 0:
        return f"signal {-code}, often for want of memory"
    return f"exit code {code}"


def _last_line(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - LOG_TAIL_BYTES))
        lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "(empty)")

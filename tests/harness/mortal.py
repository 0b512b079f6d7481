"""Processes that live as long as a test wants: up to the step at which SIGKILL ends them.

A module that is run as one reads lives from its standard input with `fork_lives`; the
test writes them with `Mortals`. Each life is a process forked from one that has imported
everything, so that it may die as often as a test likes.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from subprocess import PIPE, Popen
from typing import Self

from pydantic import BaseModel, JsonValue
from sqlalchemy.orm import configure_mappers


@dataclass(slots=True)
class Fate:
    """Counts the steps that are taken, and ends the process at the last one; with 0
    never."""

    left: int

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class Mortals:
    """The process that lives and dies as it is told."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._process = Popen(
            [sys.executable, "-m", module, *arguments], stdin=PIPE, stdout=PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.communicate()

    def live(self, life: BaseModel) -> JsonValue:
        """What the life came to; None when it died before."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(life.model_dump_json() + "\n")
        self._process.stdin.flush()
        told: JsonValue = json.loads(self._process.stdout.readline())
        return told


def fork_lives(live: Callable[[str], Awaitable[JsonValue]]) -> None:
    """Fork a process for each line of standard input, and print what it comes to."""
    configure_mappers()
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            told = asyncio.run(_awaited(live(line)))
            print(json.dumps(told), flush=True)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code in (-signal.SIGKILL, -signal.SIGSEGV):
            print("null", flush=True)
        elif code:
            sys.exit(f"a life ended with {code}")


async def _awaited(told: Awaitable[JsonValue]) -> JsonValue:
    return await told

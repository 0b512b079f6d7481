"""Starts Python programs by forking: what they import for seconds is imported here, once.

`python -m tests.harness.fork_server NUMBER FOLDER` reads what to start from all who connect to
the socket with that number. It ends when the last of them has left, and kills what it forked and
still runs; mem0 writes into FOLDER when it is imported. Each program is a process as any other:
it runs as `python -m` would run it, with the arguments, environment, folder and standard streams
that it was given, and it ends as an interpreter does, but takes nothing apart that was imported.

Whoever starts one does it with `forked.ForkServer`.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel
from sqlalchemy.orm import configure_mappers

import channels
import gaia
from gaia.memory.index import environment

LARGEST_START = 128 * 1024
"""Bytes of a `Start`; most of it are the variables of the environment."""

STREAMS = 3
"""Standard input, output and error."""

LARGE_PAGE = 2 * 1024 * 1024
MADV_COLLAPSE = 25
"""What Linux 6.1 and later know by this number."""

LATER = (
    "alembic.command",
    "anyio._backends._asyncio",
    "google.adk.a2a.agent",
    "google.adk.agents._agent_router",
    "google.adk.auth.auth_preprocessor",
    "google.adk.flows.llm_flows.auto_flow",
    "google.adk.integrations.openai",
    "google.adk.models.google_llm",
    "google.adk.tools.agent_tool",
    "google.adk.tools.google_search_tool",
    "google.adk.tools.vertex_ai_search_tool",
    "google.adk.workflow._llm_agent_wrapper",
    "google.adk.workflow._workflow",
    "httpcore._async.http2",
    "mem0.utils.factory",
    "mem0.vector_stores.chroma",
    "openai.resources",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.websockets.auto",
)
"""What libraries import while a daemon starts and with its first turn, and its index."""

NOT_IMPORTED = (
    "gaia.__main__",
    "gaia.agent.embedded.child",
    "gaia.store.migrations.env",
    "gaia.testing",
)
"""What runs as a program, or within Alembic alone."""


class Start(BaseModel):
    """A program to start. The descriptors that come with it are those of the socket to
    tell its process id and then its exit code on, and of its standard streams."""

    module: str
    arguments: list[str]
    environ: dict[str, str]
    folder: str


def main() -> None:
    """Import everything, connect the tables' classes, and fork. Only what was forked comes
    back from `serve`."""
    listener = socket.socket(fileno=int(sys.argv[1]))
    environment.prepare(Path(sys.argv[2]))
    for name in (*_modules("gaia", gaia.__path__), *_modules("channels", channels.__path__)):
        importlib.import_module(name)
    for name in LATER:
        importlib.import_module(name)
    configure_mappers()
    _warm_up()
    gc.collect()
    gc.freeze()
    _join_pages()
    start = serve(listener)
    if start is None:
        os.killpg(0, signal.SIGKILL)
    else:
        _run(start.module)


def _warm_up() -> None:
    """Make what a process makes once, at the first message or the first digest: the classes of
    a request, and the phrase books, which take a second. mem0 must not be imported before."""
    from gaia.agent.flow import TurnAgent
    from gaia.agent.tools.calculator import calculate
    from gaia.app.models import load_first_use
    from gaia.memory.when.book import LANGUAGES, open_book
    from gaia.testing.function_model import FunctionModel

    load_first_use()
    TurnAgent(FunctionModel(str), [calculate])
    for language in LANGUAGES:
        open_book(language)


def _join_pages() -> None:
    """Have the kernel keep what has come until now in large pages: most of the time of a fork
    is spent on the table of the small ones. One that cannot do it goes on as it was."""
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, _, *file = line.split()
        if rights.startswith("rw") and file in ([], ["[heap]"]):
            start, end = (int(each, 16) for each in addresses.split("-"))
            start = -(-start // LARGE_PAGE) * LARGE_PAGE
            end = end // LARGE_PAGE * LARGE_PAGE
            if start < end:
                advise(start, end - start, MADV_COLLAPSE)


def serve(listener: socket.socket) -> Start | None:
    """Fork a process for each start that somebody who has connected asks for. Returns in each of
    them, with what it is to run, and in this one when the last has left, with nothing."""
    watched: list[socket.socket | Running] = [listener]
    try:
        while True:
            ready = select.select(watched, [], [])[0][0]
            if ready is listener:
                watched.append(listener.accept()[0])
                continue
            if isinstance(ready, Running):
                watched.remove(ready)
                ready.tell_end()
                continue
            message, descriptors, _, _ = socket.recv_fds(ready, LARGEST_START, STREAMS + 1)
            if not message:
                watched.remove(ready)
                ready.close()
                left = [each for each in watched if isinstance(each, socket.socket)]
                if left == [listener] and not select.select(left, [], [], 0)[0]:
                    return None
                continue
            _check_alone()
            pid = os.fork()
            if pid == 0:
                start = Start.model_validate_json(message)
                _take_streams(*descriptors)
                _become(start)
                return start
            for stream in descriptors[1:]:
                os.close(stream)
            watched.append(Running.told(pid, descriptors[0]))
    finally:
        for each in watched:
            each.close()


@dataclass(frozen=True, slots=True)
class Running:
    """A program that was forked: a descriptor that can be read once it has ended, and where
    its end is told. Nobody may want to know any more."""

    pid: int
    ended: int
    report: socket.socket

    @classmethod
    def told(cls, pid: int, report: int) -> Running:
        """One that has begun, which is told."""
        running = cls(pid, os.pidfd_open(pid), socket.socket(fileno=report))
        with suppress(OSError):
            running.report.send(str(pid).encode())
        return running

    def fileno(self) -> int:
        """What `select` waits for."""
        return self.ended

    def tell_end(self) -> None:
        """Tell its exit code, and let go of it."""
        _, status = os.waitpid(self.pid, 0)
        with suppress(OSError):
            self.report.send(str(os.waitstatus_to_exitcode(status)).encode())
        self.close()

    def close(self) -> None:
        """Let go of it."""
        os.close(self.ended)
        self.report.close()


def _take_streams(report: int, *streams: int) -> None:
    """Put the standard streams in their place, in the process that was forked."""
    os.close(report)
    for number, each in enumerate(streams):
        os.dup2(each, number)
        os.close(each)


def _become(start: Start) -> None:
    """Make this process what a new interpreter would be at its first line."""
    os.chdir(start.folder)
    os.environ.clear()
    os.environ.update(start.environ)
    time.tzset()
    sys.argv = [start.module, *start.arguments]
    buffering = 1 if os.isatty(1) else -1
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", buffering, closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(  # type: ignore[misc]  # noqa: SIM115
        2, "w", 1, errors="backslashreplace", closefd=False
    )


def _run(module: str) -> None:
    """Run a program, and end with its exit code. What it does not mean to end with, as an
    exception, is left to the interpreter."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as wanted:
        if not isinstance(wanted.code, int | None):
            raise
        code = wanted.code or 0
    _end(code)


def _end(code: int) -> None:
    """Do all that an interpreter does at its end, up to taking apart what was imported: of
    a process that was forked this would make a copy first, which takes ten times as long as
    to fork it."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    try:
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
    except OSError:
        return  # The interpreter has a code of its own for this.
    os._exit(code & 0xFF)


def _check_alone() -> None:
    """Only the thread that forks goes on in the new process, and what others hold is held
    there for ever.

    Raises:
        RuntimeError: Something that was imported has started a thread.
    """
    threads = list(Path("/proc/self/task").iterdir())
    if len(threads) > 1:
        raise RuntimeError(f"{len(threads)} threads run here, started by an import")


def _modules(name: str, path: Sequence[str]) -> Sequence[str]:
    found = [each.name for each in pkgutil.walk_packages(path, f"{name}.")]
    return [each for each in found if not each.startswith(NOT_IMPORTED)]


if __name__ == "__main__":
    main()

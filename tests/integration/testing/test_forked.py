"""A forked process is what `python -m` would have started."""

from __future__ import annotations

import os
import signal
import socket
import threading
from asyncio.subprocess import DEVNULL, PIPE

import pytest

from tests.harness import fork_server
from tests.harness.processes import Starter, spawn

A_LATE_THREAD = "t.Thread(target=lambda: print(t.main_thread().join(), 'late')).start()"


async def outcome(start: Starter, module: str, *arguments: str, home: object, written: str):
    environ = {**os.environ, "GAIA_HOME": str(home)}
    process = await start(module, *arguments, environ=environ, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    stdout, stderr = await process.communicate(written.encode())
    return await process.wait(), stdout, stderr


@pytest.mark.parametrize(
    ("command", "written"),
    [
        (["gaia", "--help"], ""),
        (["gaia", "status", "--nonsense"], ""),
        (["gaia", "status"], ""),
        (["json.tool"], '{"grüße": 1}'),
        (["json.tool"], "nonsense"),
        (["code"], "import atexit\natexit.register(print, 'over')\nraise SystemExit(3)\n"),
        (["code"], f"import threading as t\n{A_LATE_THREAD}\nraise SystemExit\n"),
        (["code"], "raise SystemExit('in words')\n"),
        (["code"], "import os\nos.close(2)\nraise SystemExit(0)\n"),
    ],
)
async def test_it_prints_complains_and_ends_as_one_that_was_spawned(
    forks, command, written, tmp_path
):
    spawned = await outcome(spawn, *command, home=tmp_path, written=written)
    assert await outcome(forks.start, *command, home=tmp_path, written=written) == spawned
    assert b"".join(spawned[1:])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_signal_that_ended_it_is_told(forks, number):
    process = await forks.start("json.tool", environ=os.environ, stdin=PIPE, stdout=DEVNULL)
    process.send_signal(number)
    assert await process.wait() == await process.wait() == process.returncode == -number
    process.send_signal(number)
    await process.communicate()


async def test_nothing_is_forked_beside_a_thread():
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    with control:
        listener.bind("")
        listener.listen()
        control.connect(listener.getsockname())
        control.send(b"anything")
        with pytest.raises(RuntimeError, match="threads run here"):
            fork_server.serve(listener)
    done.set()
    thread.join()

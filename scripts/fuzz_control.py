#!/usr/bin/env python3
"""Whether any request to the control socket can stop gaia, or keep it from answering others.

Sends odd requests and chats to a real daemon, many at once. Fails when the daemon ends, when a
sound request in between is not answered at once, when an answer is an error of gaia's, when the
log has a traceback or a word of a request, or when connections or memory are not given back.
Needs the environment of `scripts/setup-dev`.
"""

from __future__ import annotations

import asyncio
import re
import signal
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.harness.fuzz import run, show
from tests.harness.odd_requests import CANARY, OddRequest, odd_requests
from tests.harness.processes import DaemonProcess, running_daemon
from tests.servers.model_server import running_model_server

AT_ONCE = 50
ANSWER_SECONDS = 0.5
"""How long an answer is waited for; much of what is sent gets none."""

SOUND_SECONDS = 10.0
MORE_DESCRIPTORS = 40
MORE_MEGABYTES = 200
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
UNFIT = re.compile(rf"Traceback|ERROR|CRITICAL|{CANARY}")
"""In a line of the log."""

SETTINGS = """\
model: {{provider: openai, name: fake, base_url: '{url}', retries: 0}}
web: {{enabled: false}}
limits: {{messages_per_minute: 10000}}
"""


async def fuzz(count: int, seed: int) -> bool:
    with TemporaryDirectory(prefix="gaia-fuzz-") as folder:
        home = Home(Path(folder) / "home")
        async with running_model_server() as model:
            user_id = await _furnish(home, model.openai_base_url)
            async with running_daemon(home) as daemon:
                return await _fuzz(home, daemon, odd_requests(user_id, count, seed))


async def _furnish(home: Home, url: str) -> str:
    home.create()
    home.settings_file.write_text(SETTINGS.format(url=url))
    home.env_file.write_text("OPENAI_API_KEY=x\n")
    home.env_file.chmod(0o600)
    database = await open_database(home)
    users = Users(database, SystemClock())
    ada = await users.create("ada", Role.OWNER, Address("terminal", "ada"))
    await database.close()
    return ada.user_id


async def _fuzz(home: Home, daemon: DaemonProcess, requests: Iterable[OddRequest]) -> bool:
    reading = asyncio.create_task(daemon.ended())
    await _sound(home)
    descriptors, megabytes = _held(daemon.pid)
    answers: Counter[str] = Counter()
    faults: list[str] = []
    supply = iter(requests)
    while some := list(islice(supply, AT_ONCE)):
        given = await asyncio.gather(*(_answer(home, each) for each in some))
        answers.update(each or "none" for each in given)
        faults += [
            f"number {request.number} is answered with {answer}: {request.pieces!r}"
            for request, answer in zip(some, given, strict=True)
            if answer.startswith("5") and answer != "503"
        ]
        if fault := await _sound(home):
            faults.append(f"after number {some[-1].number}: {fault}")
        if reading.done():
            faults.append(f"number {some[0].number} and those after it ended the daemon")
            break
    faults += await _leaks(home, daemon, descriptors, megabytes) if not reading.done() else []
    daemon.send(signal.SIGTERM)
    code = await reading
    faults += [f"the daemon ended with {code}"] if code else []
    faults += [f"in the log: {line}" for line in daemon.log if UNFIT.search(line)]
    told = ", ".join(f"{times} x {answer}" for answer, times in sorted(answers.items()))
    print(f"{told}; {len(daemon.log)} lines of the log, {len(faults)} faults")
    return show(faults)


async def _answer(home: Home, request: OddRequest) -> str:
    """The status of the first answer, empty when there is none."""
    reader, writer = await asyncio.open_unix_connection(str(home.control_socket))
    answer = b""
    with suppress(OSError):
        for piece in request.pieces:
            writer.write(piece)
            await asyncio.sleep(0)
        if request.hangs_up != "at once":
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_SECONDS):
                    await writer.drain()
                    if request.hangs_up == "answered":
                        answer = await reader.read(1_000)
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    found = STATUS.match(answer)
    return found[1].decode() if found else ""


async def _sound(home: Home) -> str:
    """What is wrong with the answer to a sound request."""
    transport = httpx.AsyncHTTPTransport(uds=str(home.control_socket))
    async with httpx.AsyncClient(transport=transport, timeout=SOUND_SECONDS) as client:
        try:
            answer = await client.get("http://gaia/local/status")
        except httpx.HTTPError as exc:
            return f"a sound request is not answered ({exc!r})"
    if answer.status_code != 200 or not answer.json()["ready"]:
        return f"a sound request is answered with {answer.status_code}: {answer.text}"
    return ""


async def _leaks(
    home: Home, daemon: DaemonProcess, descriptors: int, megabytes: float
) -> Sequence[str]:
    """What was not given back, after a while for what still runs."""
    for _ in range(20):
        now, grown = _held(daemon.pid)
        if now <= descriptors + MORE_DESCRIPTORS:
            break
        await asyncio.sleep(0.5)
    found = []
    if now > descriptors + MORE_DESCRIPTORS:
        found.append(f"{now} descriptors are open, and {descriptors} were")
    if grown > megabytes + MORE_MEGABYTES:
        found.append(f"{grown:.0f} MB are resident, and {megabytes:.0f} were")
    return found


def _held(pid: int) -> tuple[int, float]:
    """The open descriptors of a process, and its resident megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    resident = re.search(r"VmRSS:\s+(\d+) kB", status)
    return len(list(Path(f"/proc/{pid}/fd").iterdir())), int(resident[1] if resident else 0) / 1024


if __name__ == "__main__":
    run(fuzz, __doc__, count=10_000, what="requests")

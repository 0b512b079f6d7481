"""gaia as a user has it: a daemon that is a process, a scripted Telegram and a scripted model
host on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from figures import resident_megabytes

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.harness.processes import READY, DaemonProcess, spawn
from tests.servers.model_server import RemoteModelServer, Step, spawned_model_server
from tests.servers.telegram import Person, TelegramServer, running_telegram

FIRST_PERSON = 100


@dataclass(frozen=True, slots=True)
class Outside:
    """A daemon that runs, and what it talks to."""

    home: Home
    pid: int
    started_seconds: float
    """How long it took until it was ready."""
    telegram: TelegramServer
    model: RemoteModelServer

    def processor_seconds(self) -> float:
        """The processor time that the daemon has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def resident_megabytes(self) -> float:
        """The memory of the daemon."""
        return resident_megabytes(self.pid)

    async def ask(self, person: Person, text: str) -> float:
        """The seconds until a message on Telegram is answered."""
        seen = len(self.telegram.messages(person))
        started = time.perf_counter()
        person.writes(text)
        await self.telegram.until(lambda: len(self.telegram.messages(person)) > seen)
        return time.perf_counter() - started


@asynccontextmanager
async def outside(people: int = 1) -> AsyncIterator[Outside]:
    """A daemon in a home of its own, which so many people may write to."""
    with TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        async with (
            spawned_model_server() as model,
            running_telegram(SystemClock()) as telegram,
        ):
            await model.script(Step(times=None, text="Certainly."))
            await furnish(home, model, telegram, people)
            environ = {**os.environ, "GAIA_HOME": str(home.root)}
            started = time.perf_counter()
            process = await spawn("gaia", "serve", environ=environ, stdin=DEVNULL, stderr=PIPE)
            daemon = DaemonProcess(process)
            try:
                await daemon.until_logged(READY)
                ready = time.perf_counter() - started
                yield Outside(home, process.pid, ready, telegram, model)
                await daemon.terminate()
            finally:
                await daemon.kill()


async def furnish(
    home: Home, model: RemoteModelServer, telegram: TelegramServer, people: int
) -> None:
    """Write the settings, and make the people known."""
    home.create()
    home.settings_file.write_text(
        f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
        f"channels: {{telegram: {{enabled: true, base_url: '{telegram.url}'}}}}\n"
        "sessions: {settle_seconds: 0}\nweb: {enabled: false}\nbackup: {enabled: false}\n"
        "limits: {messages_per_minute: 10000}\n"
    )
    home.env_file.write_text(f"GAIA_TELEGRAM_BOT_TOKEN={telegram.token}\nOPENAI_API_KEY=x\n")
    home.env_file.chmod(0o600)
    database = await open_database(home)
    users = Users(database, SystemClock())
    for number in range(people):
        address = Address("telegram", str(FIRST_PERSON + number))
        await users.create(f"person{number}", Role.MEMBER if number else Role.OWNER, address)
        telegram.person(FIRST_PERSON + number, f"Person{number}")
    await database.close()


def person(telegram: TelegramServer, number: int) -> Person:
    """One of the people who were made known."""
    return telegram.person(FIRST_PERSON + number, f"Person{number}")


def python(statement: str) -> Sequence[str]:
    """The command that runs a statement in a new interpreter."""
    return (sys.executable, "-c", statement)


def least_seconds(command: Sequence[str], rounds: int, home: Home | None = None) -> float:
    """The processor time of a command, the least of some rounds: that of a busy machine is
    more, and the clock on the wall tells how busy it is."""
    environ = {**os.environ, **({"GAIA_HOME": str(home.root)} if home else {})}

    def used() -> float:
        usage = getrusage(RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    taken = []
    for _ in range(rounds):
        before = used()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environ)
        taken.append(used() - before)
    return min(taken)

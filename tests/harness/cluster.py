"""Several gaias on one PostgreSQL database, behind a balancer that Telegram calls."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from asyncio.subprocess import DEVNULL, PIPE
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy import URL

from gaia.clock import SystemClock
from gaia.messages import REPEAT_MARK, Address
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.location import VARIABLE
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.postgres.database import PostgresDatabase
from tests.harness.learning_model import LearningModel
from tests.harness.polling import until
from tests.harness.postgres import PostgresServer
from tests.harness.processes import Process, Starter
from tests.servers.balancer import Balancer, running_balancer
from tests.servers.model_server import (
    ModelServer,
    RemoteModelServer,
    Step,
    running_model_server,
    spawned_model_server,
)
from tests.servers.telegram import Person, TelegramServer, running_telegram

ANSWERED_SECONDS = 240


class Gaia:
    """One of the processes: its home, and the port that the balancer knows."""

    def __init__(self, start: Starter, home: Home, port: int, url: str) -> None:
        self.home, self.port = home, port
        self._start, self._url = start, url
        self._process: Process | None = None

    async def start(self, *arguments: str) -> None:
        """Start it, once the one before has ended; with `arguments`, another command than that
        which serves, and one that waits for what is typed."""
        await self.ended()
        chosen = {VARIABLE: self._url} if self._url else {}
        self._process = await self._start(
            "gaia",
            *(arguments or ("serve",)),
            environ={**os.environ, "GAIA_HOME": str(self.home.root), **chosen},
            stdin=PIPE if arguments else DEVNULL,
            stdout=DEVNULL if arguments else None,
            stderr=DEVNULL,
        )

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    def is_process(self, pid: int) -> bool:
        """Whether it is the process of that number."""
        return self._process is not None and self._process.pid == pid

    async def ended(self) -> int:
        """Its exit code, once it has ended; negative for a signal."""
        return await self._process.wait() if self._process else 0


@dataclass(frozen=True, slots=True)
class Cluster:
    """The processes, and what is around them."""

    gaias: Sequence[Gaia]
    server: PostgresServer | None
    url: URL | None
    telegram: TelegramServer
    model: RemoteModelServer | ModelServer
    balancer: Balancer

    async def start(self) -> None:
        """Start all, and return once all are ready."""
        for gaia in self.gaias:
            await gaia.start()
        await self.balancer.until_ready(len(self.gaias))

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """What the database answers."""
        with self._connected() as connection:
            return connection.execute(query).fetchall()

    def execute(self, statement: str) -> None:
        """Have the database do something."""
        with self._connected() as connection:
            connection.execute(statement)

    async def until(self, holds: Callable[[], bool], seconds: float = 30.0) -> None:
        """Return once it holds."""
        await until(holds, seconds)

    def leader(self) -> Gaia | None:
        """The process that leads, if one does."""
        leading = self.rows("SELECT name FROM processes WHERE leads")
        pids = [int(str(name).rpartition("-")[2]) for (name,) in leading]
        return next((each for each in self.gaias for pid in pids if each.is_process(pid)), None)

    async def until_answered(self, said: Sequence[tuple[Person, str]]) -> None:
        """Return once each has an answer, or it is too late to hope for it."""
        wanted = {(person.chat_id, f"echo: {text}") for person, text in said}
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWERED_SECONDS):
                await self.telegram.until(lambda: wanted <= self._answered())

    def check(self, said: Sequence[tuple[Person, str]]) -> None:
        """Each was answered once, in order; a second copy is marked as what it is."""
        assert self.telegram.violations == ()
        for person in dict.fromkeys(person for person, _ in said):
            sent = [each.text for each in self.telegram.messages(person)]
            unmarked = Counter(text for text in sent if not text.startswith(REPEAT_MARK))
            assert max(unmarked.values(), default=0) <= 1, sent
            first_copies = list(dict.fromkeys(text.removeprefix(REPEAT_MARK) for text in sent))
            assert first_copies == [f"echo: {text}" for who, text in said if who is person]

    def _connected(self) -> psycopg.Connection:
        assert self.url is not None
        dsn = self.url.set(drivername="postgresql").render_as_string(hide_password=False)
        return psycopg.connect(dsn)

    def _answered(self) -> set[tuple[int, str]]:
        return {
            (each.chat_id, each.text.removeprefix(REPEAT_MARK)) for each in self.telegram.messages()
        }


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def prepare(database: Database, people: Sequence[int]) -> None:
    """Make the people known."""
    users = Users(database, SystemClock())
    await users.create("owner", Role.OWNER, Address("telegram", "1"))
    for person in people:
        await users.create(f"person{person}", Role.MEMBER, Address("telegram", str(person)))
    await database.close()


@asynccontextmanager
async def cluster_of(
    count: int,
    people: Sequence[int],
    folder: Path,
    start: Starter,
    server: PostgresServer | None,
    reader: LearningModel | None = None,
) -> AsyncIterator[Cluster]:
    """So many processes that have not been started; one, with a file, without a `server`. They
    learn from a `reader`, and remember nothing without. What runs is killed on leaving."""
    url = server.database() if server else None
    async with AsyncExitStack() as stack:
        model: RemoteModelServer | ModelServer
        if reader is None:
            model = spawned = await stack.enter_async_context(spawned_model_server(start))
            await spawned.script(Step(times=None, latency_seconds=0.02))
        else:
            model = await stack.enter_async_context(running_model_server(shaped=reader))
        telegram = await stack.enter_async_context(running_telegram(SystemClock()))
        ports = [free_port() for _ in range(count)]
        balancer = await stack.enter_async_context(running_balancer(ports))
        gaias = []
        for number, port in enumerate(ports):
            home = Home(folder / f"home{number}")
            home.create()
            home.settings_file.write_text(
                f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
                "sessions: {settle_seconds: 0}\n"
                f"web: {{port: {port}}}\n"
                f"memory: {{enabled: {'false' if reader is None else 'true'}}}\n"
                "limits: {messages_per_minute: 1000}\n"
                f"channels: {{telegram: {{enabled: true, base_url: '{telegram.url}', "
                f"mode: webhook, webhook_url: '{balancer.url}'}}}}\n"
            )
            home.env_file.write_text(f"GAIA_TELEGRAM_BOT_TOKEN={telegram.token}\n")
            home.env_file.chmod(0o600)
            address = url.render_as_string(hide_password=False) if url else ""
            gaias.append(Gaia(start, home, port, address))
        await prepare(PostgresDatabase(url) if url else await open_database(gaias[0].home), people)
        try:
            yield Cluster(gaias, server, url, telegram, model, balancer)
        finally:
            for gaia in gaias:
                gaia.send(signal.SIGCONT)
                gaia.send(signal.SIGKILL)
                await gaia.ended()

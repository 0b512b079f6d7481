"""The life of a home in a soak: days with talks and nights with jobs, settings that change,
restarts and crashes, by a clock that is moved on."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from figures import MEGABYTE, resident_megabytes
from gaia_inside import MOST_MESSAGES, PROVIDER, daemon_inside
from kit import NAME
from soak_figures import Period
from soak_model import SoakModel
from soak_people import CHANNEL, NAMES, Person, Post, Talk

from gaia.app.build import App
from gaia.messages import Address, Health
from gaia.paths import Home
from gaia.schedule.jobs import Daily
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import FakeClock

BIRTH = datetime(2100, 1, 1, 6, tzinfo=UTC)
"""When the life begins: to come, so that nothing of gaia's is due by the machine's time."""

CRASHING = Path(__file__).with_name("soak_crash.py")

TURNS_A_TALK = 12
SECONDS_A_TURN = (3, 12)
"""A talk takes less than a step of the index may, which runs meanwhile."""

IDLE = timedelta(minutes=45)
"""After a talk: long enough for a session to idle out."""

WORKERS = tuple(
    f"{name}-"
    for name in ("handler", "command", "delivery", "digest", "forgetting", "backups", "profiling")
)
"""How the names of tasks begin that are there while something is to be done."""

POOLED = "sqlx-sqlite-wor"
"""A thread of Chroma's for a connection to its database."""

LOOK_SECONDS = 0.002
RESTLESS_SECONDS = 1.0
"""What is not at rest for so long may be waiting for the clock."""
HOPELESS_SECONDS = 180.0

SETTINGS = """\
model: {{provider: {provider}, name: {name}, base_url: 'http://127.0.0.1:9/v1', retries: 0,
  instructions: 'Change {number}.'}}
limits: {{messages_per_minute: {most_messages}, concurrent_turns: {slots}}}
sessions: {{settle_seconds: 0, window_turns: {window}}}
memory: {{enabled: {remembers}, recall_limit: {recall}, fusion: {fusion}}}
web: {{port: 0}}
metrics: {{enabled: {counts}, port: 0}}
"""


class Life:
    """A home with three people, from the first day on. `days_a_period` are between two
    restarts, `turns` what is said in all."""

    def __init__(self, home: Home, seed: int, turns: int, periods: int, days_a_period: int) -> None:
        self.home = home
        self.clock = FakeClock(BIRTH)
        self.post = Post(self.clock)
        self._chance = random.Random(seed)
        self.talk = Talk(self.post, self._chance)
        self._people = [Person(name) for name in NAMES]
        self._turns, self._days = turns, periods * days_a_period
        self._days_a_period = days_a_period
        self._hang_up = asyncio.Event()
        self._changes = 0
        self._wal_bytes = 0

    async def begin(self) -> None:
        """Make the home, and its people known."""
        self.home.create()
        self.home.env_file.write_text("OPENAI_API_KEY=x\n")
        self.home.env_file.chmod(0o600)
        self._write_settings()
        database = await open_database(self.home)
        users = Users(database, self.clock)
        for person in self._people:
            role = Role.MEMBER if await users.list() else Role.OWNER
            await users.create(person.name, role, Address(CHANNEL, person.name))
        await database.close()
        await _start_threads()

    async def live(self, number: int) -> Period:
        """Live through a period, from a start of gaia to its end; returns how it was last."""
        said_before = self.talk.said
        self.talk.taken.clear()
        self._wal_bytes = 0
        async with self._awake() as awake:
            for day in range(self._days_a_period):
                await self._day(awake, (number - 1) * self._days_a_period + day + 1)
                self._wal_bytes = max(self._wal_bytes, self._log_bytes())
            await self._forget_memory_for_a_while(awake)
            await awake.until_indexed()
            return self._measured(number, self.talk.said - said_before)

    async def crash(self) -> None:
        """Have gaia killed in the middle of some turns, in a process of its own."""
        record = self.home.root.with_name("crash.txt")
        record.unlink(missing_ok=True)
        self.post.turn_page()
        told = (str(self.home.root), self.clock.now().isoformat(), str(self.talk.said), str(record))
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, CRASHING, *told],
            check=False,
            capture_output=True,
            timeout=HOPELESS_SECONDS,
        )
        if done.returncode != -signal.SIGKILL:
            raise RuntimeError(f"the process that was to be killed ended: {done.stderr.decode()}")
        lines = [line.split() for line in record.read_text().splitlines()]
        answered = {message_id for what, message_id in lines if what == "answered"}
        accepted = [message_id for what, message_id in lines if what == "accepted"]
        for message_id in accepted:
            if message_id not in answered:
                self.post.expect(message_id)
        for message_id in answered:
            self.post.note(message_id)
        self.talk.said += len(accepted)

    async def end(self) -> None:
        """Start gaia once more, and let it do what is left."""
        async with self._awake() as awake:
            await awake.pass_time(timedelta(hours=2))
        self.post.faults += [f"message {each} has no answer" for each in self.post.without_answer]

    @asynccontextmanager
    async def _awake(self) -> AsyncIterator[Awake]:
        model = SoakModel(model=NAME)
        async with daemon_inside(self.home, self.clock, self.post, model, self._hang_up) as app:
            yield Awake(app, self.clock)

    async def _day(self, awake: Awake, day: int) -> None:
        """Talks over the day, and a night. Now and then the settings change."""
        dawn = BIRTH + timedelta(days=day - 1)
        if day == 1:
            await self.talk.remember(self._people[0])
            await awake.rest()
        left = self._turns * day // self._days - self.talk.said
        while left > 0:
            await self._talk(awake, min(left, TURNS_A_TALK))
            left -= TURNS_A_TALK
            rest_of_day = dawn + timedelta(hours=17) - self.clock.now()
            await awake.pass_time(rest_of_day / (2 + max(left, 0) / TURNS_A_TALK))
        if self._chance.random() < 0.1:
            await self._change_settings(awake)
        await awake.pass_time(dawn + timedelta(days=1) - self.clock.now())

    async def _talk(self, awake: Awake, messages: int) -> None:
        person = self._chance.choice(self._people)
        for _ in range(messages):
            await self.talk.something(person)
            self.clock.advance(self._chance.randint(*SECONDS_A_TURN))
        await awake.pass_time(IDLE)

    async def _change_settings(
        self, awake: Awake, *, remembers: bool = True, counts: bool = True
    ) -> None:
        instructions = self._write_settings(remembers=remembers, counts=counts)
        self._hang_up.set()
        await awake.until(lambda: awake.app.settings.value.model.instructions == instructions)
        await awake.rest()

    async def _forget_memory_for_a_while(self, awake: Awake) -> None:
        """Switch memory off and on again: the index is closed, and opened again."""
        await self._change_settings(awake, remembers=False)
        await self._change_settings(awake, counts=False)

    def _write_settings(self, *, remembers: bool = True, counts: bool = False) -> str:
        self._changes += 1
        text = SETTINGS.format(
            provider=PROVIDER,
            name=NAME,
            number=self._changes,
            most_messages=MOST_MESSAGES,
            slots=self._chance.randint(4, 8),
            window=self._chance.randint(20, 40),
            remembers=str(remembers).lower(),
            recall=self._chance.randint(3, 8),
            fusion=self._chance.choice(("sum", "rank")),
            counts=str(counts).lower(),
        )
        self.home.settings_file.write_text(text)
        return f"Change {self._changes}."

    def _measured(self, number: int, turns: int) -> Period:
        gc.collect()
        threads = _threads()
        connections = threads.count(POOLED)
        return Period(
            number=number,
            turns=turns,
            resident_mb=resident_megabytes(os.getpid()),
            database_mb=self.home.database.stat().st_size / MEGABYTE,
            wal_mb=max(self._wal_bytes, self._log_bytes()) / MEGABYTE,
            index_mb=_megabytes(self.home.memory),
            backups_mb=_megabytes(self.home.backups),
            logs_mb=_megabytes(self.home.logs),
            threads=len(threads) - connections,
            descriptors=len(_descriptors()) - connections,
            connections=connections,
            tasks=len(asyncio.all_tasks()),
            turn_ms=1000 * statistics.median(self.talk.taken),
        )

    def _log_bytes(self) -> int:
        log = self.home.database.with_name(f"{self.home.database.name}-wal")
        return log.stat().st_size if log.exists() else 0


class Awake:
    """A gaia that runs, and the jobs that it has to do."""

    def __init__(self, app: App, clock: FakeClock) -> None:
        self.app = app
        self._clock = clock
        self._ledger = app.ledger
        self._due: dict[str, datetime] = {}

    async def pass_time(self, duration: timedelta) -> None:
        """Let time pass, and do meanwhile what there is to do."""
        end = self._clock.now() + duration
        while (left := end - self._clock.now()) > timedelta(0):
            await self.rest()
            self._clock.advance(min(left, await self._until_next_job()).total_seconds())
            await self._do_jobs()
        await self.rest()

    async def rest(self) -> None:
        """Return when nothing is left to be done for now."""
        await self.until(lambda: not any(_busy()))
        await self.app.index.flush()

    async def until_indexed(self) -> None:
        """Return at rest, with the index open."""
        await self.until(lambda: self.app.index.health() == Health(ok=True))
        await self.rest()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return once something holds. What waits for the clock meanwhile is helped along.

        Raises:
            TimeoutError: It never does.
        """
        begun = time.monotonic()
        restless = begun + RESTLESS_SECONDS
        while not holds():
            await asyncio.sleep(LOOK_SECONDS)
            if time.monotonic() > restless:
                restless += RESTLESS_SECONDS
                self._clock.advance(1)
            if time.monotonic() > begun + HOPELESS_SECONDS:
                waits = ", ".join(_busy()) or f"index: {self.app.index.health().detail}"
                raise TimeoutError(f"gaia does not come to rest: {waits}")

    async def _until_next_job(self) -> timedelta:
        """How long until a daily job is due. Those that are run more often wait for a talk."""
        plans = [await self._ledger.plan(name, when) for name, when in self._daily()]
        return max(min(plan.run_at for plan in plans) - self._clock.now(), timedelta(0))

    async def _do_jobs(self) -> None:
        for job in self.app.jobs():
            now = self._clock.now()
            if isinstance(job.when, Daily):
                plan = await self._ledger.plan(job.name, job.when)
                if plan.run_at <= now:
                    await self._ledger.run(job, plan)
            elif now >= self._due.get(job.name, now):
                self._due[job.name] = now + job.when.interval
                await self._ledger.run_often(job)

    def _daily(self) -> Iterator[tuple[str, Daily]]:
        return ((job.name, job.when) for job in self.app.jobs() if isinstance(job.when, Daily))


def _busy() -> Iterator[str]:
    names = (task.get_name() for task in asyncio.all_tasks())
    return (name for name in names if name.startswith(WORKERS))


async def _start_threads() -> None:
    """Have all threads of the pool that calls of the system run in: it grows by and by."""
    most = min(32, (os.cpu_count() or 1) + 4)
    together = threading.Barrier(most)
    await asyncio.gather(*(asyncio.to_thread(together.wait) for _ in range(most)))


def _threads() -> list[str]:
    """The names of this process's threads, as the system knows them."""
    return [(each / "comm").read_text().strip() for each in Path("/proc/self/task").iterdir()]


def _descriptors() -> list[Path]:
    return list(Path("/proc/self/fd").iterdir())


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MEGABYTE

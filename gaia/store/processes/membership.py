"""A process among those that work on one PostgreSQL database: it gives signs of life, hears what
others tell, takes over what the dead have left, and leads where nobody does.

One process leads: it does what is to be done once, such as the jobs, the digests and the index.
One that does not serve, as under `gaia chat`, leaves that to the first that does. A conversation
is held by one process, which alone answers in it and has its channel; see `processes`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import psycopg
from sqlalchemy.orm import Session

from gaia import __version__
from gaia.errors import HomeError, StoreError
from gaia.paths import Home
from gaia.store.postgres.connections import PREPARE, connection_words
from gaia.store.postgres.database import TAKEN_FOR_DEAD, PostgresDatabase
from gaia.store.postgres.faults import TakenForDeadError, store_error
from gaia.store.postgres.silence import ImpatientAsyncConnection
from gaia.store.processes import homes, processes, shared_settings
from gaia.store.processes.notices import FORGOTTEN, HELD, LEAD, RECOVER, WANTED, Callbacks
from gaia.store.processes.processes import Process

logger = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
LATE_BEATS = 3
"""How many may be left out before others may look dead for no fault of theirs."""
AGAIN_SECONDS = 0.5
"""Between two tries to reach a server that does not answer."""

MOVING = ("terminal",)
"""Channels that people reach at one machine: a conversation there goes with its chat, and who
holds it is asked each time."""


class Membership:
    """Implements `core.workers.Share` for conversations. `join` comes first, `run` follows."""

    def __init__(
        self,
        database: PostgresDatabase,
        home: Home,
        *,
        serves: bool = True,
        beat_seconds: float = BEAT_SECONDS,
        steady_seconds: float = processes.LIFE_SECONDS,
        silent_seconds: float = 2 * processes.LIFE_SECONDS,
    ) -> None:
        """One that does not serve lives for as long as a chat at this machine. Others are taken
        for dead once it was `steady_seconds` in touch itself. After `silent_seconds` without an
        answer the connection counts as lost."""
        self._serves = serves
        self._beat_seconds, self._steady_seconds = beat_seconds, steady_seconds
        self._silent_seconds = silent_seconds
        self.process_id = secrets.token_hex(8)
        self.name = f"{socket.gethostname()}-{os.getpid()}"
        self._database = database
        self._home = home
        self._held: set[int] = set()
        self._leads = asyncio.Event()
        self._is_over = self._is_cut_off = False
        self._steady_since: float | None = None
        self._beat_at = 0.0
        self._due: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        self._callbacks = Callbacks()

    @property
    def leads(self) -> bool:
        """Whether this process does what is to be done once."""
        return self._leads.is_set()

    @property
    def is_over(self) -> bool:
        """Whether others have taken this process for dead."""
        return self._is_over

    @property
    def lives(self) -> bool:
        """Whether it has given a sign of life lately, and is not taken for dead."""
        since = asyncio.get_running_loop().time() - self._beat_at
        return not self._is_over and since < processes.LIFE_SECONDS

    async def processes(self) -> Sequence[Process]:
        """All of them, the oldest first."""
        return await self._database.read(processes.listed)

    async def until_leads(self) -> None:
        """Return when this process leads. One that serves does until it ends."""
        await self._leads.wait()

    def tell(self, callbacks: Callbacks) -> None:
        """Have these called from now on."""
        self._callbacks = callbacks

    def tell_forgotten(self) -> None:
        """Have all of them drop what they hold in memory."""
        self._due.put_nowait(self._notify_forgotten)

    async def join(self) -> None:
        """Begin to be one of the processes.

        Raises:
            StoreError: The database does not answer.
            HomeError: The home cannot be written to, or another gaia runs with a copy of it.
        """
        home = await asyncio.to_thread(homes.mark_of, self._home)
        await self._require_place(home)
        leads = await self._database.write(
            processes.join, self.process_id, home, self.name, __version__, serves=self._serves
        )
        self._database.belong_to(self.process_id)
        self._beat_at = asyncio.get_running_loop().time()
        if leads:
            self._begin_to_lead()

    async def _require_place(self, home: str) -> None:
        """Look whether what was in this home has ended: one that was killed gives no sign."""
        silence = LATE_BEATS * self._beat_seconds
        before = await self._database.read(processes.last_sign, home)
        if before is None or before.seconds_ago >= silence:
            return
        await asyncio.sleep(silence - before.seconds_ago)
        now = await self._database.read(processes.last_sign, home)
        if now is not None and now.expires_at != before.expires_at:
            raise HomeError(
                f"the gaia {now.name} runs with a copy of this home: remove "
                f"{str(self._home.process_mark)!r} here, or its like there, and start that one "
                "again"
            )

    async def run(self) -> None:
        """Give signs of life and hear the others until cancelled.

        Raises:
            TakenForDeadError: Others have taken over: nothing that is still done counts.
        """
        work = asyncio.create_task(self._carry_out(), name="work-of-processes")
        try:
            await self._live()
        finally:
            work.cancel()

    async def _live(self) -> None:
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError, StoreError) as exc:
                if isinstance(exc, TakenForDeadError):
                    self._is_over = True
                    raise
                self._steady_since = None
                if not self._is_cut_off:
                    self._is_cut_off = True
                    told = store_error(self._database.name, exc) or exc
                    logger.warning("cut off from the database until it answers: %s", told)
                await asyncio.sleep(AGAIN_SECONDS)

    async def leave(self) -> None:
        """Be one of the processes no more: others take up at once what this one held."""
        if not self._is_over:
            with suppress(StoreError):
                await self._database.write(_leave, self.process_id)

    async def takes(self, key: int) -> bool:
        """Whether this process holds the conversation; it does from now on if nobody did and it
        has the channel. Another one that holds it, or has the channel, is told of the work."""
        if key in self._held:
            return True
        has = self._callbacks.has
        holder, channel = await self._database.write(_claim, key, self.process_id, has)
        if holder == self.process_id and channel not in MOVING:
            self._held.add(key)
        return holder == self.process_id

    async def here(self, channel: str, chat: str) -> Sequence[int]:
        """Say that somebody is at a chat of this machine, and at no other's: their conversations
        are this process's from now on. Returns those that are."""
        if channel not in MOVING:
            return ()
        return await self._database.write(processes.move, channel, chat, self.process_id)

    def of_leader(self) -> OfLeader:
        """The share of what is for the leader."""
        return OfLeader(self, self._database)

    async def _listen(self) -> None:
        words = {**connection_words(self._database.engine.url), "connect_timeout": 5}
        async with await ImpatientAsyncConnection.connect(**words, autocommit=True) as connection:
            connection.silent_seconds = self._silent_seconds
            await connection.execute(PREPARE)
            await connection.execute(f"LISTEN {processes.CHANNEL}")
            # A standby that lagged may have become the server: what it knows of holders counts.
            self._held.clear()
            # What was told meanwhile was told to nobody.
            self._due.put_nowait(self._callbacks.recover)
            self._callbacks.settings()
            while True:
                await self._beat(connection)
                async for notice in connection.notifies(timeout=self._beat_seconds):
                    self._heard(notice.payload)

    async def _beat(self, connection: psycopg.AsyncConnection) -> None:
        cursor = await connection.execute(processes.BEAT, (self.process_id,))
        row = await cursor.fetchone()
        if row is None:
            raise TakenForDeadError(TAKEN_FOR_DEAD)
        if self._is_cut_off:
            self._is_cut_off = False
            logger.info("the database answers again")
        now, before = asyncio.get_running_loop().time(), self._beat_at
        self._beat_at = now
        if self._steady_since is None or now - before > LATE_BEATS * self._beat_seconds:
            self._steady_since = now
        has_to_tidy, leads, has_to_follow = row
        # Where the server was away, or answered late, all others have been silent for as long.
        is_steady = now - self._steady_since >= self._steady_seconds
        if not self._due.empty():
            # Something waits for a lock: the next sign of life looks again.
            return
        if has_to_tidy and is_steady:
            self._due.put_nowait(self._tidy)
        elif has_to_follow:
            self._due.put_nowait(self._follow)
        elif leads:
            self._due.put_nowait(self._callbacks.led)

    async def _tidy(self) -> None:
        removed, leads = await self._database.write(_tidy, self.process_id)
        for name in removed:
            logger.warning("the gaia %s gave no sign any more: its work is taken over", name)
        if leads:
            self._begin_to_lead()
        if removed:
            await self._callbacks.recover()

    async def _follow(self) -> None:
        """Leave it to another one to lead, once nothing is under way that only the leader does."""
        self._leads.clear()
        await self._callbacks.followed()
        await self._database.write(_follow, self.process_id)
        logger.info("another gaia leads from now on: this one lives for a chat alone")

    async def _carry_out(self) -> None:
        """Do what is due, one after the other: it may wait for a lock, and signs of life may
        not."""
        while True:
            work = await self._due.get()
            try:
                await work()
            except StoreError as exc:
                logger.warning("%s", exc)
            except Exception:
                logger.exception("what is due among the processes failed")

    async def _notify_forgotten(self) -> None:
        await self._database.write(processes.notify, FORGOTTEN)

    async def _take_part(self) -> None:
        if await self._database.write(processes.lead, self.process_id):
            self._begin_to_lead()
        await self._callbacks.recover()

    def _begin_to_lead(self) -> None:
        logger.info("this gaia leads: jobs, digests and the index are its work")
        self._leads.set()

    def _heard(self, notice: str) -> None:
        about, _, rest = notice.partition(":")
        if about == HELD:
            process_id, _, number = rest.partition(":")
            if process_id == self.process_id:
                self._callbacks.woken(int(number))
        elif about == WANTED:
            number, _, channel = rest.partition(":")
            if self._callbacks.has(channel):
                self._callbacks.woken(int(number))
        elif about == RECOVER:
            self._due.put_nowait(self._take_part)
        elif about == FORGOTTEN:
            self._callbacks.forgotten()
        elif about == homes.CLEAN:
            self._callbacks.clean()
        elif about == shared_settings.NOTICE and rest != self.process_id:
            self._callbacks.settings()
        elif about == LEAD and self.leads:
            self._due.put_nowait(self._callbacks.led)


class OfLeader:
    """Implements `core.workers.Share`: the leader's work, of which it is told."""

    def __init__(self, membership: Membership, database: PostgresDatabase) -> None:
        self._membership = membership
        self._database = database

    async def takes(self, key: object) -> bool:
        if not self._membership.leads:
            await self._database.write(processes.notify, LEAD)
        return self._membership.leads


def _claim(
    session: Session, conversation_id: int, process_id: str, has: Callable[[str], bool]
) -> tuple[str, str]:
    holder, channel = processes.claim(session, conversation_id, process_id, has) or ("", "")
    if channel and not holder:
        processes.notify(session, f"{WANTED}:{conversation_id}:{channel}")
    elif holder not in ("", process_id):
        processes.notify(session, f"{HELD}:{holder}:{conversation_id}")
    return holder, channel


def _tidy(session: Session, process_id: str) -> tuple[list[str], bool]:
    removed = processes.remove_expired(session, process_id)
    return list(removed), processes.lead(session, process_id)


def _follow(session: Session, process_id: str) -> None:
    processes.follow(session, process_id)
    processes.notify(session, RECOVER)


def _leave(session: Session, process_id: str) -> None:
    processes.leave(session, process_id)
    processes.notify(session, RECOVER)

"""Conversations are digested, and the process that does it may die at any step.

`python -m tests.harness.scripted_digest` lives a `Life` for each line of its input. A step is
taken before and after each transaction of the database, and before and after a model
reads a window; while it does, a message arrives.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel
from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from gaia.agent.models import ChatModel
from gaia.app.build import build_app
from gaia.clock import SystemClock
from gaia.memory.extraction import Extracted, Offer, Reader, Window
from gaia.paths import Home
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Secrets, SessionsSettings, Settings
from gaia.store import digests, inbox, sessions
from gaia.store.digest_tables import DigestRow, DigestState
from gaia.store.engine import Database
from gaia.store.usage import Usage
from gaia.testing.fake_channel import FakeChannel
from gaia.testing.function_model import FunctionModel
from tests.harness.databases import opened
from tests.harness.digests import Read, ScriptedAsk, likes
from tests.harness.mortal import Fate, fork_lives
from tests.harness.scripted_forget_worker import MortalDatabase

LOOK_SECONDS = 0.005
AT_ONCE = SessionsSettings(idle_consolidate_minutes=1e-9, settle_seconds=0)


class Life(BaseModel):
    """How long it lives: up to its step number `dies_at`, 0 for as long as it likes, or
    until a digest is in the state `dies_in`, or a window is about to be read, or was.
    `says` is said before it looks for what idles,
    which it does if it `digests`, and `meanwhile` while a window is read; what an earlier
    life was told already is a redelivery."""

    home: Path
    says: list[str] = []
    meanwhile: str = ""
    digests: bool = True
    window_tokens: int = 10_000
    dies_at: int = 0
    dies_in: DigestState | Literal["asking", "answered"] | None = None


class DoomedDatabase(MortalDatabase):
    """Ends the process as soon as a digest is in the state that it is doomed by."""

    doom: str | None

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with super().writing() as session:
            yield session
        if self.doom is None:
            return
        with self.reading() as session:
            if session.scalar(select(exists().where(DigestRow.state == self.doom))):
                _die()


class MortalExtractor:
    """Implements `Extractor`: finds what users say that they like. Each window is a step
    before it is read, and one after it, and a line in the file `asked` of the home."""

    asks_model = True

    def __init__(self, life: Life, fate: Fate, channel: FakeChannel) -> None:
        self._life = life
        self._fate = fate
        self._channel = channel

    @property
    def window_tokens(self) -> int:
        return self._life.window_tokens

    async def extract(self, window: Window, offers: Sequence[Offer]) -> Extracted:
        if self._life.dies_in == "asking":
            _die()
        self._fate.step()
        with (self._life.home / "asked").open("a") as asked:
            asked.write(f"{window.turns[0].words}\n")
        if self._life.meanwhile:
            await say(self._channel, self._life.meanwhile)
        if self._life.dies_in == "answered":
            _die()
        self._fate.step()
        return Extracted(likes(Read(window, offers)), Usage("scripted", "digest", 1, 10, 5))


async def say(channel: FakeChannel, text: str) -> None:
    """Say something, once however often it is said."""
    await channel.say(text, provider_message_id=text)


async def live(line: str) -> bool:
    """Answer and digest until nothing is left to do; True when it came so far."""
    life = Life.model_validate_json(line)
    fate, home, clock = Fate(life.dies_at), Home(life.home), SystemClock()
    database = opened(home, DoomedDatabase, fate=fate, doom=life.dies_in)
    channel = FakeChannel(clock)
    reader = Reader(ScriptedAsk(lambda _: "{}"), MortalExtractor(life, fate, channel))
    app = build_app(
        home,
        LoadedSettings(Settings(sessions=AT_ONCE), Secrets(), (), {}, {}),
        database,
        clock,
        model=ChatModel(llm=FunctionModel(lambda _: "yes"), provider="gemini", name="function"),
        extra_channels=[channel],
        reader=reader,
    )
    channel.connect(app.gateway(channel.name))
    await app.recover()
    for text in life.says:
        await say(channel, text)
    while not await _is_done(database, life.digests):
        if life.digests:
            await app.digest_worker.sweep()
        await asyncio.sleep(LOOK_SECONDS)
    for part in (app.digest_worker, app.profiles, app.forget_worker, app.delivery):
        await part.cancel()
    await database.close()
    return True


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def _is_done(database: Database, digested: bool) -> bool:
    """Whether all is answered, and sealed and `digested` as well."""
    with database.reading() as session:
        unanswered = inbox.unfinished_conversations(session, is_command=False)
        if unanswered or not digested:
            return not unanswered
        unsealed = sessions.talked_in(session)
        return not (unsealed or digests.users_under_way(session))


if __name__ == "__main__":
    fork_lives(live)

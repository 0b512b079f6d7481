"""Somebody has something forgotten, and the process that carries it out may die at any step.

`python -m tests.harness.scripted_forget_worker` lives a `Life` for each line of its input.
A step is taken before and after each transaction, rewriting and checkpoint of the database,
and before each kind of file is cleaned.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel
from sqlalchemy.orm import Session

from gaia.clock import SystemClock
from gaia.memory import forget, ledger
from gaia.ops.forget_worker import ForgetWorker
from gaia.paths import Home
from gaia.store.engine import Database
from tests.harness.databases import opened
from tests.harness.mortal import Fate, fork_lives


class Life(BaseModel):
    """How long it lives: up to its step number `dies_at`, 0 for as long as it likes.
    `requests` has a user forget some of their memories, by number, or everything, first."""

    home: Path
    user_id: str = ""
    requests: list[int] = []
    everything: bool = False
    dies_at: int = 0


class MortalDatabase(Database):
    """Each transaction, rewriting and checkpoint is a step, before and after it was made."""

    fate: Fate

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with super().writing() as session:
            yield session
            session.flush()
            self.fate.step()
        self.fate.step()

    async def rewrite(self) -> bool:
        self.fate.step()
        rewritten = await super().rewrite()  # type: ignore[safe-super]
        self.fate.step()
        return rewritten

    async def checkpoint(self) -> bool:
        self.fate.step()
        emptied = await super().checkpoint()  # type: ignore[safe-super]
        self.fate.step()
        return emptied


@dataclass(frozen=True)
class MortalHome(Home):
    """Whoever looks for a file that is cleaned as a whole takes a step."""

    fate: Fate

    @property
    def terminal_history(self) -> Path:
        self.fate.step()
        return super().terminal_history

    @property
    def logs(self) -> Path:
        self.fate.step()
        return super().logs

    @property
    def backups(self) -> Path:
        self.fate.step()
        return super().backups


async def live(line: str) -> bool:
    """Have it forgotten, and carry out what is to be forgotten; True when all is done."""
    life, clock = Life.model_validate_json(line), SystemClock()
    fate = Fate(life.dies_at)
    home = MortalHome(life.home, fate)
    database = opened(home, MortalDatabase, fate=fate)
    if life.requests or life.everything:
        with database.writing() as session:
            if life.everything:
                forget.forget_everything(session, life.user_id, now=clock.now())
            else:
                present = ledger.get_many(session, life.user_id, life.requests)
                numbers = [each.memory_id for each in present]
                forget.forget(session, life.user_id, numbers, now=clock.now())
    forgetting = ForgetWorker(home=home, database=database, clock=clock)
    forgetting.wake()
    await forgetting.flush()
    await database.close()
    return True


if __name__ == "__main__":
    fork_lives(live)

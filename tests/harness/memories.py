"""Memories, and a search that finds none, for tests that need no ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.memory.memory import Memory
from gaia.memory.search.candidates import NO_MEANING, Meaning, Question
from gaia.store.full_text import Corpus
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.testing.clock import START


def a_memory(memory_id: int, text: str, *, said_at: datetime = START, **changes: object) -> Memory:
    """A memory of the user `u_1`; `changes` replace fields of it."""
    memory = Memory(
        memory_id=memory_id,
        user_id="u_1",
        kind=MemoryKind.FACT,
        text=text,
        quote=None,
        label=None,
        verdict=None,
        subject=None,
        predicate=None,
        object=None,
        context="global",
        sensitive=False,
        is_shared=False,
        pinned=False,
        source=MemorySource.USER,
        status=MemoryStatus.ACTIVE,
        support=1,
        valid_from=said_at,
        valid_to=None,
        superseded_by=None,
        expires_at=None,
        due_at=None,
        recurrence=None,
        zone=None,
        notified_at=None,
        done_at=None,
        digest_id=None,
        session_id=None,
        position=None,
        turn_id=None,
        created_at=said_at,
        updated_at=said_at,
    )
    return replace(memory, **changes)  # type: ignore[arg-type]


class NothingFound:
    """Implements `gaia.memory.search.recall.Finder`."""

    async def relevant(
        self, user_id: str, text: str, *, limit: int, context: str = "global"
    ) -> Sequence[Memory]:
        return ()

    async def find(
        self, user_id: str, text: str, *, limit: int, context: str = "global"
    ) -> Sequence[Memory]:
        return ()

    def understand(self, session: Session, user_id: str, text: str) -> Question:
        return Question(text, frozenset(), frozenset(), Corpus(0, 0.0, {}))

    async def meaning(self, user_id: str, question: Question) -> Meaning:
        return NO_MEANING

    def relevant_to(
        self,
        session: Session,
        user_id: str,
        question: Question,
        meaning: Meaning,
        *,
        limit: int,
        context: str = "global",
    ) -> Sequence[Memory]:
        return ()

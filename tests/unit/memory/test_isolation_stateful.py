"""Nobody ever sees another's memory, under any sequence of changes: people, groups and
what they have gaia keep, against a model in plain dictionaries."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.errors import UnknownMemoryError
from gaia.memory import forget, ledger
from gaia.memory.people import entities
from gaia.memory.text import query_terms
from gaia.paths import Home
from gaia.store import full_text, indexes
from gaia.store.memory_tables import IndexOperation, MemoryStatus, MemoryTermRow
from gaia.store.ownership import join_users, wipe_user
from gaia.store.people import identities
from gaia.store.people.identities import Role, User
from gaia.testing.clock import START
from tests.harness.book import said
from tests.harness.databases import opened
from tests.harness.effort import rounds

T = TypeVar("T")

ENTITIES = ("person:mia", "place:gate")
WORDS = st.sampled_from(["blue", "pot", "gate", "tea", "茶"])
TEXTS = st.sets(WORDS, min_size=1, max_size=3).map(lambda words: " ".join(sorted(words)))
PEOPLE = ("Ada", "Bob", "Cleo")
GROUPS = ("Family", "Club")
ANYBODY = st.sampled_from([*PEOPLE, *GROUPS])


@dataclass(frozen=True)
class Known:
    """What the model has of a memory. `heir` is the number that superseded it."""

    owner: str
    text: str
    sensitive: bool
    entities: frozenset[str]
    heir: int | None = None

    @property
    def counts(self) -> bool:
        return self.heir is None

    def holds(self, word: str) -> bool:
        return self.counts and word in self.text.split()


class MemoryMachine(RuleBasedStateMachine):
    """Every rule changes gaia.db and the model alike; the invariants compare them.

    The numbers that a rule names may be anybody's, or gone.
    """

    numbers = Bundle("numbers")
    new_home: Callable[[Path], Home]

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.runner = asyncio.Runner()
        self.database = opened(self.new_home(self.folder / "home"))
        self.users: dict[str, User] = {}
        for name in (*PEOPLE, *GROUPS):
            self._come(name)
        self.known: dict[int, Known] = {}
        self.numbers_ever: set[int] = set()

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    @rule(
        target=numbers,
        name=ANYBODY,
        text=TEXTS,
        sensitive=st.booleans(),
        about=st.sets(st.sampled_from(ENTITIES)),
    )
    def add(self, name: str, text: str, sensitive: bool, about: set[str]) -> int:
        statement = said(text, sensitive=sensitive, entities=tuple(about))
        added = self._write(lambda s: ledger.add(s, self._id(name), statement, START))
        number = added.memory.memory_id
        assert (number == self._twin(name, text)) is not added.is_new
        return self._learn(number, Known(name, text, sensitive, frozenset(about)))

    @rule(target=numbers, name=ANYBODY, number=numbers, text=TEXTS)
    def supersede(self, name: str, number: int, text: str) -> int:
        def change(session: Session) -> Awaitable[ledger.Added]:
            return ledger.supersede(session, self._id(name), number, said(text), START)

        if not self._counts_for(name, number):
            with pytest.raises(UnknownMemoryError):
                self._write(change)
            return number
        heir = self._write(change).memory.memory_id
        sensitive = self.known[number].sensitive
        self._learn(heir, Known(name, text, sensitive=sensitive, entities=frozenset()))
        if heir != number:
            self.known[number] = replace(self.known[number], heir=heir)
        return heir

    @rule(name=ANYBODY, number=numbers, sensitive=st.booleans())
    def hide(self, name: str, number: int, sensitive: bool) -> None:
        def change(session: Session) -> Awaitable[object]:
            return ledger.set_sensitive(
                session, self._id(name), number, sensitive=sensitive, now=START
            )

        if not self._counts_for(name, number):
            with pytest.raises(UnknownMemoryError):
                self._write(change)
        else:
            self._write(change)
            self.known[number] = replace(self.known[number], sensitive=sensitive)

    @rule(name=ANYBODY, number=numbers, pinned=st.booleans())
    def pin(self, name: str, number: int, pinned: bool) -> None:
        def change(session: Session) -> Awaitable[object]:
            return ledger.set_pinned(session, self._id(name), number, pinned=pinned, now=START)

        if not self._counts_for(name, number):
            with pytest.raises(UnknownMemoryError):
                self._write(change)
        else:
            self._write(change)

    @rule(name=ANYBODY, wanted=st.sets(numbers, max_size=3))
    def remove(self, name: str, wanted: set[int]) -> None:
        gone = {each for each in wanted if each in self.known and self.known[each].owner == name}
        heirs = gone
        while heirs:
            heirs = {number for number, each in self.known.items() if each.heir in heirs}
            gone = gone | heirs
        removed = self._write(lambda s: ledger.remove(s, self._id(name), wanted, START))
        assert {each.memory_id for each in removed} == gone
        for number in gone:
            del self.known[number]

    @rule(name=ANYBODY, number=numbers)
    def read_by_number(self, name: str, number: int) -> None:
        mine = number in self.known and self.known[number].owner == name
        try:
            found = self._read(lambda s: ledger.get(s, self._id(name), number))
        except UnknownMemoryError:
            assert not mine
        else:
            assert mine
            assert found.text == self.known[number].text

    @rule(name=ANYBODY, word=WORDS, other=WORDS)
    def search(self, name: str, word: str, other: str) -> None:
        def found(session: Session) -> set[int]:
            sought = query_terms(f"{word} {other}")
            corpus = full_text.MEMORIES.corpus(session, self._id(name), sought)
            assert corpus.size == len(self._of(name))
            hits = full_text.MEMORIES.search(
                session, self._id(name), sought, corpus, 100, full_text.MEMORIES.query()
            )
            return set(hits)

        mine = self._of(name)
        either = {n for n, each in mine.items() if each.holds(word) or each.holds(other)}
        both = {
            n: each.heir
            for n, each in self.known.items()
            if each.owner == name and {word, other} <= set(each.text.split())
        }
        assert self._read(found) == either
        holding = self._read(lambda s: forget.with_words(s, self._id(name), f"{word} {other}"))
        assert set(holding) == {n for n, heir in both.items() if heir not in both}

    @rule(gone=st.sampled_from(PEOPLE), into=st.sampled_from(PEOPLE))
    def join(self, gone: str, into: str) -> None:
        if gone == into:
            return
        self._write(lambda s: join_users(s, self.users[gone], self.users[into], START))
        for number, each in list(self.known.items()):
            if each.owner != gone:
                continue
            twin = self._twin(into, each.text) if each.counts else None
            if twin is None:
                self.known[number] = replace(each, owner=into)
                continue
            del self.known[number]
            self._learn(twin, replace(each, owner=into))
            for older, was in self.known.items():
                if was.heir == number:
                    self.known[older] = replace(was, heir=twin)
        self._come(gone)

    @rule(name=ANYBODY)
    def leave_and_come_again(self, name: str) -> None:
        """Somebody is removed, and another person of the same name is let in."""
        user = self.users[name]

        def go(session: Session) -> None:
            wipe_user(session, user.user_id, START)
            identities.leave_tombstone(session, user, START)

        self._write(go)
        self.known = {n: each for n, each in self.known.items() if each.owner != name}
        self._come(name)

    @invariant()
    def everybody_sees_their_own_and_the_index_is_told_of_it(self) -> None:
        self._read(self._compare_all)

    def _compare_all(self, session: Session) -> None:
        for name in self.users:
            self._compare(session, name)
        has: dict[int, str] = {}
        for each in indexes.waiting_ops(session, limit=10_000):
            if each.operation is IndexOperation.DROP_USER:
                has = {number: whose for number, whose in has.items() if whose != each.user_id}
            elif each.operation is IndexOperation.PUT and each.memory_id is not None:
                has[each.memory_id] = each.user_id
            elif each.memory_id is not None and has.get(each.memory_id) == each.user_id:
                del has[each.memory_id]
        counts = {n: self._id(each.owner) for n, each in self.known.items() if each.counts}
        assert has == counts
        found = session.execute(select(MemoryTermRow.memory_id, MemoryTermRow.user_id).distinct())
        assert sorted(map(tuple, found)) == sorted(counts.items())

    def _compare(self, session: Session, name: str) -> None:
        user_id, mine = self._id(name), self._of(name)
        page = ledger.page(session, user_id, size=100)
        assert page.total == len(mine)
        assert {each.memory_id: (each.text, each.sensitive) for each in page.memories} == {
            number: (each.text, each.sensitive) for number, each in mine.items()
        }
        rows = ledger.every(session, user_id, limit=1000, active=False)
        assert {each.memory_id: each.superseded_by for each in rows} == {
            number: each.heir for number, each in self.known.items() if each.owner == name
        }
        assert all(
            (each.status is MemoryStatus.ACTIVE) == (each.memory_id in mine) for each in rows
        )
        for entity in ENTITIES:
            about = entities.about(session, user_id, entity)
            assert {each.memory_id for each in about} == {
                number for number, each in mine.items() if entity in each.entities
            }

    def _learn(self, number: int, said_now: Known) -> int:
        """Note what was said, or what one more way to say the same adds to it."""
        was = self.known.get(number)
        if was is None:
            assert number not in self.numbers_ever, "a number was given twice"
            self.numbers_ever.add(number)
            self.known[number] = said_now
        else:
            self.known[number] = replace(
                was,
                sensitive=was.sensitive or said_now.sensitive,
                entities=was.entities | said_now.entities,
            )
        return number

    def _of(self, name: str) -> dict[int, Known]:
        return {n: each for n, each in self.known.items() if each.owner == name and each.counts}

    def _twin(self, name: str, text: str) -> int | None:
        return next((n for n, each in self._of(name).items() if each.text == text), None)

    def _counts_for(self, name: str, number: int) -> bool:
        return number in self._of(name)

    def _id(self, name: str) -> str:
        return self.users[name].user_id

    def _come(self, name: str) -> None:
        self.users[name] = self._write(
            lambda session: identities.create(
                session, name, Role.MEMBER, now=START, is_group=name in GROUPS
            )
        )

    def _write(self, act: Callable[[Session], T]) -> T:
        async def run() -> T:
            return await self.database.write(act)

        return self.runner.run(run())

    def _read(self, act: Callable[[Session], T]) -> T:
        async def run() -> T:
            return await self.database.read(act)

        return self.runner.run(run())


def test_no_sequence_of_changes_shows_anybody_another_s_memory(
    new_home: Callable[[Path], Home],
) -> None:
    MemoryMachine.new_home = staticmethod(new_home)
    run_state_machine_as_test(
        MemoryMachine,
        settings=settings(
            max_examples=rounds(3, thorough=10),
            stateful_step_count=25,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )

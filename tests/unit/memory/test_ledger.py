"""The ledger: what is kept, how it is written, and what is refused."""

# ruff: noqa: RUF001 - letters of other scripts are meant

from __future__ import annotations

import time
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, event

from gaia.errors import CredentialError, UnfitMemoryError
from gaia.memory import browse, ledger
from gaia.memory.browse import Choice
from gaia.memory.people import entities
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.book import Book, said

LATER = START + timedelta(days=1)
POT = "The gate code is under the blue pot"


@pytest.mark.parametrize(
    "text",
    [
        POT,
        "  indented\n\n\tand  spaced",
        "أنا أحب القهوة \u200fكثيرا",
        "\u202ereversed\u202c",
        "我对花生过敏",
        "👩‍👩‍👧 and 🇩🇪",
        "!!!",
        "x" * ledger.LONGEST_MEMORY,
    ],
)
async def test_words_are_kept_as_they_were_said(book: Book, ada: User, text: str) -> None:
    added = await book.keep(ada, text)
    assert added.is_new
    assert (await book.stored(ada, added.memory.memory_id)).text == text.strip()
    assert added.memory == await book.stored(ada, added.memory.memory_id)


@pytest.mark.sqlite
async def test_what_is_known_already_is_looked_up_and_not_read_through(
    book: Book, ada: User
) -> None:
    await book.keep(ada, POT)
    plans: list[str] = []

    def explain(connection: Connection, _: object, statement: str, asked: object, *__: Any) -> None:
        if "memories.hash = ?" in statement:
            cursor = connection.connection.cursor()
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", asked)
            plans.extend(step for *_, step in cursor.fetchall())

    event.listen(book.database.engine, "before_cursor_execute", explain)
    assert not (await book.keep(ada, POT)).is_new
    assert [plan.split()[4] for plan in plans] == ["ix_memories_one_active"]


async def test_what_no_file_can_hold_is_left_out_or_marked(book: Book, ada: User) -> None:
    broken = said(
        "a\x00b \ud83d end",
        quote="\udc00 quoted\x00",
        subject="Sa\ud800rah",
        entities=("person:\udfff",),
    )
    added = await book.keep(ada, broken)
    kept = await book.stored(ada, added.memory.memory_id)
    assert (kept.text, kept.quote, kept.subject) == (
        "ab \ufffd end",
        "\ufffd quoted",
        "Sa\ufffdrah",
    )
    assert await book.database.read(entities.of_memory, ada.user_id, kept.memory_id) == [
        "person:\ufffd"
    ]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00", "\u200b\u200f", "\x00 \u202e "])
async def test_a_text_without_words_is_none(book: Book, ada: User, text: str) -> None:
    with pytest.raises(UnfitMemoryError, match="give some words"):
        await book.keep(ada, text)
    assert await book.texts(ada) == []


async def test_a_text_of_100_kb_is_refused_with_its_length_and_at_once(
    book: Book, ada: User
) -> None:
    began = time.process_time()
    with pytest.raises(UnfitMemoryError, match="has 100,001 characters, a memory at most 2,000"):
        await book.keep(ada, "word " * 20_000 + "!")
    assert time.process_time() - began < 1
    assert await book.operations() == []


async def test_a_credential_is_refused(book: Book, ada: User) -> None:
    with pytest.raises(CredentialError):
        await book.keep(ada, "my password is hunter2!")
    assert await book.texts(ada) == []


async def test_the_same_statement_is_kept_once_and_counts_for_more(book: Book, ada: User) -> None:
    first = await book.keep(ada, said(POT, MemorySource.DIGEST, entities=("place:gate",)))
    again = said("the gate code\n is under the BLUE pot", entities=("place:gate", "thing:pot"))
    second = await book.keep(ada, again)
    assert not second.is_new
    assert second.memory.memory_id == first.memory.memory_id
    assert second.memory.text == POT
    assert second.memory.support == 2
    assert second.memory.source is MemorySource.USER
    assert await book.texts(ada) == [POT]
    about = await book.database.read(entities.of_memory, ada.user_id, first.memory.memory_id)
    assert about == ["place:gate", "thing:pot"]
    assert len(await book.operations()) == 1


async def test_what_a_model_says_again_does_not_become_its_own(book: Book, ada: User) -> None:
    await book.keep(ada, POT)
    assert (await book.keep(ada, said(POT, MemorySource.TOOL))).memory.source == "user"


async def test_a_copy_counts_for_nothing(book: Book, ada: User) -> None:
    first = await book.keep(ada, POT)
    copied = await book.keep(ada, said(POT, MemorySource.IMPORT))
    assert not copied.is_new
    assert copied.memory == first.memory


async def test_what_was_ever_sensitive_stays_so_when_it_is_said_again(
    book: Book, ada: User
) -> None:
    await book.keep(ada, POT)
    assert (await book.keep(ada, said(POT, sensitive=True))).memory.sensitive
    assert (await book.keep(ada, POT)).memory.sensitive


async def test_what_had_an_end_has_none_when_it_is_said_again_without_one(
    book: Book, ada: User
) -> None:
    await book.keep(ada, said(POT, expires_at=LATER))
    assert (await book.keep(ada, POT)).memory.expires_at is None


@pytest.mark.parametrize("fields", [{"kind": MemoryKind.RULE}, {"context": "work"}])
async def test_the_same_words_of_another_kind_or_context_are_another_memory(
    book: Book, ada: User, fields: dict[str, object]
) -> None:
    await book.keep(ada, POT)
    assert (await book.keep(ada, said(POT, **fields))).is_new


async def test_a_list_tells_in_whose_place_a_memory_stands_for_a_while(
    book: Book, ada: User
) -> None:
    home = (await book.keep(ada, said("I live in Lisbon"))).memory
    trip = (await book.keep(ada, said("I am in Paris this week"))).memory
    await book.database.write(
        ledger.give_way,
        ada.user_id,
        home.memory_id,
        trip.memory_id,
        START,
        told_by_heir=True,
    )
    for read in (ledger.page, partial(browse.page, choice=Choice(), number=1, size=9)):
        page = await book.database.read(read, ada.user_id)
        assert [each.told for each in page.memories] == [
            "I am in Paris this week (before: I live in Lisbon)"
        ]

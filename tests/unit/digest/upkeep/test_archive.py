"""Which memories are archived at night, and which never are."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.digest.upkeep import archive
from gaia.memory import ledger
from gaia.settings.schema import MemorySettings, UpkeepSettings
from gaia.store import memory_uses, profiles, usage
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people.identities import User
from gaia.store.profiles import Bullet, Profile
from gaia.store.usage import Usage
from gaia.testing.clock import START
from tests.harness.book import Book, said

DIGEST = MemorySource.DIGEST
LATE = START + timedelta(days=91)


async def talk(book: Book, user: User, days: int = 31, first: int = 0) -> None:
    """Have a user talk on every third day."""
    with book.database.writing() as session:
        for day in range(days):
            at = START.date() + timedelta(days=first + 3 * day)
            usage.add(session, user.user_id, at, Usage("m", usage.TURN, 1, 1, 1))


async def faded(book: Book, user: User, **changes: object) -> list[int]:
    settings = MemorySettings(preload=False, upkeep=UpkeepSettings(**changes))
    return list(await book.database.read(archive.faded, user.user_id, LATE, settings))


async def beyond(book: Book, user: User, most: int) -> list[int]:
    settings = MemorySettings(upkeep=UpkeepSettings(most_rules=most))
    return list(await book.database.read(archive.rules_beyond, user.user_id, LATE, settings))


async def rule(book: Book, user: User, text: str, **fields: object) -> int:
    source = fields.pop("source", DIGEST)
    added = await book.keep(user, said(text, source, kind=MemoryKind.RULE, **fields))
    return added.memory.memory_id


async def test_what_was_learned_and_never_used_fades(book: Book, ada: User, bob: User) -> None:
    await talk(book, ada)
    tea = await book.keep(ada, said("I like tea", DIGEST))
    await book.keep(bob, said("I like tea", DIGEST))
    assert await faded(book, ada) == [tea.memory.memory_id]
    assert await faded(book, ada, archive_below=0) == []
    assert await faded(book, ada, decay_days=60) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"source": MemorySource.USER},
        {"source": MemorySource.TOOL},
        {"source": MemorySource.IMPORT},
        {"pinned": True},
        {"sensitive": True},
        {"kind": MemoryKind.EPISODE},
        {"kind": MemoryKind.RULE},
        {"kind": MemoryKind.REMINDER, "due_at": LATE},
    ],
)
async def test_what_is_not_merely_learned_stays(
    book: Book, ada: User, fields: dict[str, object]
) -> None:
    await talk(book, ada)
    await book.keep(ada, said("It is so", **{"source": DIGEST, **fields}))
    assert await faded(book, ada) == []


async def test_what_was_said_twice_or_went_to_the_model_or_is_in_the_profile_stays(
    book: Book, ada: User
) -> None:
    await talk(book, ada)
    for text in ("I ski", "I swim", "I sing"):
        await book.keep(ada, said(text, DIGEST))
    await book.keep(ada, said("I ski", DIGEST))
    used_at = LATE - timedelta(days=5)
    await book.database.write(memory_uses.add, ada.user_id, [2], used_at)
    bullets = Profile([Bullet("I sing", (3,))], distilled=True, input_hash="")
    await book.database.write(profiles.put, ada.user_id, bullets, START)
    settings = MemorySettings()
    assert await book.database.read(archive.faded, ada.user_id, LATE, settings) == []


async def test_without_a_profile_what_it_would_hold_stays(book: Book, ada: User) -> None:
    await talk(book, ada)
    for number in range(25):
        await book.keep(ada, said(f"I know song {number}", DIGEST))
    settings = MemorySettings(preload_limit=20)
    found = await book.database.read(archive.faded, ada.user_id, LATE, settings)
    assert found == [1, 2, 3, 4, 5]


async def test_while_its_user_is_away_nothing_fades(book: Book, ada: User) -> None:
    await book.keep(ada, said("I like tea", DIGEST))
    assert await faded(book, ada) == []
    await talk(book, ada, days=3)
    await talk(book, ada, days=1, first=90)
    assert await faded(book, ada) == []


async def test_a_use_of_somebody_elses_memory_or_of_none_counts_for_nothing(
    book: Book, ada: User, bob: User
) -> None:
    await talk(book, ada)
    tea = await book.keep(ada, said("I like tea", DIGEST))
    number = tea.memory.memory_id
    await book.database.write(memory_uses.add, bob.user_id, [number, 99], LATE)
    assert await faded(book, ada) == [number]
    await book.database.write(memory_uses.add, ada.user_id, [number], LATE)
    await book.remove(ada, number)
    assert (
        await book.database.read(
            lambda s: s.connection().exec_driver_sql("SELECT count(*) FROM memory_uses").scalar()
        )
        == 0
    )


async def test_of_too_many_rules_the_least_used_go_and_never_the_users_own(
    book: Book, ada: User
) -> None:
    old, used, twice, _ = [await rule(book, ada, f"Do {each}") for each in "abcd"]
    await rule(book, ada, "Do b", digest_id=7)
    await rule(book, ada, "Do c", digest_id=8)
    await rule(book, ada, "Mine", source=MemorySource.USER)
    await rule(book, ada, "Pinned", pinned=True)
    await book.database.write(memory_uses.add, ada.user_id, [used], START)
    assert await beyond(book, ada, 6) == []
    assert await beyond(book, ada, 5) == [old]
    # Those that are kept whatever happens take their places first.
    assert set(await beyond(book, ada, 1)) == {old, used, twice, 4}


async def test_each_context_has_its_own_most(book: Book, ada: User) -> None:
    for context in ("global", "work"):
        for each in "ab":
            await rule(book, ada, f"Do {each}", context=context)
    assert await beyond(book, ada, 2) == []
    kept = await book.database.read(ledger.get, ada.user_id, 1)
    assert kept.context == "global"
    assert await beyond(book, ada, 1) == [1, 3]

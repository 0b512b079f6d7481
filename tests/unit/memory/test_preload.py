"""The prefix: rules, profile and last conversation, as they are at this moment."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.errors import MissingOwnerError
from gaia.memory import ledger
from gaia.memory.episodes import abstract
from gaia.memory.search import preload
from gaia.memory.search.preload import Prefix, Room, prefix
from gaia.store import profiles
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people.identities import User
from gaia.store.profiles import Bullet, Profile
from gaia.testing.clock import START
from tests.harness.book import Book, said

ROOM = Room(bullets=3)


async def read(
    book: Book, user: User, room: Room = ROOM, after: timedelta = timedelta(0)
) -> Prefix:
    return await book.database.read(prefix, user.user_id, START + after, room)


async def put(book: Book, user: User, *bullets: Bullet) -> None:
    await book.database.write(profiles.put, user.user_id, Profile(bullets, True, "x"), START)


async def test_without_an_owner_or_a_memory_there_is_nothing(book: Book, ada: User) -> None:
    nothing = await read(book, ada)
    assert (nothing.texts, nothing.talked_at, nothing.has_profile) == ([], None, False)
    with book.database.reading() as session, pytest.raises(MissingOwnerError):
        prefix(session, "", START, ROOM)


async def test_a_rule_holds_from_the_next_turn_on_and_for_its_user_alone(
    book: Book, ada: User, bob: User, family: User
) -> None:
    await book.keep(
        ada, said("Always answer in Spanish", MemorySource.DIGEST, kind=MemoryKind.RULE)
    )
    await book.keep(family, said("No spoilers", kind=MemoryKind.RULE))
    assert (await read(book, ada)).rules == ["Always answer in Spanish"]
    assert (await read(book, ada, Room(bullets=0))).rules == ["Always answer in Spanish"]
    assert (await read(book, bob)).rules == []
    assert (await read(book, family)).rules == ["No spoilers"]


async def test_the_newest_rules_stand_in_their_order_as_far_as_there_is_room(
    book: Book, ada: User
) -> None:
    for number in range(25):
        await book.keep(ada, said(f"Rule number {number}", kind=MemoryKind.RULE))
    rules = (await read(book, ada)).rules
    assert list(rules) == [f"Rule number {number}" for number in range(5, 25)]
    few = (await read(book, ada, Room(bullets=3, tokens=50))).rules
    assert list(few) == [f"Rule number {number}" for number in range(20, 25)]


async def test_without_a_profile_the_most_important_memories_stand_there(
    book: Book, ada: User
) -> None:
    for text in ("once", "twice", "late"):
        await book.keep(ada, said(text, MemorySource.DIGEST))
    await book.keep(ada, said("twice", MemorySource.DIGEST, digest_id=9))
    await book.keep(ada, said("mine"))
    for kind in (MemoryKind.RULE, MemoryKind.EPISODE, MemoryKind.REMINDER):
        await book.keep(ada, said(f"a {kind}", kind=kind))
    await book.keep(ada, said("hidden", sensitive=True))
    await book.keep(ada, said("over", expires_at=START))
    found = await read(book, ada, Room(bullets=9))
    assert list(found.bullets) == ["mine", "twice", "late", "once"]
    assert not found.has_profile
    assert list((await read(book, ada)).bullets) == ["mine", "twice", "late"]
    assert (await read(book, ada, Room(bullets=0))).bullets == ()


async def test_what_is_pinned_comes_first(book: Book, ada: User) -> None:
    for text in ("one", "two", "three"):
        await book.keep(ada, said(text, kind=MemoryKind.RULE))
        await book.keep(ada, text)
    with book.database.writing() as session:
        for number in (1, 2):
            ledger.set_pinned(session, ada.user_id, number, pinned=True, now=START)
    found = await read(book, ada, Room(bullets=2))
    assert (found.rules[-1], list(found.bullets)) == ("one", ["one", "three"])


async def test_a_bullet_lasts_as_long_as_all_it_is_made_of(book: Book, ada: User) -> None:
    tea = (await book.keep(ada, "I drink tea")).memory
    milk = (await book.keep(ada, said("I drink milk", expires_at=START + timedelta(1)))).memory
    both = Bullet("Drinks tea and milk", (tea.memory_id, milk.memory_id))
    await put(book, ada, both, Bullet("Drinks tea", (tea.memory_id,)))
    found = await read(book, ada)
    assert (found.bullets, found.has_profile) == (["Drinks tea and milk", "Drinks tea"], True)
    assert (await read(book, ada, after=timedelta(1))).bullets == ["Drinks tea"]
    await book.keep(ada, "I ski")
    assert (await read(book, ada)).bullets == found.bullets


@pytest.mark.parametrize("change", ["forgotten", "replaced", "hidden"])
async def test_nothing_stale_survives(book: Book, ada: User, change: str) -> None:
    tea = await book.keep(ada, "I drink tea")
    await put(book, ada, Bullet("Drinks tea", (tea.memory.memory_id,)))
    if change == "forgotten":
        await book.remove(ada, tea.memory.memory_id)
    elif change == "replaced":
        await book.replace(ada, tea, "I drink rum")
    else:
        with book.database.writing() as session:
            number = tea.memory.memory_id
            ledger.set_sensitive(session, ada.user_id, number, sensitive=True, now=START)
    found = await read(book, ada)
    assert "tea" not in " ".join(found.texts)
    assert not found.has_profile


async def test_the_last_conversation_is_told_of_for_as_long_as_its_episode_lasts(
    book: Book, ada: User
) -> None:
    for day, text in ((2, "We spoke of Rome.\nShe leaves on Friday."), (1, "We said hello")):
        when = START + timedelta(days=day)
        episode = said(
            text,
            MemorySource.DIGEST,
            kind=MemoryKind.EPISODE,
            said_at=when,
            expires_at=when + timedelta(days=90),
        )
        await book.keep(ada, episode)
    found = await read(book, ada)
    assert (found.episode, found.talked_at) == ("We spoke of Rome.", START + timedelta(days=2))
    assert (await read(book, ada, Room(bullets=0))).episode == ""
    assert (await read(book, ada, after=timedelta(days=92))).episode == ""


async def test_it_says_the_same_for_as_long_as_what_it_tells_does(book: Book, ada: User) -> None:
    tea = await book.keep(ada, "I drink tea")
    await book.keep(ada, said("Be brief", kind=MemoryKind.RULE))
    await put(book, ada, Bullet("Drinks tea", (tea.memory.memory_id,)))
    before = await read(book, ada)
    await book.keep(ada, "I ski")
    await book.keep(ada, said("Call Bob", kind=MemoryKind.REMINDER, due_at=START))
    assert await read(book, ada, after=timedelta(days=3)) == before


async def test_its_size_is_bounded(book: Book, ada: User) -> None:
    for number in range(12):
        await book.keep(ada, f"{number} " + "word " * 60)
        await book.keep(ada, said(f"rule {number} " + "word " * 60, kind=MemoryKind.RULE))
        await book.keep(ada, said(f"{number} talk " * 99, kind=MemoryKind.EPISODE))
    found = await read(book, ada, Room(bullets=20, tokens=300))
    assert found.rules
    assert found.episode
    assert sum(map(len, found.texts)) < 4 * 300


@pytest.mark.parametrize(
    ("episode", "told"),
    [
        ("We spoke of Rome.", "We spoke of Rome."),
        ("We spoke of Rome.\nAnd of Bonn.", "We spoke of Rome."),
        ("One. Two! " + "word " * 60, "One. Two!"),
        ("我们谈了罗马。" * 40, "我们谈了罗马。" * 28),
        ("word " * 60, ("word " * 60)[:199] + "…"),
    ],
)
def test_an_abstract_is_short_and_ends_with_a_sentence_where_it_can(
    episode: str, told: str
) -> None:
    assert abstract(episode) == told


SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("due_in", "is_told"),
    [
        (timedelta(days=1), True),
        (timedelta(days=1) + SECOND, False),
        (timedelta(0), True),
        (-timedelta(days=7), True),
        (-timedelta(days=7) - SECOND, False),
    ],
)
async def test_what_is_due_soon_or_was_within_a_week_is_told(
    book: Book, ada: User, bob: User, due_in: timedelta, is_told: bool
) -> None:
    reminder = said("Call Grace", kind=MemoryKind.REMINDER, due_at=START + due_in)
    await book.keep(ada, reminder)
    with book.database.reading() as session:
        assert bool(preload.due_reminders(session, ada.user_id, START, DAY)) is is_told
        assert preload.due_reminders(session, bob.user_id, START, DAY) == []


async def test_the_first_five_are_told_in_their_order(book: Book, ada: User) -> None:
    for hour in (4, 1, 6, 3, 2, 5):
        due_at = START + timedelta(hours=hour)
        await book.keep(ada, said(f"at {hour}", kind=MemoryKind.REMINDER, due_at=due_at))
    await book.keep(ada, said("no reminder", due_at=START))
    await book.keep(ada, said("hush", kind=MemoryKind.REMINDER, due_at=START, sensitive=True))
    found = await book.database.read(preload.due_reminders, ada.user_id, START, DAY)
    assert [each.text for each in found] == [f"at {hour}" for hour in range(1, 6)]

"""Profiles are made when what they are made from has changed, and cost no call otherwise."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from gaia.core.budgets import Budgets, Spending
from gaia.core.profile_worker import ProfileWorker
from gaia.errors import ModelUnavailableError
from gaia.memory.extraction import Reader
from gaia.paths import Home
from gaia.settings.schema import LimitsSettings, MemorySettings, Settings
from gaia.store import profiles, usage
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind
from gaia.store.opener import open_database
from gaia.store.ownership import wipe_user
from gaia.store.people import identities
from gaia.store.people.identities import Role, User
from gaia.store.usage import Usage
from gaia.swappable import Swappable
from gaia.testing.clock import START, FakeClock, until
from tests.harness.book import Book, said
from tests.harness.digests import Asked, ScriptedAsk, ScriptedExtractor
from tests.harness.usage import of_day

TODAY = START.astimezone().date()
ALL_TOKENS = LimitsSettings().user_tokens_per_day


def tells(*numbers: int) -> str:
    return json.dumps({"numbers": numbers})


async def keep_more_than_fits(book: Book, user: User) -> None:
    """Two memories, of which one fits: the plain list has the newer one."""
    await book.keep(user, "I drink tea")
    await book.keep(user, "I ski")


@pytest.fixture
async def book(tmp_path: Path, fresh_home: Home) -> AsyncIterator[Book]:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copy(fresh_home.database, home.database)
    database = await open_database(home)
    yield Book(database)
    await database.close()


@pytest.fixture
async def ada(book: Book) -> User:
    return await book.database.write(identities.create, "Ada", Role.OWNER, now=START)


async def look(
    database: Database, user: User, ask: ScriptedAsk, *, limit: int = 1, calls: int = 9
) -> None:
    """Look at a user's profile once, to the end."""
    made = profiles_of(database, ask, limit=limit, calls=calls)
    made.wake(user.user_id)
    await made.flush()


async def bullets(database: Database, user: User) -> Sequence[str] | None:
    profile = await database.read(profiles.get, user.user_id)
    return None if profile is None else [each.text for each in profile.bullets]


async def calls_made(database: Database, user: User) -> int:
    used = await database.read(of_day, TODAY, user_id=user.user_id)
    return sum(each.calls for _, each in used if each.purpose == "profile")


async def test_where_there_is_nothing_to_tell_there_is_no_call_and_no_profile(
    book: Book, ada: User
) -> None:
    await book.keep(ada, said("Be brief", kind=MemoryKind.RULE))
    await look(book.database, ada, ScriptedAsk([]))
    assert await bullets(book.database, ada) is None


async def test_what_fits_is_told_without_a_call(book: Book, ada: User) -> None:
    await keep_more_than_fits(book, ada)
    await look(book.database, ada, ScriptedAsk([]), limit=2)
    assert await bullets(book.database, ada) == ["I ski", "I drink tea"]


async def test_a_profile_is_chosen_with_one_call_and_again_when_something_changed(
    book: Book, ada: User
) -> None:
    await keep_more_than_fits(book, ada)
    ask = ScriptedAsk([tells(2), tells(2), tells(3, 1)])
    for _ in range(3):
        await look(book.database, ada, ask)
    assert await bullets(book.database, ada) == ["I drink tea"]
    assert len(ask.asked) == 1
    assert ask.asked[0].purpose == "profile"
    assert ask.asked[0].text == "1. I ski\n2. I drink tea"
    await book.keep(ada, "I sing")
    await look(book.database, ada, ask)
    assert await bullets(book.database, ada) == ["I ski"]
    await look(book.database, ada, ask, limit=2)
    assert await bullets(book.database, ada) == ["I drink tea", "I sing"]
    assert await calls_made(book.database, ada) == 3


async def test_the_last_memory_takes_the_profile_with_it(book: Book, ada: User) -> None:
    tea = await book.keep(ada, "I drink tea")
    ask = ScriptedAsk([])
    await look(book.database, ada, ask)
    await book.remove(ada, tea.memory.memory_id)
    await look(book.database, ada, ask)
    assert await bullets(book.database, ada) is None


@pytest.mark.parametrize("answer", [ModelUnavailableError("down"), "no JSON", tells(9)])
async def test_without_an_answer_it_is_a_plain_list_until_the_next_look(
    book: Book, ada: User, answer: str | Exception
) -> None:
    await keep_more_than_fits(book, ada)
    await look(book.database, ada, ScriptedAsk([answer]))
    assert await bullets(book.database, ada) == ["I ski"]
    await look(book.database, ada, ScriptedAsk([tells(2)]))
    assert await bullets(book.database, ada) == ["I drink tea"]


async def test_the_embedded_model_is_not_asked(book: Book, ada: User) -> None:
    await keep_more_than_fits(book, ada)
    await look(book.database, ada, ScriptedAsk([], is_small=True))
    await look(book.database, ada, None)
    assert await bullets(book.database, ada) == ["I ski"]


async def test_when_the_day_s_calls_are_used_up_none_is_made(book: Book, ada: User) -> None:
    await keep_more_than_fits(book, ada)
    with book.database.writing() as session:
        usage.add(session, ada.user_id, TODAY, Usage("m", "turn", 50, 1, 1))
        usage.add(session, ada.user_id, TODAY, Usage("m", "digest", 2, 1, 1))
    await look(book.database, ada, ScriptedAsk([]), calls=2)
    assert await bullets(book.database, ada) == ["I ski"]
    await look(book.database, ada, ScriptedAsk([tells(2)]), calls=3)
    assert await bullets(book.database, ada) == ["I drink tea"]


async def test_when_the_day_s_tokens_are_used_up_it_is_a_plain_list(book: Book, ada: User) -> None:
    await keep_more_than_fits(book, ada)
    await book.database.write(usage.add, ada.user_id, TODAY, Usage("m", "turn", 1, ALL_TOKENS, 0))
    await look(book.database, ada, ScriptedAsk([]))
    assert await bullets(book.database, ada) == ["I ski"]


async def test_a_call_in_vain_is_counted_with_what_it_has_cost(book: Book, ada: User) -> None:
    await keep_more_than_fits(book, ada)
    error = ModelUnavailableError("down")
    error.tokens_in, error.tokens_out = 70, 7
    await look(book.database, ada, ScriptedAsk([error]))
    ((_, used),) = await book.database.read(of_day, TODAY)
    assert used == Usage("scripted", usage.PROFILE, 1, 70, 7)


async def test_what_is_forgotten_while_the_model_is_asked_is_in_no_profile(
    book: Book, ada: User
) -> None:
    tea = await book.keep(ada, "I drink tea")
    for text in ("I ski", "I sing"):
        await book.keep(ada, text)
    ask = ScriptedAsk(_last)
    made = profiles_of(book.database, ask)
    ask.hold()
    made.wake(ada.user_id)
    await until(lambda: ask.running == 1)
    await book.remove(ada, tea.memory.memory_id)
    ask.release()
    # A flush would look once more by itself.
    await until(lambda: len(ask.asked) == 2)
    await made.flush()
    assert await bullets(book.database, ada) == ["I ski"]
    assert await calls_made(book.database, ada) == 2


async def test_what_is_forgotten_while_another_has_their_call_goes_to_no_model(
    book: Book, ada: User
) -> None:
    bob = await book.database.write(identities.create, "Bob", Role.MEMBER, now=START)
    for text in ("I ride", "I row"):
        await book.keep(bob, text)
    tea = await book.keep(ada, "I drink tea")
    for text in ("I ski", "I sing"):
        await book.keep(ada, text)
    ask = ScriptedAsk(_last)
    made = profiles_of(book.database, ask)
    ask.hold()
    made.wake(bob.user_id)
    await until(lambda: ask.running == 1)
    made.wake(ada.user_id)
    for _ in range(10):
        # Meanwhile it is read what the profile is to be made of.
        await book.texts(ada)
    await book.remove(ada, tea.memory.memory_id)
    ask.release()
    await made.flush()
    assert len(ask.asked) == 2
    assert not any("tea" in asked.text for asked in ask.asked)
    assert await bullets(book.database, ada) == ["I ski"]


async def test_a_user_who_is_removed_meanwhile_leaves_nothing(book: Book, ada: User) -> None:
    await keep_more_than_fits(book, ada)
    ask = ScriptedAsk(_last)
    made = profiles_of(book.database, ask)
    ask.hold()
    made.wake(ada.user_id)
    await until(lambda: ask.running == 1)
    with book.database.writing() as session:
        wipe_user(session, ada.user_id, START)
        identities.leave_tombstone(session, ada, START)
    ask.release()
    await made.flush()
    assert await bullets(book.database, ada) is None
    assert await calls_made(book.database, ada) == 0


def profiles_of(
    database: Database, ask: ScriptedAsk, *, limit: int = 1, calls: int = 9
) -> ProfileWorker:
    memory = MemorySettings(preload_limit=limit, calls_per_day=calls)
    clock = FakeClock()
    settings = Swappable(Settings(memory=memory))
    return ProfileWorker(
        database=database,
        reader=Swappable(Reader(ask, ScriptedExtractor([]))),
        clock=clock,
        settings=settings,
        spending=Spending(settings, clock),
        budgets=Budgets(settings, clock),
    )


def _last(asked: Asked) -> str:
    """Chooses the oldest one."""
    return tells(asked.text.count("\n") + 1)

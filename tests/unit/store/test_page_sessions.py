"""Links and sessions of the memory page: what is kept of them, for how long, and for whom."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from gaia.errors import UnknownUserError
from gaia.paths import Home
from gaia.store import page_sessions
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.store.ops_tables import PageLinkRow, PageSessionRow
from gaia.store.page_sessions import (
    IDLE_FOR,
    LINK_VALID_FOR,
    LONGEST,
    MOST_LINKS,
    MOST_SESSIONS,
    NOTED_EACH,
    PageSession,
)
from gaia.store.people import identities
from gaia.store.people.identities import User
from gaia.testing.clock import START
from tests.harness.ledger_fixtures import bob
from tests.harness.traces import all_bytes

__all__ = ["bob"]

MOMENT = timedelta(seconds=1)


async def link_of(database: Database, user: User, now=START) -> str:
    return await database.write(page_sessions.add_link, user.user_id, now)


async def sign_in(database: Database, user: User, now=START) -> str:
    token = await database.write(page_sessions.enter, await link_of(database, user, now), now)
    assert token is not None
    return token


async def found(database: Database, token: str, now=START) -> PageSession | None:
    return await database.read(page_sessions.find, token, now)


def rows(database: Database) -> tuple[int | None, ...]:
    with database.reading() as session:
        kept = (PageLinkRow, PageSessionRow)
        return tuple(session.scalar(select(func.count()).select_from(row)) for row in kept)


async def test_nothing_that_is_stored_signs_anybody_in(
    database: Database, home: Home, ada: User
) -> None:
    link, token = await link_of(database, ada), await sign_in(database, ada)
    known = await found(database, token)
    assert known is not None
    assert known.form_token not in repr(known)
    stored = all_bytes(home)
    for each in (link, token, known.form_token):
        assert each.encode() not in stored
    with database.reading() as session:
        hashes = session.scalars(select(PageSessionRow.token_hash)).all()
    assert hashes[0].encode() in stored
    assert await found(database, hashes[0]) is None
    assert await database.write(page_sessions.enter, hashes[0], START) is None


async def test_each_session_has_a_form_token_of_its_own(database: Database, ada: User) -> None:
    tokens = [await sign_in(database, ada) for _ in range(2)]
    first, second = [await found(database, token) for token in tokens]
    assert first is not None
    assert second is not None
    assert first.allows(first.form_token)
    assert not first.allows(second.form_token)
    assert await found(database, tokens[0]) == first


async def test_a_link_that_two_processes_get_at_once_works_once(
    database: Database, home: Home, ada: User
) -> None:
    other = await open_database(home)
    for _ in range(5):
        link = await link_of(database, ada)
        entered = await asyncio.gather(
            *(each.write(page_sessions.enter, link, START) for each in (database, other))
        )
        assert sum(token is not None for token in entered) == 1
    await other.close()


async def test_a_link_is_too_late_after_five_minutes_and_used_up_by_that(
    database: Database, ada: User
) -> None:
    link = await link_of(database, ada)
    assert await database.write(page_sessions.enter, link, START + LINK_VALID_FOR) is None
    assert rows(database) == (0, 0)


async def test_a_session_lasts_as_long_as_it_is_used_but_no_longer_than_12_hours(
    database: Database, ada: User
) -> None:
    token = await sign_in(database, ada)
    now = START
    while now < START + LONGEST - MOMENT:
        assert await found(database, token, now + IDLE_FOR) is None
        now = min(now + IDLE_FOR, START + LONGEST) - MOMENT
        assert await found(database, token, now)
        await database.write(page_sessions.note_use, token, now)
    assert await found(database, token, START + LONGEST) is None


async def test_a_clock_that_is_set_back_makes_no_session_last(
    database: Database, ada: User
) -> None:
    token, back = await sign_in(database, ada), timedelta(hours=3)
    known = await found(database, token, START - back)
    assert known is not None
    assert not known.is_noted(START - back)
    await database.write(page_sessions.note_use, token, START - back)
    assert await found(database, token, START - back + IDLE_FOR) is None
    await database.write(page_sessions.note_use, token, START + LONGEST - MOMENT)
    assert await found(database, token, START + LONGEST) is None


async def test_a_use_is_noted_after_a_minute(database: Database, ada: User) -> None:
    known = await found(database, await sign_in(database, ada))
    assert known is not None
    assert known.is_noted(START + NOTED_EACH - MOMENT)
    assert not known.is_noted(START + NOTED_EACH)


async def test_who_signs_out_ends_that_session_alone(database: Database, ada: User) -> None:
    here, there = [await sign_in(database, ada) for _ in range(2)]
    await database.write(page_sessions.leave, here)
    await database.write(page_sessions.note_use, here, START)
    assert await found(database, here) is None
    assert await found(database, there)


async def test_the_oldest_end_and_never_those_of_others(
    database: Database, ada: User, bob: User
) -> None:
    others, others_link = await sign_in(database, bob), await link_of(database, bob)
    tokens, links = [], []
    for number in range(MOST_SESSIONS + 2):
        tokens.append(await sign_in(database, ada, START + number * MOMENT))
    for number in range(MOST_LINKS + 2):
        links.append(await link_of(database, ada, START + number * MOMENT))
    now = START + MOST_SESSIONS * MOMENT
    assert [bool(await found(database, token, now)) for token in tokens[:3]] == [False, False, True]
    assert all([await found(database, token, now) for token in (others, *tokens[2:])])
    assert rows(database) == (MOST_LINKS + 1, MOST_SESSIONS + 1)
    entered = [
        bool(await database.write(page_sessions.enter, link, now)) for link in (*links, others_link)
    ]
    assert entered == [False] * 2 + [True] * (MOST_LINKS + 1)


async def test_what_is_over_is_swept(database: Database, ada: User, bob: User) -> None:
    await sign_in(database, ada)
    await link_of(database, ada)
    used = await sign_in(database, bob)
    await database.write(page_sessions.note_use, used, START + MOMENT)
    await database.write(page_sessions.sweep, START + LINK_VALID_FOR - MOMENT)
    assert rows(database) == (1, 2)
    await database.write(page_sessions.sweep, START + IDLE_FOR)
    assert rows(database) == (0, 1)
    await database.write(page_sessions.sweep, START + LONGEST)
    assert rows(database) == (0, 0)


async def test_nobody_gets_a_link_who_was_removed(database: Database, bob: User) -> None:
    await database.write(identities.leave_tombstone, bob, START)
    with pytest.raises(UnknownUserError):
        await link_of(database, bob)

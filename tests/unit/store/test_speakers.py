"""Two people of a group are never told as one, whatever they call themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from gaia.messages import Address, Inbound
from gaia.store import conversations, inbox
from gaia.store.engine import Database
from gaia.store.people.names import name_key
from gaia.store.people.speakers import LONGEST_NAME
from gaia.store.people.users import Role, Users
from gaia.store.tables import InboxRow
from gaia.testing.clock import START, FakeClock
from tests.harness.effort import rounds

HELLO = Inbound(Address("fake", "-1"), "-1", "m", "hello", START, direct=False)
LONG = "x" * LONGEST_NAME


class Group:
    """A group of several topics, each of which is a conversation."""

    def __init__(self, database: Database, user_id: str) -> None:
        self._database, self._user_id, self._said = database, user_id, 0

    def call(self, author: str, name: str | None, topic: str = "-1") -> str | None:
        """What somebody is called in the transcript who says something."""
        self._said += 1
        named = f"{self._user_id}-{self._said}"
        said = replace(HELLO, provider_message_id=named, author=author, sender_name=name)
        with self._database.writing() as session:
            chat = conversations.find_or_create(
                session,
                user_id=self._user_id,
                channel="fake",
                chat=topic,
                direct=False,
                now=START,
            )
            inbox.record(session, said, chat, is_command=False, now=START)
            last = select(InboxRow.sender_name).where(InboxRow.provider_message_id == named)
            return session.scalar(last)


@pytest.fixture
async def group(database: Database, clock: FakeClock) -> Group:
    user = await Users(database, clock).create("Family", Role.MEMBER)
    return Group(database, user.user_id)


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("Anna", "Anna", "Anna (2)"),
        ("Anna", "\u200bANNA:", "ANNA (2)"),
        ("Anna", "An\u200dna", "An\u200dna (2)"),
        (None, "", "Somebody (2)"),
        (f"{LONG}x", f"{LONG}y", f"{'x' * (LONGEST_NAME - 5)}… (2)"),
    ],
)
def test_names_that_look_alike_are_told_apart(group, first, second, shown):
    before = group.call("1", first)
    assert group.call("2", second, topic="-1:7") == shown
    assert group.call("1", first) == before
    assert group.call("2", second) == shown


def test_whoever_takes_the_name_of_another_stays_apart_from_them(group):
    assert group.call("1", "Anna") == "Anna"
    assert group.call("2", "Anna (2)") == "Anna (2)"
    assert group.call("3", "Anna") == "Anna (3)"
    assert group.call("1", "Bea") == "Bea"
    # What was said as Anna is still hers, who is Bea now.
    assert group.call("2", "Anna") == "Anna (2)"
    assert group.call("1", "Anna") == "Anna"


@settings(
    max_examples=rounds(20, thorough=200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.tuples(st.sampled_from("123"), st.sampled_from(["Ann", "ann", "Ann (2)", "Bo"])))
)
def test_no_name_is_ever_two_peoples(group, said):
    called: dict[str, str] = {}
    for author, name in said:
        shown = group.call(author, name)
        assert called.setdefault(name_key(shown), author) == author

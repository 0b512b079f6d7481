"""What memories are about: one name however it is written, and whose they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.errors import MissingOwnerError
from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.memory.people import entities
from gaia.memory.people.entities import entity
from gaia.store.engine import Database
from gaia.store.memory_tables import MemorySource
from gaia.store.people.identities import User
from gaia.testing.clock import START


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("person:sarah_chen", "person:sarah_chen"),
        (" Person : Sarah  Chen! ", "person:sarah_chen"),
        ("Sarah Chen", "sarah_chen"),
        ("person:", "person"),
        (": Sarah", "sarah"),
        ("Zoë", "zoë"),
        ("人:莎拉", "人:莎拉"),
        ("***", ""),
        ("", ""),
    ],
)
def test_an_entity_has_one_name(told: str, meant: str) -> None:
    assert entity(told) == meant


@given(st.text(max_size=200))
def test_any_text_names_an_entity_once_and_for_all(told: str) -> None:
    assert entity(entity(told)) == entity(told)
    assert len(entity(told)) < 130


async def test_memories_about_somebody_are_found_with_and_without_the_kind(
    database: Database, ada: User, bob: User
) -> None:
    with database.writing() as session:
        for user, text, about in (
            (ada, "Sarah lives in Oslo", "person:sarah_chen"),
            (ada, "Sarah is our boat", "boat:sarah_chen"),
            (ada, "a percent", "person:sarah%chen"),
            (bob, "Bob's Sarah", "person:sarah_chen"),
        ):
            said = Statement(text, MemorySource.TOOL, entities=(about,))
            ledger.add(session, user.user_id, said, START)
    with database.reading() as session:
        for told, texts in (
            ("Sarah Chen", ["Sarah is our boat", "Sarah lives in Oslo"]),
            ("person: Sarah Chen", ["Sarah lives in Oslo"]),
            ("Chen", []),
            ("sarah%", []),
            ("", []),
        ):
            found = entities.about(session, ada.user_id, told)
            assert [memory.text for memory in found] == texts
        with pytest.raises(MissingOwnerError):
            entities.about(session, "", "Sarah Chen")


async def test_what_each_memory_is_about_is_told_of_one_user_alone(
    database: Database, ada: User, bob: User
) -> None:
    with database.writing() as session:
        for user, about in ((ada, ("pot", "gate")), (bob, ("boat",)), (ada, ())):
            said = Statement(f"about {about}", MemorySource.TOOL, entities=about)
            ledger.add(session, user.user_id, said, START)
    with database.reading() as session:
        assert entities.by_memory(session, ada.user_id) == {1: ["gate", "pot"]}
        with pytest.raises(MissingOwnerError):
            entities.by_memory(session, "")

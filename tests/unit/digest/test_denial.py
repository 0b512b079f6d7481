"""What becomes of something known where a sentence denies it and nobody has judged that.

`denials.json` has more of these in many languages, see `test_cases`.
"""

from __future__ import annotations

import pytest

from gaia.digest.denial import denies
from gaia.memory import profile
from gaia.memory.extraction import Change, Target
from gaia.store.memory_tables import MemorySource
from gaia.store.people.identities import User
from tests.harness.book import Book, said
from tests.harness.proposals import READ, Digests, proposal


@pytest.mark.parametrize(
    ("known", "text", "told"),
    [
        ("I am vegan", "I am not vegan any more", ["I am not vegan any more"]),
        ("Ada is vegan", "I am not vegan any more", ["I am not vegan any more"]),
        (
            "I am vegan",
            "I am not vegan now, it is a holiday",
            ["I am not vegan now, it is a holiday (before: I am vegan)"],
        ),
        ("Ada: I am vegan", "Bob: I am not vegan", None),
        ("I live in Lisbon", "I am in Paris", None),
        ("I am her", "I am in Paris", None),
    ],
)
async def test_what_nobody_has_judged_replaces_what_it_denies_word_for_word(
    book: Book, ada: User, digests: Digests, known: str, text: str, told: list[str] | None
) -> None:
    number = (await book.keep(ada, said(known, MemorySource.TOOL))).memory.memory_id
    unjudged = proposal(
        text, changes=[(Target(number), Change.IF_COVERED)], names_time="holiday" in text
    )
    await digests.digested(unjudged)
    memories = await book.database.read(profile.material, ada.user_id, READ)
    assert sorted(each.told for each in memories) == sorted(told or [known, text])


@pytest.mark.parametrize(("said_by", "ends"), [("Ann", True), ("Bob", False)])
def test_in_a_group_everybody_denies_what_they_said_themselves(said_by: str, ends: bool) -> None:
    said_now = f"{said_by}: I am not vegan any more"
    assert denies(said_now, "Ann: I am vegan", {"user"}) is ends

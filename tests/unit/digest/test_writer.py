"""Writing a digest: what becomes of proposals, whatever has changed since they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from gaia.memory import forget, ledger, pending, profile
from gaia.memory.extraction import Change, Proposal, Relation, Target
from gaia.memory.memory import Memory
from gaia.memory.people import entities
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.store.people.identities import User
from tests.harness.book import Book, said
from tests.harness.proposals import READ, SAID, Digests, instead_of, proposal, window

MINUTE = timedelta(minutes=1)
PORTO = "I live in Porto, no longer in Lisbon"


def later_than_the_first(text: str, *, minute: int = 0) -> Proposal:
    """What takes the place of the first proposal of the first window."""
    first = Target(None, window=1, position=0)
    return proposal(text, minute=minute, changes=[(first, Change.REPLACES)])


def texts(memories: Sequence[Memory]) -> list[str]:
    return [each.text for each in memories]


async def test_what_was_said_is_kept_with_its_words_its_place_and_its_time(
    book: Book, ada: User, digests: Digests
) -> None:
    digest = await digests.sealed()
    sister = proposal(
        "Grace is Ada's sister",
        minute=3,
        quote="Grace is my sister",
        label="Grace is the sister of Ada",
        verdict="same",
        relations=(
            Relation("Grace", "sister of", "the user"),
            Relation("Grace", "lives in", "Bonn"),
        ),
        sensitive=True,
    )
    (kept,) = (await digests.commit(digest, window(sister))).learned
    assert kept == await book.stored(ada, kept.memory_id)
    assert (kept.source, kept.status, kept.sensitive) == (
        MemorySource.DIGEST,
        MemoryStatus.ACTIVE,
        True,
    )
    assert (kept.text, kept.quote) == ("Grace is Ada's sister", "Grace is my sister")
    assert (kept.label, kept.verdict) == ("Grace is the sister of Ada", "same")
    assert (kept.subject, kept.predicate, kept.object) == ("Grace", "sister of", "the user")
    assert (kept.digest_id, kept.session_id) == (digest.digest_id, digest.session_id)
    assert (kept.turn_id, kept.position, kept.valid_from) == ("turn-3", 4, SAID + 3 * MINUTE)
    assert await book.database.read(entities.of_memory, ada.user_id, 1) == ["bonn", "person:grace"]


@pytest.mark.parametrize(
    ("subject", "predicate", "told", "about"),
    [
        ("Grace", None, None, ["person:grace"]),
        ("Rex", "dog of", "Ada", ["rex"]),
        ("the user", "works at", "Siemens", ["siemens"]),
        ("Ada", "married to", "Tom", ["person:tom"]),
        ("Tom", "brother of", "Ann Lee", ["person:ann_lee", "person:tom"]),
        ("the boat", None, None, []),
        ("place:gate", None, None, ["place:gate"]),
        ("花子", "wife of", "user", ["person:花子"]),
        (None, None, None, []),
    ],
)
async def test_whom_and_what_it_is_about_is_noted_but_for_the_user(
    book: Book,
    ada: User,
    digests: Digests,
    subject: str | None,
    predicate: str | None,
    told: str | None,
    about: list[str],
) -> None:
    await book.keep(ada, said("Grace sings", entities=("person:grace",)))
    made = proposal("they sing", relations=(Relation(subject, predicate, told),))
    (kept,) = (await digests.digested(made)).learned
    with book.database.reading() as session:
        assert entities.of_memory(session, ada.user_id, kept.memory_id) == about
        assert entities.about(session, ada.user_id, "nobody") == []


async def test_what_holds_no_longer_gives_way_to_what_was_said(
    book: Book, ada: User, digests: Digests
) -> None:
    lisbon = (await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))).memory
    tea = (await book.keep(ada, said("I drink tea", MemorySource.TOOL))).memory
    both = [(Target(each.memory_id), Change.REPLACES) for each in (lisbon, tea)]
    done = await digests.digested(proposal("I left Lisbon, and I live without tea", changes=both))
    now = "I left Lisbon, and I live without tea"
    assert [(old.text, new.text) for old, new in done.replaced] == [
        ("I live in Lisbon", now),
        ("I drink tea", now),
    ]
    assert texts(done.learned) == await book.texts(ada) == [now]


@pytest.mark.parametrize(
    ("known", "text", "told"),
    [
        ("I love coffee", "I hate coffee now", "I hate coffee now"),
        (
            "I live in Lisbon",
            "I am in Paris this week",
            "I am in Paris this week (before: I live in Lisbon)",
        ),
        ("Vivo a Roma", "Questa week sto a Bari", "Questa week sto a Bari (before: Vivo a Roma)"),
        (
            "I live in Lisbon",
            "I live in Lisbon no more this week",
            "I live in Lisbon no more this week",
        ),
    ],
)
async def test_what_may_be_but_for_a_while_is_told_with_what_it_takes_the_place_of(
    book: Book, ada: User, digests: Digests, known: str, text: str, told: str
) -> None:
    number = (await book.keep(ada, said(known, MemorySource.TOOL))).memory.memory_id
    await digests.digested(instead_of(number, text, names_time="week" in text))
    assert await book.texts(ada) == [text]
    (memory,) = await book.database.read(profile.material, ada.user_id, READ)
    assert (memory.text, memory.told) == (text, told)
    await book.remove(ada, number)
    (memory,) = await book.database.read(profile.material, ada.user_id, READ)
    assert memory.told == text


@pytest.mark.parametrize("fields", [{"sensitive": True}, {"context": "work"}])
async def test_what_is_hidden_is_told_with_nothing(
    book: Book, ada: User, digests: Digests, fields: dict[str, object]
) -> None:
    known = said("I live in Lisbon", MemorySource.TOOL, **fields)
    number = (await book.keep(ada, known)).memory.memory_id
    await digests.digested(instead_of(number, "I am in Paris this week", names_time=True))
    (memory,) = await book.database.read(profile.material, ada.user_id, READ)
    assert memory.told == "I am in Paris this week"


async def test_a_later_window_may_mean_what_an_earlier_one_found(
    book: Book, ada: User, digests: Digests
) -> None:
    lisbon = (await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))).memory
    braga = later_than_the_first("I live in Braga", minute=9)
    faro = instead_of(lisbon.memory_id, "I live in Faro", minute=12)
    done = await digests.commit(
        await digests.sealed(),
        window(instead_of(lisbon.memory_id, PORTO), summary="Porto"),
        window(braga),
        window(faro, summary="Faro"),
    )
    now = "I live in Faro"
    assert texts(done.learned) == [now]
    assert [(old.text, new.text) for old, new in done.replaced] == [("I live in Lisbon", now)]
    assert done.episode is not None
    assert await book.texts(ada) == [now, "Faro"]


async def test_what_is_meant_and_is_gone_is_added_to(
    book: Book, ada: User, digests: Digests
) -> None:
    lisbon = (await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))).memory
    await book.remove(ada, lisbon.memory_id)
    done = await digests.digested(instead_of(lisbon.memory_id, PORTO))
    assert (texts(done.learned), done.replaced, done.left_out) == ([PORTO], [], 0)


async def test_what_was_said_later_elsewhere_is_not_replaced(
    book: Book, ada: User, digests: Digests
) -> None:
    later = SAID + 10 * MINUTE
    lisbon = await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))
    braga = said("I live in Braga", MemorySource.TOOL, said_at=later)
    await book.replace(ada, lisbon, braga)
    done = await digests.digested(
        instead_of(lisbon.memory.memory_id, PORTO),
        proposal("I live in Lisbon"),
    )
    assert await book.texts(ada) == ["I live in Braga", PORTO]
    assert done.left_out == 1
    await digests.digested(proposal("I live in Lisbon", minute=11))
    assert "I live in Lisbon" in await book.texts(ada)


@pytest.mark.parametrize(
    ("fields", "stays"),
    [({}, False), ({"pending": True}, True), ({"said_at": SAID - MINUTE}, True)],
)
async def test_what_the_user_wrote_yields_to_what_they_said_since_alone(
    book: Book, ada: User, digests: Digests, fields: dict[str, object], stays: bool
) -> None:
    written = said("I live in Lisbon", said_at=SAID - MINUTE / 2)
    number = (await book.keep(ada, written)).memory.memory_id
    await digests.digested(replace(instead_of(number, PORTO), **fields))  # type: ignore[arg-type]
    kept = await book.stored(ada, number)
    assert (kept.status is MemoryStatus.ACTIVE, kept.text) == (stays, "I live in Lisbon")


async def test_what_is_not_sure_is_held_and_replaces_once_it_is_confirmed(
    book: Book, ada: User, digests: Digests
) -> None:
    number = (await book.keep(ada, said("I drink tea", MemorySource.TOOL))).memory.memory_id
    done = await digests.digested(instead_of(number, "I drink coffee", pending=True))
    assert (done.learned, done.replaced, done.pending) == ([], [], 1)
    assert await book.texts(ada) == ["I drink tea"]
    again = await digests.digested(proposal("I drink coffee", minute=1, pending=True))
    assert (again.learned, again.pending) == ([], 0)
    held = await book.database.read(pending.page, ada.user_id)
    assert [each.replaces for each in held.memories] == [number]
    await book.database.write(pending.confirm, ada.user_id, held.memories[0].memory_id, READ)
    assert await book.texts(ada) == ["I drink coffee"]


async def test_what_is_not_sure_and_is_said_outright_counts(
    book: Book, ada: User, digests: Digests
) -> None:
    await digests.digested(proposal("I drink coffee", pending=True))
    sure = await digests.digested(proposal("I drink coffee", minute=2))
    assert texts(sure.learned) == ["I drink coffee"]


@pytest.mark.parametrize("fields", [{"pending": True}, {"said_at": SAID - MINUTE}])
async def test_what_was_held_stays_beside_what_is_no_surer_or_was_said_before(
    book: Book, ada: User, digests: Digests, fields: dict[str, object]
) -> None:
    perhaps = proposal("I may drink tea", pending=True)
    other = replace(later_than_the_first("I drink tea"), **fields)  # type: ignore[arg-type]
    await digests.commit(await digests.sealed(), window(perhaps), window(other))
    held = await book.database.read(pending.page, ada.user_id)
    assert "I may drink tea" in texts(held.memories)


async def test_what_is_sure_takes_the_place_of_what_was_held(
    book: Book, ada: User, digests: Digests
) -> None:
    sure = later_than_the_first("I drink tea")
    perhaps = proposal("I may drink tea", pending=True)
    done = await digests.commit(await digests.sealed(), window(perhaps), window(sure))
    assert (texts(done.learned), done.pending) == (["I drink tea"], 0)


async def test_one_that_cannot_be_written_leaves_the_others(
    book: Book, ada: User, digests: Digests
) -> None:
    number = (await book.keep(ada, "I take the red pills")).memory.memory_id
    await book.database.write(forget.forget, ada.user_id, [number], now=SAID + 5 * MINUTE)
    done = await digests.digested(
        proposal("my password is hunter2!"),
        proposal("I take the red pills"),
        proposal("word " * 900),
        proposal("I drink tea"),
    )
    assert (texts(done.learned), done.left_out) == (["I drink tea"], 3)
    again = proposal("The user takes the red pills", quote="I take the red pills!", minute=6)
    assert len((await digests.digested(again)).learned) == 1


async def test_the_same_digest_written_again_learns_nothing_twice(
    book: Book, ada: User, digests: Digests
) -> None:
    lisbon = (await book.keep(ada, said("I live in Lisbon", MemorySource.TOOL))).memory
    digest = await digests.sealed()
    found = window(instead_of(lisbon.memory_id, PORTO), summary="We spoke of Porto")
    await digests.commit(digest, found)
    done = await digests.commit(digest, found)
    assert await book.texts(ada) == [PORTO, "We spoke of Porto"]
    assert (texts(done.learned), done.learned[0].support) == ([PORTO], 1)
    assert (await book.stored(ada, lisbon.memory_id)).support == 1


async def test_what_was_held_without_a_model_gives_way_to_what_one_finds(
    book: Book, ada: User, digests: Digests
) -> None:
    digest = await digests.sealed()
    rough = window(proposal("so I drink tea"), proposal("yes"), summary="words, words")
    done = await digests.commit(digest, rough, is_fallback=True)
    assert (done.learned, done.pending) == ([], 2)
    await book.database.write(pending.confirm, ada.user_id, 2, READ)
    await digests.commit(digest, window(proposal("I drink tea"), summary="Ada drinks tea"))
    assert sorted(await book.texts(ada)) == ["Ada drinks tea", "I drink tea", "yes"]
    assert len(await book.database.read(ledger.numbers, ada.user_id)) == 3


async def test_the_last_summary_becomes_the_episode(
    book: Book, ada: User, digests: Digests
) -> None:
    digest = await digests.sealed(ended_at=SAID + 7 * MINUTE)
    told = "Ada planned a trip.\n\nHer password is hunter2!\nShe leaves on Friday."
    done = await digests.commit(digest, window(summary="Ada spoke"), window(summary=told))
    assert done.episode is not None
    assert done.episode.text == "Ada planned a trip.\nShe leaves on Friday."
    assert (done.episode.kind, done.episode.source) == (MemoryKind.EPISODE, MemorySource.DIGEST)
    assert done.episode.valid_from == SAID + 7 * MINUTE
    assert done.episode.expires_at == SAID + 7 * MINUTE + timedelta(days=90)
    assert done.learned == []


@pytest.mark.parametrize("summary", ["", "  \n", "her password is hunter2!"])
async def test_without_a_summary_there_is_no_episode(digests: Digests, summary: str) -> None:
    assert (await digests.digested(summary=summary)).episode is None


async def test_a_reminder_keeps_when_it_is_due(book: Book, ada: User, digests: Digests) -> None:
    due = READ + timedelta(days=3)
    call = proposal("Call Grace", kind=MemoryKind.REMINDER, due_at=due)
    (kept,) = (await digests.digested(call)).learned
    assert (kept.kind, kept.due_at) == (MemoryKind.REMINDER, due)
    later = instead_of(
        kept.memory_id, "call Grace", kind=MemoryKind.REMINDER, due_at=due + MINUTE, minute=5
    )
    ((old, new),) = (await digests.digested(later)).replaced
    assert (old.memory_id, new.due_at) == (kept.memory_id, due + MINUTE)


async def test_no_memory_of_another_is_touched(
    book: Book, ada: User, bob: User, digests: Digests
) -> None:
    number = (await book.keep(bob, said("I live in Lisbon", MemorySource.TOOL))).memory.memory_id
    await digests.digested(instead_of(number, PORTO))
    assert await book.texts(bob) == ["I live in Lisbon"]
    assert await book.texts(ada) == [PORTO]

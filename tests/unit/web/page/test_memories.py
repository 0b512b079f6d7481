"""What the page shows of memories, and what is done to them there."""

from __future__ import annotations

import re
from datetime import timedelta

from gaia.memory import ledger, pending
from gaia.memory.forget_matcher import NARROW
from gaia.store import forgets
from gaia.store.memory_tables import MemoryKind, MemorySource
from gaia.store.people import identities
from gaia.store.people.identities import User
from gaia.testing.clock import START
from gaia.web.page.deeds import DEEDS
from gaia.web.page.views import SEARCH_LIMIT
from tests.harness.book import Book, said
from tests.unit.web.page.conftest import Browse, Browser, Site, words_of

POT = "The gate code is under the blue pot"


async def test_all_memories_are_listed_with_where_they_come_from(
    signed_in: Browser, book: Book, ada: User
) -> None:
    quote = "By the way, my sister Grace sails"
    await book.keep(ada, said("Grace sails", MemorySource.DIGEST, quote=quote, context="family"))
    await book.keep(ada, said(POT, kind=MemoryKind.NOTE))
    page = await signed_in.see("/")
    assert words_of(page) == [POT, "Grace sails"]
    for told in (f"<bdi>{quote}</bdi>", "family", ">1 January 2026<", "2 memories"):
        assert told in page


async def test_nothing_of_a_memory_is_taken_for_markup(
    signed_in: Browser, book: Book, ada: User
) -> None:
    evil = '<script>alert(1)</script><img src=x onerror="y">'
    kept = await book.keep(ada, said(evil, subject=evil, predicate=evil, object="x", quote=evil))
    for path in ("/", f"/memory/{kept.memory.memory_id}", "/people", "/prompt"):
        page = await signed_in.see(path)
        assert "<script>" not in page
        assert "<img" not in page
        assert "&lt;script&gt;" in page


async def test_1000_memories_are_shown_in_pages(signed_in: Browser, book: Book, ada: User) -> None:
    with book.database.writing() as session:
        for number in range(1000):
            ledger.add(session, ada.user_id, said(f"thing {number}"), START)
    first = await signed_in.see("/")
    assert len(words_of(first)) == 50
    assert "page 1 of 20" in first
    last = await signed_in.send("/", htmx=True, page="20")
    assert words_of(last.text)[-1] == "thing 0"
    assert "<html" not in last.text
    beyond = await signed_in.send("/", page="9" * 30)
    assert "page 1 of 20" in beyond.text


async def test_they_are_chosen_by_kind_context_and_status(
    signed_in: Browser, book: Book, ada: User
) -> None:
    await book.keep(ada, said("a rule", kind=MemoryKind.RULE))
    await book.keep(ada, said("at work", context="work"))
    await book.replace(ada, await book.keep(ada, "I live in Bonn"), "I live in Ulm")

    async def chosen(**fields: str) -> list[str]:
        return list(words_of((await signed_in.send("/", **fields)).text))

    assert await chosen(kind="rule") == ["a rule"]
    assert await chosen(context="work") == ["at work"]
    assert await chosen(status="superseded") == ["I live in Bonn"]
    assert await chosen(kind="nonsense", status="?") == ["I live in Ulm", "at work", "a rule"]
    assert await chosen(status="superseded", words="bonn LIVE") == ["I live in Bonn"]
    assert await chosen(status="superseded", words="Ulm") == []


async def test_a_search_among_some_finds_what_many_others_say_better(
    signed_in: Browser, book: Book, ada: User
) -> None:
    for number in range(SEARCH_LIMIT + 1):
        await book.keep(ada, f"boat {number}")
    await book.keep(ada, said("Never lend the red rowing boat to anybody", kind=MemoryKind.RULE))
    answer = await signed_in.send("/", words="boat", kind="rule")
    assert words_of(answer.text) == ["Never lend the red rowing boat to anybody"]


async def test_a_choice_of_nothing_is_no_empty_memory(
    signed_in: Browser, book: Book, ada: User
) -> None:
    assert "There is nothing here yet" in await signed_in.see("/")
    await book.keep(ada, POT)
    assert "None of your memories is of that sort" in (await signed_in.send("/", kind="rule")).text


async def test_a_search_tells_why_and_leaves_no_word_in_the_address(
    signed_in: Browser, book: Book, ada: User
) -> None:
    await book.keep(ada, POT)
    await book.keep(ada, "I ski")
    answer = await signed_in.send("/", words="blue pot")
    assert words_of(answer.text) == [POT]
    assert "BM25" in answer.text
    assert "given to the model unasked" in answer.text
    assert "there is none" in answer.text, "why meaning was not searched"
    assert "blue" not in str(answer.url)
    nothing = await signed_in.send("/", words="zebra")
    assert "Nothing like that" in nothing.text


async def test_a_memory_is_pinned_hidden_and_shown(
    site: Site, signed_in: Browser, book: Book, ada: User
) -> None:
    number = (await book.keep(ada, POT)).memory.memory_id
    for deed, news, pinned, sensitive in (
        ("pin", "Pinned", True, False),
        ("hide", "Marked as sensitive", True, True),
        ("unpin", "No longer pinned", False, True),
        ("show", "No longer sensitive", False, False),
    ):
        answer = await signed_in.send(f"/memory/{number}/{deed}", htmx=True)
        assert news in answer.text
        assert f'id="memory-{number}"' in answer.text
        stored = await book.stored(ada, number)
        assert (stored.pinned, stored.sensitive) == (pinned, sensitive)
    plain = await signed_in.send(f"/memory/{number}/pin")
    assert plain.headers["location"] == f"/page/memory/{number}"
    assert site.changes == 5


async def test_forgetting_asks_and_is_carried_out_for_good(
    site: Site, signed_in: Browser, book: Book, ada: User
) -> None:
    number = (await book.keep(ada, POT)).memory.memory_id
    question = await signed_in.send(f"/memory/{number}/forget")
    assert POT in question.text
    assert await book.texts(ada) == [POT]
    forget_id = re.search(r'name="forget_id" value="(\d+)"', question.text)
    assert forget_id is not None
    done = await signed_in.send("/forget/yes", forget_id=forget_id[1])
    assert "Forgotten: 1 memory. Every remaining copy is erased within a minute." in done.text
    assert await book.texts(ada) == []
    (request,) = await book.database.read(forgets.under_way)
    assert request.phrases == (POT,)
    again = await signed_in.send("/forget/yes", forget_id=forget_id[1])
    assert again.status_code == 409


async def test_everything_is_forgotten_after_a_question(
    signed_in: Browser, book: Book, ada: User
) -> None:
    for text in (POT, "I ski"):
        await book.keep(ada, text)
    question = (await signed_in.send("/forget")).text
    assert "2 memories" in question
    forget_id = re.search(r'name="forget_id" value="(\d+)"', question)
    assert forget_id is not None
    assert "2 memories" in (await signed_in.send("/forget/yes", forget_id=forget_id[1])).text
    assert await book.texts(ada) == []


async def test_pending_memories_are_kept_or_dropped(
    signed_in: Browser, book: Book, ada: User
) -> None:
    for text in ("I might ski", "I could move"):
        await book.database.write(pending.add, ada.user_id, said(text), START)
    page = await signed_in.see("/unsure")
    assert words_of(page) == ["I could move", "I might ski"]
    assert "Kept" in (await signed_in.send("/memory/1/keep", htmx=True)).text
    assert "Dropped" in (await signed_in.send("/memory/2/drop", htmx=True)).text
    assert await book.texts(ada) == ["I might ski"]
    (request,) = await book.database.read(forgets.under_way)
    assert request.phrases == (f"{NARROW}I could move",)
    assert (await signed_in.send("/memory/1/drop")).status_code == 404, "it is asked before"
    assert "nothing that gaia is not sure of" in await signed_in.see("/unsure")


async def test_the_memories_of_others_have_no_number(
    site: Site, signed_in: Browser, browse: Browse, book: Book, ada: User, bob: User
) -> None:
    theirs = (await book.keep(bob, "Bob's cellar key")).memory.memory_id
    await book.database.write(pending.add, bob.user_id, said("Bob may ski"), START)
    other = browse()
    await other.enter(await site.link(bob))
    bobs_question = (await other.send(f"/memory/{theirs}/forget")).text
    forget_id = re.search(r'name="forget_id" value="(\d+)"', bobs_question)
    assert forget_id is not None
    for number in (theirs, theirs + 1, 999, 2**70, "1" * 4400, "x"):
        page = await signed_in.see(f"/memory/{number}", 404)
        assert "no such memory" in page
        assert "Bob" not in page
        for deed in DEEDS:
            answer = await signed_in.send(f"/memory/{number}/{deed}", text="mine now")
            assert answer.status_code == 404, deed
    stolen = await signed_in.send("/forget/yes", forget_id=forget_id[1])
    assert stolen.status_code == 409
    assert await book.texts(bob) == ["Bob's cellar key"]
    for path in ("/", "/people", "/episodes", "/days", "/prompt"):
        assert "Bob" not in await signed_in.see(path)


async def test_only_owners_see_the_state(
    site: Site, signed_in: Browser, browse: Browse, bob: User
) -> None:
    state = await signed_in.see("/state")
    assert "gemini-flash" in state
    other = browse()
    await other.enter(await site.link(bob))
    assert "/page/state" not in await other.see("/")
    assert "gemini" not in await other.see("/state", 404)


async def test_episodes_days_and_reminders(signed_in: Browser, book: Book, ada: User) -> None:
    for empty in ("/episodes", "/days", "/reminders", "/people"):
        assert 'class="empty"' in await signed_in.see(empty)
    await book.keep(ada, said("We spoke of Rome.", MemorySource.DIGEST, kind=MemoryKind.EPISODE))
    due = START + timedelta(hours=5)
    await book.keep(ada, said("Call Bob", kind=MemoryKind.REMINDER, due_at=due))
    episodes = await signed_in.see("/episodes")
    assert "January 2026" in episodes
    assert "We spoke of Rome." in episodes
    assert "<title>2026-01-01: 2 memories</title>" in await signed_in.see("/days")
    reminders = await signed_in.see("/reminders")
    assert "Call Bob" in reminders
    assert "due" in reminders


async def test_reminders_are_done_snoozed_and_cancelled(
    signed_in: Browser, book: Book, ada: User
) -> None:
    due = START + timedelta(hours=5)
    monthly = "FREQ=MONTHLY;BYMONTHDAY=1"
    for text, recurrence in (("Call Bob", None), ("Pay the rent", monthly), ("Swim", None)):
        await book.keep(
            ada, said(text, kind=MemoryKind.REMINDER, due_at=due, recurrence=recurrence, zone="UTC")
        )
    assert "every month on day 1" in await signed_in.see("/reminders")
    for number, deed in ((1, "done"), (2, "snooze"), (3, "cancel")):
        answer = await signed_in.send(f"/memory/{number}/{deed}", htmx=True)
        assert answer.status_code == 200
        assert (await signed_in.send(f"/memory/{number + 90}/{deed}")).status_code == 404
    assert words_of(await signed_in.see("/reminders")) == ["Pay the rent"]
    assert (await book.stored(ada, 2)).due_at == START + timedelta(hours=1)
    edited = await signed_in.send("/memory/2/edit", text="Pay the high rent")
    number = int(edited.headers["location"].rpartition("/")[2])
    assert (await book.stored(ada, number)).recurrence == monthly


async def test_times_are_those_of_the_user(
    site: Site, browse: Browse, book: Book, ada: User
) -> None:
    due = START + timedelta(hours=5)
    await book.keep(ada, said("Call Bob", kind=MemoryKind.REMINDER, due_at=due))
    await book.database.write(identities.set_zone, ada.user_id, "Asia/Tokyo")
    browser = browse()
    await browser.enter(await site.link(ada))
    assert "2 January 2026, 02:00" in await browser.see("/reminders")


async def test_the_next_prompt_is_told(signed_in: Browser, book: Book, ada: User) -> None:
    await book.keep(ada, said("Answer in English", kind=MemoryKind.RULE))
    await book.keep(ada, POT)
    await book.keep(ada, said("I see a therapist", sensitive=True))
    page = await signed_in.see("/prompt")
    assert "Answer in English" in page
    assert POT in page
    assert "therapist" not in page
    tried = await signed_in.send("/prompt", words="where is the blue pot")
    assert tried.text.count(POT) == 2


async def test_the_next_prompt_is_that_of_a_context(
    signed_in: Browser, book: Book, ada: User
) -> None:
    await book.keep(ada, POT)
    await book.keep(ada, said("The red folder is urgent", context="work"))
    assert "red folder" not in await signed_in.see("/prompt")
    assert "red folder" in (await signed_in.send("/prompt", context="work")).text
    assert "red folder" not in (await signed_in.send("/prompt", context="elsewhere")).text
    asked = await signed_in.send("/prompt", words="Which folder is urgent?", context="work")
    assert asked.text.count("The red folder is urgent") == 2


async def test_shared_notes_are_read_by_members_and_changed_by_their_owner(
    site: Site, signed_in: Browser, browse: Browse, book: Book, ada: User, bob: User, family: User
) -> None:
    note = said("The Wi-Fi is called Rex", kind=MemoryKind.NOTE, is_shared=True)
    number = (await book.keep(ada, note)).memory.memory_id
    assert "shared" in await signed_in.see("/")
    for user, reads in ((bob, True), (family, False)):
        other = browse()
        await other.enter(await site.link(user))
        page = await other.see("/shared")
        assert ("called Rex" in page) is reads
        assert f"/page/memory/{number}" not in page
        await other.see(f"/memory/{number}", 404)
        assert ("called Rex" in await other.see("/prompt")) is reads
    edited = await signed_in.send(f"/memory/{number}/edit", text="My password is hunter2!")
    newer = int(edited.headers["location"].rpartition("/")[2])
    assert (await book.stored(ada, newer)).is_shared


async def test_people_are_a_picture_and_a_table(signed_in: Browser, book: Book, ada: User) -> None:
    await book.keep(
        ada,
        said("My sister Grace sails", subject="Grace", predicate="sister of", object="the user"),
    )
    page = await signed_in.see("/people")
    assert page.count("<circle") == 2
    assert '<td dir="auto">sister of</td>' in page
    assert '<td dir="auto">Ada</td>' in page

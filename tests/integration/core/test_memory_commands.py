"""/remember, /memory and /forget, as a person gives them."""

from __future__ import annotations

import re

import pytest

from gaia.commands.remember import OFF
from gaia.memory import forget, ledger
from gaia.memory.memory import Statement
from gaia.messages import Address
from gaia.settings.schema import MemorySettings, Settings
from gaia.store import page_sessions
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.store.people import identities
from gaia.store.people.users import Role

POT = "the gate code is under the blue pot"


async def sent_after(core, text: str, **changes: object):
    count = len(core.channel.sent)
    await core.channel.say(text, **changes)
    return (await core.channel.until_sent(count + 1))[count]


async def said(core, text: str, **changes: object) -> str:
    return (await sent_after(core, text, **changes)).text


async def keep(core, sender: str, *texts: str, **changes: object) -> list[int]:
    user = await core.users.find(sender)
    with core.database.writing() as session:
        return [
            ledger.add(
                session,
                user.user_id,
                Statement(text, MemorySource.TOOL, **changes),
                core.clock.now(),
            ).memory.memory_id
            for text in texts
        ]


async def test_remember_keeps_the_words_at_once_without_the_model(running_core):
    async with running_core() as core:
        assert f"#1: “{POT}”" in await said(core, f"/remember {POT}")
        assert core.model.requests == []
        user = await core.users.find("ada")
        memory = await core.database.read(ledger.get, user.user_id, 1)
        assert (memory.text, memory.source) == (POT, MemorySource.USER)
        assert "#1." in await said(core, f"/remember {POT}")


@pytest.mark.parametrize(
    "words",
    [
        "Always answer in Spanish",
        "Antworte immer auf Deutsch",
        "Réponds toujours en français",
        "Please call me Bob",
        "Never use emoji",
    ],
)
async def test_what_may_tell_gaia_what_to_do_can_be_made_a_rule(running_core, words):
    async with running_core() as core:
        reply = await sent_after(core, f"/remember {words}")
        assert [button.command for button in reply.buttons] == ["/memory rule 1"]
        assert f"always follow #2: “{words}”" in await said(core, "/memory rule 1")
        user = await core.users.find("ada")
        before, rule = [await core.database.read(ledger.get, user.user_id, n) for n in (1, 2)]
        assert (rule.kind, rule.status) == (MemoryKind.RULE, MemoryStatus.ACTIVE)
        assert before.superseded_by == 2
        assert "is a rule already" in await said(core, "/memory rule 2")


@pytest.mark.parametrize(
    "words",
    [
        "I always answer the phone at 8",
        "my sister's name is Ida",
        "I am vegetarian",
        "my car is parked on level 3",
        "no peanuts for Tom",
    ],
)
async def test_what_tells_of_a_person_is_a_fact_and_no_rule_is_offered(running_core, words):
    async with running_core() as core:
        reply = await sent_after(core, f"/remember {words}")
        assert (reply.buttons, "always follow" in reply.text) == ((), False)


@pytest.mark.parametrize("number", ["7", "x", "", "9" * 20])
async def test_what_is_not_there_cannot_be_made_a_rule(running_core, number):
    async with running_core() as core:
        assert "no memory with that number" in await said(core, f"/memory rule {number}")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("my password is hunter2", "a password or a PIN"),
        ("4111 1111 1111 1111", "the number of a payment card"),
        ("sk-abcdefghijklmnopqrstuvwx", "a key or a token"),
        ("x" * 2001, "2,001 characters"),
        ("\u200b", "no words"),
        ("", "What should I keep?"),
    ],
)
async def test_what_is_not_kept_is_refused_with_the_reason(running_core, words, reason):
    async with running_core() as core:
        answer = await said(core, f"/remember {words}")
        assert reason in answer
        assert "hunter2" not in answer
        assert "nothing in your memory yet" in await said(core, "/memory")


async def test_memory_lists_pages_with_buttons_and_the_commands_in_words(running_core):
    async with running_core() as core:
        await keep(core, "ada", *(f"fact {number}" for number in range(1, 24)))
        first = await sent_after(core, "/mem")
        assert "23 in all, the newest first, page 1 of 3" in first.text
        assert "“fact 23”" in first.text
        assert "“fact 13”" not in first.text
        assert [button.command for button in first.buttons] == ["/memory page 2"]
        assert "/memory page 2" in first.text
        middle = await sent_after(core, "/memory page 2")
        assert [b.command for b in middle.buttons] == ["/memory page 1", "/memory page 3"]
        last = await sent_after(core, "/memory page 99")
        assert last.text.count("“fact ") == 3
        assert [button.command for button in last.buttons] == ["/memory page 2"]


async def test_why_tells_source_date_words_and_what_came_before(running_core):
    async with running_core() as core:
        user = await core.users.find("ada")
        (old,) = await keep(core, "ada", "Sarah lives in Rome", quote="my sister is in Rome")
        with core.database.writing() as session:
            newer = Statement(
                "Sarah lives in Oslo", MemorySource.USER, entities=("person:sarah_chen",)
            )
            ledger.supersede(session, user.user_id, old, newer, core.clock.now())
        told = await said(core, "/memory why #2")
        assert "#2: “Sarah lives in Oslo”" in told
        assert "1 January 2026: you asked me to keep it, word for word" in told
        assert "About: “person:sarah_chen”" in told
        assert "Before that: #1 (1 January 2026) “Sarah lives in Rome”" in told
        before = await said(core, "/memory why 1")
        assert "Your words then: “my sister is in Rome”" in before
        assert "#2 replaced it" in before
        for name in ("Sarah Chen", "person: sarah_chen"):
            assert "#2 (1 January 2026)" in await said(core, f"/memory about {name}")
        assert "Nothing" in await said(core, "/memory about place:sarah_chen")
        for number in ("99", "x", "", "9" * 30, "-1"):
            assert "There is no memory with that number" in await said(
                core, f"/memory why {number}"
            )


async def test_hidden_ones_are_marked_and_still_found_by_a_search(running_core):
    async with running_core() as core:
        await said(core, f"/remember {POT}")
        assert "is hidden" in await said(core, "/memory hide 1")
        assert ", hidden)" in await said(core, "/memory")
        assert POT in await said(core, "/memory search gate code")
        assert "no longer hidden" in await said(core, "/memory unhide #1")
        assert ", hidden)" not in await said(core, "/memory blue pot")


async def test_a_memory_is_pinned_and_unpinned(running_core):
    async with running_core() as core:
        await said(core, f"/remember {POT}")
        assert "#1 is pinned" in await said(core, "/memory pin 1")
        assert "It is pinned" in await said(core, "/memory why 1")
        assert "no longer pinned" in await said(core, "/memory unpin #1")
        assert "pinned" not in await said(core, "/memory why 1")
        assert "no memory with that number" in await said(core, "/memory pin 9")


async def test_stored_words_are_no_formatting_and_no_words_of_gaia(running_core):
    async with running_core() as core:
        await said(core, "/remember *x* [a](http://b)\nForgotten: 9 memories <b>” `y`")
        line = (await said(core, "/memory")).splitlines()[1:]
        assert line == [
            '#1 (1 January 2026) “\\*x\\* \\[a](http://b) Forgotten: 9 memories \\<b>" \\`y\\`”'
        ]


async def test_forget_shows_what_matches_asks_and_wipes_that_alone(running_core):
    async with running_core() as core:
        await keep(core, "ada", POT, "the code of the gate squeaks", "the gate is green")
        question = await sent_after(core, "/forget gate code")
        assert "#1" in question.text
        assert "#2" in question.text
        assert "#3" not in question.text
        button, no = question.buttons
        assert (button.answer, no.command) == ("yes", "/cancel")
        assert button.command in question.text
        assert len((await said(core, "/memory")).splitlines()) == 4
        done = await said(core, button.command)
        assert done == f"Forgotten: 2 memories. {forget.SENTENCE}"
        assert (await said(core, "/memory")).splitlines()[1:] == [
            "#3 (1 January 2026) “the gate is green”"
        ]
        assert "There is no such open question" in await said(core, button.command)


async def test_forget_by_numbers_and_of_many_the_first_ten_are_shown(running_core):
    async with running_core() as core:
        await keep(core, "ada", *(f"gate {number}" for number in range(1, 15)))
        question = await said(core, "/forget gate")
        assert question.count("“gate ") == 10
        assert "… and 4 more" in question
        assert "“gate 2”" in await said(core, "/forget #2, 3 99")
        assert await said(core, "/forget yes") == f"Forgotten: 2 memories. {forget.SENTENCE}"
        assert "nothing to forget" in await said(core, "/forget 99")
        assert "nothing to forget" in await said(core, "/forget unicorn")


async def test_a_number_that_is_no_memorys_may_stand_in_one(running_core):
    async with running_core() as core:
        await said(core, "/remember the gate code is 4711")
        assert "#1" in await said(core, "/forget 4711")
        assert "nothing to forget" in await said(core, "/forget 4712")


async def test_a_list_of_something_is_searched_for(running_core):
    async with running_core() as core:
        await keep(core, "ada", "list of presents: a kite", "I drink tea")
        found = await said(core, "/memory list of presents")
        assert found.startswith("Most similar to “list of presents”")
        assert "tea" in await said(core, "/memory list 1")


async def test_forget_alone_asks_and_then_wipes_everything(running_core):
    async with running_core() as core:
        await keep(core, "ada", *(f"fact {number}" for number in range(1200)))
        question = await sent_after(core, "/forget")
        assert "1,200 memories" in question.text
        assert "1,200 memories" in await said(core, question.buttons[0].command)
        assert "nothing in your memory yet" in await said(core, "/memory")
        assert "session 2," in await said(core, "/whoami")


@pytest.mark.parametrize(
    "words", ["it", "that!", "about it", "this one", "everything", "das", "这个"]
)
async def test_a_word_that_names_nothing_is_asked_about_and_never_everything(running_core, words):
    async with running_core() as core:
        await said(core, f"/remember {POT}")
        question = await sent_after(core, f"/forget {words}")
        assert question.text.startswith("What should I forget?")
        assert question.buttons == ()
        assert "There is no such open question" in await said(core, "/forget yes")


async def test_a_question_holds_for_an_hour(running_core):
    async with running_core() as core:
        await said(core, f"/remember {POT}")
        question = await sent_after(core, "/forget 1")
        core.clock.advance(3601)
        assert "older than an hour" in await said(core, question.buttons[0].command)
        assert POT in await said(core, "/memory")


async def test_nobody_confirms_or_sees_what_is_another_persons(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await said(core, f"/remember {POT}")
        question = await sent_after(core, "/forget 1")
        for command in ("/memory", "/memory why 1", "/memory search gate", "/forget gate code"):
            assert POT not in await said(core, command, sender="bob")
        assert "nothing to forget" in await said(core, "/forget 1", sender="bob")
        assert "no memory with that number" in await said(core, "/memory hide 1", sender="bob")
        assert "no such open question" in await said(
            core, question.buttons[0].command, sender="bob"
        )
        assert POT in await said(core, "/memory")


async def test_a_group_has_a_memory_of_its_own(running_core):
    async with running_core() as core:
        with core.database.writing() as session:
            now = core.clock.now()
            group = identities.create(session, "family", Role.MEMBER, now=now, is_group=True)
            identities.link(session, group, Address("fake", "-1"), now)
        await said(core, f"/remember {POT}")
        core.channel.admins = {"ada": True}
        in_group = {"sender": "-1", "direct": False, "sender_name": "ada", "author": "ada"}
        assert "nothing in this group's memory" in await said(core, "/memory", **in_group)
        kept = await said(core, "/remember pizza on Fridays", **in_group)
        assert "Kept in this group's memory as #2" in kept
        assert "pizza" not in await said(core, "/memory")
        assert "1 memory of this group" in await said(core, "/forget", **in_group)


async def test_in_a_group_a_yes_names_the_question_that_it_answers(running_core):
    async with running_core() as core:
        with core.database.writing() as session:
            now = core.clock.now()
            group = identities.create(session, "family", Role.MEMBER, now=now, is_group=True)
            identities.link(session, group, Address("fake", "-1"), now)
        core.channel.admins = {"ada": True}
        in_group = {"sender": "-1", "direct": False, "author": "ada"}
        await said(core, "/remember pizza on Fridays", sender_name="ada", **in_group)
        await said(core, "/forget pizza", sender_name="ada", **in_group)
        everything = await sent_after(core, "/forget", sender_name="bob", **in_group)
        yes = await said(core, "/forget yes", sender_name="ada", **in_group)
        assert yes.startswith("Somebody else may have asked me since")
        assert "pizza" in await said(core, "/memory", **in_group)
        done = await said(core, everything.buttons[0].command, sender_name="bob", **in_group)
        assert done.startswith("Forgot everything")


async def test_where_memory_is_switched_off_what_was_kept_is_still_shown_and_forgotten(
    running_core,
):
    settings = Settings(memory=MemorySettings(enabled=False))
    async with running_core(settings=settings) as core:
        assert await said(core, "/remember x") == OFF
        assert "nothing" in await said(core, "/memory")
        await keep(core, "ada", POT)
        assert POT in await said(core, "/memory search code")
        assert (await said(core, "/forget pot")).startswith("In your memory this contains")
        assert (await said(core, "/forget yes")).startswith("Forgotten: 1 memory")
        assert "nothing" in await said(core, "/memory")


async def test_without_a_public_address_no_link_to_the_page_is_sent(running_core):
    async with running_core() as core:
        assert "gaia memory page" in await said(core, "/page")


async def test_each_link_to_the_page_is_another_one(running_core):
    public = Settings.model_validate({"web": {"public_url": "https://gaia.example"}})
    async with running_core(settings=public) as core:
        first, second = await said(core, "/page"), await said(core, "/page")
        links = [
            re.search(r"https://gaia.example/page/enter/(\S+)", told) for told in (first, second)
        ]
        assert links[0][1] != links[1][1]
        for link in links:
            assert await core.database.read(page_sessions.has_link, link[1])

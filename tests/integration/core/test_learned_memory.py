"""What gaia learned by itself, as a person sees it: held, kept, taken back, forgotten."""

from __future__ import annotations

from gaia.memory import ledger, pending
from gaia.memory.extraction import Checked
from gaia.memory.memory import Statement
from gaia.store.memory_tables import MemoryKind, MemorySource
from tests.harness.proposals import Digests, instead_of, proposal, window


async def digests_of(core, name: str) -> Digests:
    user = await core.users.find(name)
    return Digests(core.database, user.user_id)


async def learn(core, *found: Checked) -> None:
    digests = await digests_of(core, "ada")
    await digests.commit(await digests.sealed(), *found)


async def test_what_gaia_is_not_sure_of_is_shown_apart_and_kept_when_its_user_says_so(
    running_core,
):
    async with running_core() as core:
        assert "nothing pending in your memory" in await core.say("/memory pending")
        await learn(core, window(proposal("Ada may ski", quote="I might ski", pending=True)))
        assert await core.say("/memory") == "I am not sure of 1 more: /memory pending lists them."
        shown = await core.say("/memory pending")
        assert "Pending memories, 1 in all" in shown
        assert "#1 (1 January 2026, not sure) “Ada may ski”" in shown
        why = await core.say("/memory why 1")
        assert "you said it in a conversation, which I read through on 1 January 2026." in why
        assert "Your words then: “I might ski”" in why
        assert "not checked, so I keep only your own words" in why
        assert "I am not sure of it, so I do not use it. /memory keep 1" in why
        assert "No pending memory has that number" in await core.say("/memory keep 2")
        assert "No pending memory has that number" in await core.say("/memory keep")
        assert await core.say("/memory keep #1") == "Kept in your memory as #1: “Ada may ski”"
        assert "#1 (1 January 2026) “Ada may ski”" in await core.say("/memory search ski")


async def test_pending_memories_are_listed_in_pages(running_core):
    async with running_core() as core:
        many = [proposal(f"fact {number}", pending=True) for number in range(1, 13)]
        await learn(core, window(*many))
        shown = await core.say("/memory pending")
        assert "12 in all, the newest first, page 1 of 2" in shown
        assert "Older ones: /memory pending 2" in shown
        assert (await core.say("/memory pending 2")).count("“fact ") == 2
        assert await core.say("/memory held") == shown


async def test_undo_takes_back_what_was_learned_last_and_says_what(running_core):
    async with running_core() as core:
        user = await core.users.find("ada")
        assert "There is nothing to undo" in await core.say("/undo")
        with core.database.writing() as session:
            old = Statement("I live in Lisbon", MemorySource.TOOL)
            ledger.add(session, user.user_id, old, core.clock.now())
        await learn(core, window(instead_of(1, "I left Lisbon, I live in Porto")))
        assert "#1 took" not in await core.say("/memory why 2")
        assert (await core.say("/undo")).splitlines() == [
            "Undone, and no longer in your memory:",
            "#2 “I left Lisbon, I live in Porto”",
            "Back in your memory:",
            "#1 “I live in Lisbon”",
        ]
        assert "There is nothing to undo" in await core.say("/undo")
        assert "#1 (1 January 2026) “I live in Lisbon”" in await core.say("/memory")
        assert "you undid it" in await core.say("/memory why 2")


async def test_what_does_not_count_is_forgotten_like_what_does(running_core):
    async with running_core() as core:
        user = await core.users.find("ada")
        await learn(core, window(proposal("Ada may ski", pending=True), proposal("Ada sings")))
        await core.database.write(ledger.retract, user.user_id, 2, core.clock.now())
        assert "as I understood you, it is no longer true" in await core.say("/memory why 2")
        asked = await core.say("/forget sings")
        assert "#2 (1 January 2026, no longer so) “Ada sings”" in asked
        assert "Forgotten: 1 memory" in await core.say("/forget yes")
        assert "#1 (1 January 2026, not sure)" in await core.say("/forget #1")
        assert "Forgotten: 1 memory" in await core.say("/forget yes")
        with core.database.reading() as session:
            assert ledger.numbers(session, user.user_id) == []
            assert pending.page(session, user.user_id).total == 0


async def test_it_is_told_whether_what_was_said_was_understood(running_core):
    async with running_core() as core:
        found = {"label": "Ada sings in a choir", "verdict": "same"}
        doubted = proposal("We all ski", verdict="other person")
        pasted = proposal("I am a nurse", pending=True, verdict="perhaps pasted")
        await learn(core, window(proposal("I sing in one", **found), doubted, pasted))
        why = await core.say("/memory why 1")
        assert "A second check confirmed that I understood you: “Ada sings in a choir”" in why
        assert "only you know whether it is about you" in await core.say("/memory why 3")
        assert "was not sure that I understood you" in await core.say("/memory why 2")
        assert "“I sing in one”" in await core.say("/memory search choir")


async def test_rules_of_the_user_s_own_come_first_and_it_is_told_which_are_followed(running_core):
    async with running_core() as core:
        assert "no rules of yours yet" in await core.say("/memory rules")
        await core.say("/remember Always answer in rhymes")
        await core.say("/memory rule 1")
        learned = [proposal(f"Never say the word {n}", kind=MemoryKind.RULE) for n in range(20)]
        await learn(core, window(*learned))
        listed = await core.say("/memory rules")
        followed, _, unused = listed.partition("There is no room for these")
        assert "“Always answer in rhymes”" in followed
        assert followed.count("\n#") == 20
        assert "“Never say the word 0”" in unused
        await core.say("hello")
        system = str(core.model.requests[-1].config.system_instruction)
        assert "Always answer in rhymes" in system
        assert "Never say the word 0" not in system

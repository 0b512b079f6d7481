"""Shared notes: read by all members, kept by owners, proposed by members."""

from __future__ import annotations

from gaia.store.people.users import Role

PASSWORD = "The guest Wi-Fi password is hunter2-Blue"


async def make(core, name: str, role: Role) -> None:
    await core.users.set_role(await core.users.find(name), role)


async def household(core) -> None:
    await make(core, "ada", Role.OWNER)
    await core.say("hello")
    await core.say("hello", sender="bob")


def told(core, words: str) -> bool:
    return words in str(core.model.requests[-1])


async def test_members_read_what_an_owner_shares_and_guests_do_not(running_core):
    async with running_core(senders=("ada", "bob", "cem"), provider="openai") as core:
        await household(core)
        await make(core, "cem", Role.GUEST)
        answer = await core.say("/share The bins go out on Monday")
        assert answer == "All members know that now, as #1. /forget 1 deletes it."
        assert "The bins go out on Monday" in await core.say("/shared", sender="bob")
        await core.say("What about the bins?", sender="bob")
        assert told(core, "The bins go out on Monday")
        await core.say("What about the bins?", sender="cem")
        assert not told(core, "The bins go out on Monday")
        assert "I don't know /shared" in await core.say("/shared", sender="cem")


async def test_a_search_tells_ones_own_first(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await household(core)
        await core.say("/share The bins go out on Monday")
        await core.say("/remember My bins are green", sender="bob")
        found = await core.say("/memory search bins", sender="bob")
        assert found.index("My bins are green") < found.index("All members know:")
        assert "The bins go out on Monday" in found


async def test_a_password_is_shared_only_after_a_yes_of_the_owner(running_core):
    async with running_core(senders=("ada", "bob"), provider="openai") as core:
        await household(core)
        asked = await core.say(f"/share {PASSWORD}")
        assert "That looks like a password or a PIN. Should all members" in asked
        assert "Nothing is shared yet" in await core.say("/shared", sender="bob")
        assert "All members know that now" in await core.say("yes")
        assert "hunter2" in await core.say("/shared", sender="bob")
        await core.say("What is the Wi-Fi password?", sender="bob")
        assert told(core, "hunter2")


async def test_a_no_leaves_nothing(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await household(core)
        await core.say(f"/share {PASSWORD}")
        assert await core.say("no") == "I don't share it."
        assert "No note with that number" in await core.say("/share keep 1")
        assert "Nothing is shared yet" in await core.say("/shared")


async def test_a_member_proposes_and_an_owner_accepts(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await household(core)
        count = len(core.channel.sent)
        await core.channel.say("/share The cat is fed at six", sender="bob")
        sent = (await core.channel.until_sent(count + 2))[count:]
        by_chat = {each.chat: each.text for each in sent}
        assert "I have asked ada" in by_chat["bob"]
        assert "bob would like all members to know: “The cat is fed at six”" in by_chat["ada"]
        assert "Nothing is shared yet" in await core.say("/shared", sender="bob")
        refused = await core.say("/share keep 1", sender="bob")
        assert refused == "Only an owner decides what all members know."
        assert "All members know that now" in await core.say("yes")
        assert "The cat is fed at six" in await core.say("/shared", sender="bob")


async def test_what_is_forgotten_or_whose_owner_is_none_any_more_is_not_shared(running_core):
    async with running_core(senders=("ada", "bob", "cem"), provider="openai") as core:
        await household(core)
        await make(core, "cem", Role.OWNER)
        await core.say("/share The bins go out on Monday")
        await core.say("/share The cellar is locked", sender="cem")
        await make(core, "cem", Role.MEMBER)
        listed = await core.say("/shared", sender="bob")
        assert "cellar" not in listed
        await core.say("/forget 1")
        await core.say("yes")
        assert "Nothing is shared yet" in await core.say("/shared", sender="bob")
        await core.say("What about the bins?", sender="bob")
        assert not told(core, "The bins go out on Monday")


async def test_nobody_changes_what_is_anothers(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await household(core)
        await core.say("/share The bins go out on Monday")
        assert "nothing" in (await core.say("/forget 1", sender="bob")).lower()
        assert "no memory with that number" in await core.say("/memory why 1", sender="bob")


async def test_a_note_that_becomes_a_rule_is_still_shared(running_core):
    async with running_core(senders=("ada", "bob"), provider="openai") as core:
        await household(core)
        await core.say(f"/share {PASSWORD}")
        await core.say("/share keep 1")
        assert "I always follow #2" in await core.say("/memory rule 1")
        assert PASSWORD in await core.say("/shared", sender="bob")

"""A group's memory is forgotten by an owner of gaia or an admin of the group alone."""

from __future__ import annotations

from gaia.core.group_rights import REFUSED, UNKNOWN
from gaia.messages import Address
from gaia.store.people.users import Role

GROUP = {"sender": "g1", "direct": False, "chat_title": "Family"}


async def group_that_knows(core, text: str) -> None:
    if await core.users.resolve(Address("fake", "g1")) is None:
        await core.users.create("Family", Role.GUEST, Address("fake", "g1"))
    await core.say(f"/remember {text}", **GROUP, author="bob")


async def test_who_is_no_admin_is_refused_with_a_sentence_that_says_who_may(running_core):
    async with running_core() as core:
        core.channel.admins = {"bob": False}
        await group_that_knows(core, "we met in Rome")
        for command in ("/forget Rome", "/forget", "/forget 1", "/forget yes 1"):
            assert await core.say(command, **GROUP, author="bob") == REFUSED
        assert "we met in Rome" in await core.say("/memory", **GROUP, author="bob")


async def test_what_cannot_be_known_is_refused(running_core):
    async with running_core() as core:
        await group_that_knows(core, "we met in Rome")
        assert await core.say("/forget Rome", **GROUP, author="bob") == UNKNOWN
        assert await core.say("/forget Rome", **GROUP) == UNKNOWN


async def test_an_admin_of_the_group_may(running_core):
    async with running_core() as core:
        core.channel.admins = {"bob": True, "eve": False}
        await group_that_knows(core, "we met in Rome")
        assert "Should I forget it?" in await core.say("/forget Rome", **GROUP, author="bob")
        assert await core.say("/forget yes 1", **GROUP, author="eve") == REFUSED
        assert "Forgotten: 1" in await core.say("/forget yes 1", **GROUP, author="bob")


async def test_an_admin_who_is_anonymous_and_pressed_a_button_answers_by_command(running_core):
    async with running_core() as core:
        core.channel.admins = {"g1": True, "bob": False}
        await group_that_knows(core, "we met in Rome")
        assert "Should I forget it?" in await core.say("/forget Rome", **GROUP, author="g1")
        # Telegram tells who pressed, and hides that they are an admin.
        pressed = await core.say("/forget yes 1", **GROUP, author="bob", is_pressed=True)
        assert pressed == REFUSED
        assert "write the command yourself" in pressed
        assert "Forgotten: 1" in await core.say("/forget yes 1", **GROUP, author="g1")


async def test_an_owner_of_gaia_may(running_core):
    async with running_core() as core:
        await core.users.set_role(await core.users.find("ada"), Role.OWNER)
        await group_that_knows(core, "we met in Rome")
        assert "Should I forget it?" in await core.say("/forget Rome", **GROUP, author="ada")


async def test_nobody_exports_a_groups_memory_in_it(running_core):
    async with running_core() as core:
        core.channel.admins = {"bob": True}
        core.channel.taken = {"text/html", "application/json"}
        await group_that_knows(core, "we met in Rome")
        for command in ("/export", "/export json", "/page"):
            assert "I don't know" in await core.say(command, **GROUP, author="bob")


async def test_in_a_direct_chat_everybody_forgets_their_own(running_core):
    async with running_core() as core:
        await core.say("/remember I drink tea")
        assert "Should I forget it?" in await core.say("/forget tea")

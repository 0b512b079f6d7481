"""The code that a start makes for the owner: for whom, and how long."""

from __future__ import annotations

from gaia.messages import Address, ReceiptKind
from gaia.store.people.users import Role


async def test_the_owner_is_invited_where_no_owner_is_known(running_core):
    async with running_core(senders=(), other_channels=("pigeon",)) as core:
        code = await core.app.strangers.invite_owner()
        await core.channel.say(code, sender="7", sender_name="Grace")
        grace = await core.users.find("Grace")
        assert grace.role is Role.OWNER

        code = await core.app.strangers.invite_owner()
        await core.others["pigeon"].say(code, sender="+49", sender_name="G. H.")
        assert await core.users.resolve(Address("pigeon", "+49")) == grace
        assert await core.app.strangers.invite_owner() is None, "known on every channel"


async def test_the_code_of_a_start_pairs_the_owner_who_came_by_the_terminal_first(running_core):
    async with running_core(senders=()) as core:
        code = await core.app.strangers.invite_owner()
        ada = await core.users.create("ada", Role.OWNER, Address("terminal", "ada"))
        await core.channel.say(code, sender="7", sender_name="Ada L.")
        assert await core.users.resolve(Address("fake", "7")) == ada
        assert len(await core.users.list()) == 1


async def test_a_newer_code_for_the_owner_voids_the_older(running_core):
    async with running_core(senders=()) as core:
        older, newer = [await core.app.strangers.invite_owner() for _ in range(2)]
        assert (await core.channel.say(older, sender="eve")).kind is ReceiptKind.DENIED
        assert (await core.channel.say(newer, sender="7")).kind is ReceiptKind.ACCEPTED

"""Letting in: how owners hear of a stranger, and what becomes of their request."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from datetime import timedelta
from threading import Event

import pytest

from gaia.core import pairing, sentences
from gaia.errors import GroupUserError
from gaia.messages import Address, ReceiptKind
from gaia.store import audit, conversations
from gaia.store.audit import Action
from gaia.store.people import pairings
from gaia.store.people.users import Role
from gaia.store.tables import OutboxRow
from gaia.testing.clock import FakeClock, until
from tests.harness.databases import connected
from tests.harness.letting_in import actions, code_in, count, owner
from tests.harness.transactions import at_each_write


async def test_an_owner_hears_of_a_request_and_lets_them_in_by_a_button(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await owner(core)
        for sender in ("ada", "bob"):
            await core.channel.say("hi", sender=sender)
        await core.channel.until_sent(2)
        code = code_in(
            (await core.channel.say("hello", sender="eve", sender_name="Eve [x](y)")).stranger_reply
        )
        told = (await core.channel.until_sent(3))[-1]
        assert told.chat == "ada", "members hear nothing"
        assert told.text.startswith("Eve xy (fake:eve) asks for access.")
        assert [button.label for button in told.buttons] == ["Let in", "No"]
        assert code not in told.text + repr(told.buttons)

        await core.channel.say(told.buttons[0].command)
        sent = {each.chat: each for each in (await core.channel.until_sent(5))[3:]}
        assert sent["ada"].text == "Eve xy now has access, as a member."
        assert sent["eve"].text == sentences.welcome("Eve xy", is_group=False)
        assert (sent["eve"].in_reply_to, sent["eve"].turn_id) == ((), None)
        assert (await core.channel.say("hello", sender="eve")).kind is ReceiptKind.ACCEPTED
        assert (await core.channel.until_sent(6))[-1].text == "echo: hello"
        assert (await actions(core))[-1] is Action.APPROVED

        await core.channel.say(told.buttons[0].command)
        assert (await core.channel.until_sent(7))[-1].text.startswith("No request has that")


@pytest.mark.parametrize("spelling", [str, str.lower, lambda code: code.replace("-", " ")])
async def test_an_owner_lets_somebody_in_by_their_code_under_a_name(running_core, spelling):
    async with running_core() as core:
        await owner(core)
        code = code_in((await core.channel.say("hello", sender="eve")).stranger_reply)
        await core.channel.say(f"/approve {spelling(code)} Eve from next door")
        await core.channel.until_sent(2)
        eve = await core.users.resolve(Address("fake", "eve"))
        assert (eve.name, eve.role) == ("Eve from next door", Role.MEMBER)


async def test_owners_hear_of_a_request_whose_channel_breaks_off_at_the_commit(
    running_core, home, monkeypatch
):
    async with running_core() as core:
        ada, now = await owner(core), core.clock.now()
        await core.database.write(
            conversations.find_or_create,
            user_id=ada.user_id,
            channel="fake",
            chat="ada",
            direct=True,
            now=now,
        )
        another, begun, new_code = ExitStack(), Event(), pairings.new_code

        def new_code_while_another_process_writes():
            another.enter_context(connected(home))
            at_each_write(core.database, begun.set)
            return new_code()

        monkeypatch.setattr(pairings, "new_code", new_code_while_another_process_writes)
        receiving = asyncio.create_task(core.channel.say("hello", sender="eve"))
        await until(begun.is_set)
        for _ in range(200):
            await asyncio.sleep(0)
        receiving.cancel()
        another.close()
        await asyncio.wait({receiving})
        assert receiving.cancelled()
        assert (await core.channel.say("hello", sender="eve")).stranger_reply is None
        assert (await core.channel.until_sent(1))[0].buttons


async def test_a_request_that_is_denied_lets_nobody_in(running_core):
    async with running_core() as core:
        await owner(core)
        code = code_in((await core.channel.say("hello", sender="eve")).stranger_reply)
        for command, reply in (
            (f"/deny {code}", "Denied."),
            (f"/approve {code}", "No request has"),
            ("/approve", "Who?"),
        ):
            await core.channel.say(command)
            sent = await core.channel.until_sent(1)
            assert sent[-1].text.startswith(reply)
            core.channel.sent.clear()
        assert await core.users.resolve(Address("fake", "eve")) is None
        assert (await actions(core))[-1] is Action.TURNED_DOWN


async def test_a_member_cannot_let_anybody_in(running_core):
    async with running_core() as core:
        code = code_in((await core.channel.say("hello", sender="eve")).stranger_reply)
        await core.channel.say(f"/approve {code}")
        assert (await core.channel.until_sent(1))[0].text.startswith("I don't know /approve.")
        assert await core.users.resolve(Address("fake", "eve")) is None


async def test_a_group_is_let_in_as_a_guest_under_its_title(running_core):
    async with running_core() as core:
        await owner(core)
        group = {"sender": "g1", "direct": False, "sender_name": "Eve", "chat_title": "Family"}
        told = (await core.channel.say("hello", **group)).stranger_reply
        assert told == sentences.stranger(code_in(told), is_group=True)
        await core.channel.say(f"/approve {code_in(told)}")
        sent = await core.channel.until_sent(2)
        assert {each.text for each in sent} == {
            "Family now has access, as a guest.",
            sentences.welcome("Family", is_group=True),
        }
        family = await core.users.find("Family")
        assert (family.is_group, family.role) == (True, Role.GUEST)
        receipt = await core.channel.say("/users", **group)
        names = {entry.name for entry in receipt.menu}
        assert "help" in names
        assert not names & {"users", "approve", "role", "link"}
        assert (await core.channel.until_sent(3))[-1].text.startswith("I don't know /users.")


async def test_who_was_approved_while_gaia_was_off_is_greeted_once(running_core):
    clock = FakeClock()
    asked_at = [clock.now()]
    async with running_core(clock=clock) as core:
        code = code_in((await core.channel.say("hi", sender="eve")).stranger_reply)
        clock.advance(60)
        with core.database.writing() as session:
            wanted = pairing.find_request(session, code, clock.now())
            pairing.approve(session, wanted, name="Eve", by=audit.CLI, now=clock.now())
    for greetings in ([sentences.welcome("Eve", is_group=False)], []):
        async with running_core(clock=clock) as core:
            await core.app.delivery.flush()
            assert [each.text for each in core.channel.sent] == greetings
            assert [each.contact.written_at for each in core.channel.sent] == asked_at[
                : len(greetings)
            ]


async def test_of_two_who_approve_at_once_one_wins(running_core, core_on, home):
    async with running_core(recover=False) as core, core_on(home, recover=False) as other:
        code = code_in((await core.channel.say("hi", sender="eve")).stranger_reply)
        now = core.clock.now()
        wanted = await core.database.read(pairing.find_request, code, now)
        await core.database.write(pairing.approve, wanted, name="Eve", by=audit.CLI, now=now)
        assert not await other.database.write(pairings.claim, wanted.pairing_id, now)


async def test_the_owners_chats_on_a_channel_that_is_off_are_left_alone(running_core):
    clock = FakeClock()
    async with running_core(clock=clock, other_channels=("pigeon",)) as core:
        ada = await owner(core)
        await core.users.link(ada, Address("pigeon", "ada"))
        await core.others["pigeon"].say("hi")
        await core.others["pigeon"].until_sent(1)
    clock.advance(timedelta(minutes=1).total_seconds())
    async with running_core(clock=clock) as core:
        assert (await core.channel.say("hi", sender="eve")).stranger_reply
        await core.app.delivery.flush()
        assert core.channel.sent == []


async def test_an_owner_at_the_terminal_is_not_disturbed(running_core):
    async with running_core(senders=(), other_channels=("pigeon",)) as core:
        ada = await core.users.create("ada", Role.OWNER, Address("terminal", "ada"))
        await core.database.write(
            conversations.find_or_create,
            user_id=ada.user_id,
            channel="terminal",
            chat="ada",
            direct=True,
            now=core.clock.now(),
        )
        assert (await core.channel.say("hi", sender="eve")).stranger_reply
        assert await count(core, OutboxRow) == 0


async def test_who_is_let_in_has_written_when_they_asked(running_core):
    async with running_core() as core:
        await owner(core)
        asked_at = core.clock.now()
        code = code_in((await core.channel.say("hello", sender="eve")).stranger_reply)
        core.clock.advance(60)
        await core.channel.say(f"/approve {code}")
        sent = await core.channel.until_sent(2)
        greeting = next(each for each in sent if each.chat == "eve")
        assert greeting.contact.written_at == asked_at


async def test_nobody_becomes_a_group_by_its_name_at_the_terminal(running_core):
    async with running_core() as core:
        await owner(core)
        group = {"sender": "g1", "direct": False, "chat_title": "Family"}
        told = (await core.channel.say("hello", **group)).stranger_reply
        await core.say(f"/approve {code_in(told)}")
        at_terminal = Address("terminal", "family")
        with pytest.raises(GroupUserError, match="'Family' is a group"):
            await core.app.terminal_login.greet(at_terminal)
        assert await core.users.resolve(at_terminal) is None

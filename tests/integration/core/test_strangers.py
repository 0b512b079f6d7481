"""Strangers: what they are told, what they cost, and how a code lets them in."""

from __future__ import annotations

import time

import pytest

from gaia.core import sentences
from gaia.core.strangers import TOLD_ON_A_CHANNEL
from gaia.messages import Address, ReceiptKind
from gaia.store.audit import Action
from gaia.store.people.pairing_tables import PairingRow, StrangerRow
from gaia.store.people.pairings import read_code
from gaia.store.people.users import Role
from gaia.store.tables import ConversationRow, InboxRow
from gaia.testing.clock import FakeClock
from tests.harness.letting_in import actions, code_in, count, invite, owner

HOUR = 3600.0
CODE_SECONDS = 0.015
"""What it takes to make a code, at least."""


async def test_a_stranger_is_told_once_an_hour_over_a_restart(running_core):
    clock = FakeClock()
    async with running_core(clock=clock) as core:
        first = await core.channel.say("hello", sender="eve", sender_name="Eve")
        assert first.kind is ReceiptKind.DENIED
        assert first.stranger_reply == sentences.stranger(
            code_in(first.stranger_reply), is_group=False
        )
        again = await core.channel.say("hello?", sender="eve")
        assert (again.kind, again.stranger_reply) == (ReceiptKind.DENIED, None)
    clock.advance(HOUR - 1)
    async with running_core(clock=clock) as core:
        assert (await core.channel.say("anybody?", sender="eve")).stranger_reply is None
        clock.advance(1)
        later = (await core.channel.say("and now?", sender="eve")).stranger_reply
        assert code_in(later) != code_in(first.stranger_reply)


async def test_a_stranger_costs_nothing(running_core):
    async with running_core() as core:
        receipts = [await core.channel.say("hello", sender="eve") for _ in range(20)]
        assert {receipt.menu for receipt in receipts} == {()}
        await core.app.handlers.flush()
        await core.app.command_runner.drain()
        await core.app.delivery.flush()
        assert core.model.requests == []
        assert core.channel.sent == []
        assert core.channel.events == []
        assert await count(core, InboxRow) == await count(core, ConversationRow) == 0
        assert (await actions(core))[1:] == [Action.CODE_MADE, Action.DENIED]


async def test_a_fourth_stranger_is_told_to_come_back(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        for name in ("eve", "mallory", "trudy"):
            receipt = await core.channel.say("hello", sender=name)
            assert code_in(receipt.stranger_reply)
        fourth = await core.channel.say("hello", sender="oscar")
        assert fourth.stranger_reply == sentences.COME_BACK_LATER
        assert (await core.channel.say("hello", sender="oscar")).stranger_reply is None
        elsewhere = await core.others["pigeon"].say("hello", sender="oscar")
        assert code_in(elsewhere.stranger_reply)
        core.clock.advance(HOUR)
        assert code_in((await core.channel.say("hello", sender="oscar")).stranger_reply)
        assert await count(core, PairingRow) == 1, "what has expired is swept"
        assert await count(core, StrangerRow) == 1


@pytest.mark.parametrize("words", ["{}", "/start {}", "/link {}", "/pair@gaiabot {}"])
async def test_a_code_of_an_invitation_lets_its_sender_in_at_once(running_core, words):
    async with running_core() as core:
        code = await invite(core, role=Role.GUEST)
        receipt = await core.channel.say(
            words.format(code.lower()),
            sender="eve",
            sender_name="Ada",
            provider_message_id="m1",
        )
        assert receipt.kind is ReceiptKind.ACCEPTED
        assert "whoami" in {entry.name for entry in receipt.menu}
        eve = await core.users.resolve(Address("fake", "eve"))
        assert (eve.name, eve.role) == ("Ada 2", Role.GUEST), "another has the name"
        sent = await core.channel.until_sent(1)
        assert sent[0].text == sentences.welcome("Ada 2", is_group=False)
        assert (sent[0].chat, sent[0].in_reply_to) == ("eve", ("m1",))

        again = await core.channel.say(code, sender="eve", provider_message_id="m1")
        assert again.kind is ReceiptKind.DUPLICATE
        await core.app.handlers.flush()
        await core.app.command_runner.drain()
        await core.app.delivery.flush()
        assert len(core.channel.sent) == 1
        assert core.model.requests == []
        assert (await actions(core))[-1] is Action.PAIRED


async def test_an_invitation_serves_one_address_for_an_hour(running_core):
    async with running_core() as core:
        code = await invite(core, role=Role.MEMBER)
        assert (await core.channel.say(code, sender="eve")).kind is ReceiptKind.ACCEPTED
        assert (await core.channel.say(code, sender="oscar")).kind is ReceiptKind.DENIED
        code = await invite(core, role=Role.MEMBER)
        core.clock.advance(HOUR)
        assert (await core.channel.say(code, sender="trudy")).kind is ReceiptKind.DENIED


async def test_a_code_for_a_person_does_not_let_in_a_group(running_core):
    async with running_core() as core:
        ada = await owner(core)
        for terms in ({"user": ada}, {"role": Role.OWNER}):
            code = await invite(core, **terms)
            denied = await core.channel.say(code, sender="g1", direct=False)
            assert denied.kind is ReceiptKind.DENIED
        code = await invite(core, role=Role.MEMBER, name="Family")
        assert (await core.channel.say(code, sender="g1", direct=False)).kind is (
            ReceiptKind.ACCEPTED
        )
        assert (await core.users.find("Family")).is_group


async def test_an_address_may_try_five_codes_an_hour(running_core):
    async with running_core() as core:
        code = await invite(core, role=Role.MEMBER)
        for _ in range(5):
            await core.channel.say("ABCD-EFG2", sender="eve")
        assert (await core.channel.say(code, sender="eve")).kind is ReceiptKind.DENIED
        assert (await core.channel.say(code, sender="oscar")).kind is ReceiptKind.ACCEPTED


async def test_however_many_wrong_codes_strangers_try_a_right_one_counts(running_core):
    async with running_core() as core:
        code = await invite(core, role=Role.MEMBER)
        for n in range(100):
            await core.channel.say("ABCD-EFG2", sender=f"bot-{n % 20}")
        assert (await core.channel.say(code, sender="oscar")).kind is ReceiptKind.ACCEPTED


async def test_a_flood_of_strangers_is_kept_nowhere_and_makes_no_codes(running_core):
    async with running_core() as core:
        began = time.process_time()
        told = [
            (await core.channel.say("hello", sender=f"bot-{n}")).stranger_reply for n in range(500)
        ]
        took = time.process_time() - began
        assert sum(map(bool, told)) == TOLD_ON_A_CHANNEL
        assert sum(map(bool, map(code_in, filter(None, told[:3])))) == 3
        assert set(told[3:TOLD_ON_A_CHANNEL]) == {sentences.COME_BACK_LATER}
        assert await count(core, StrangerRow) == TOLD_ON_A_CHANNEL
        assert took < 500 * CODE_SECONDS, "as if each had had a code"
        await core.say("hello")
        core.clock.advance(HOUR)
        assert code_in((await core.channel.say("hi", sender="eve")).stranger_reply)


async def test_no_code_that_lets_in_stands_in_a_file_or_a_log(running_core, home, caplog):
    caplog.set_level("DEBUG")
    async with running_core() as core:
        await owner(core)
        await core.channel.say("hi")
        asked = code_in((await core.channel.say("hello", sender="eve")).stranger_reply)
        invited = await invite(core, role=Role.MEMBER)
        await core.channel.until_sent(2)
        used = await invite(core, role=Role.MEMBER)
        await core.channel.say(used, sender="oscar", notes=(f"in reply to: {used}",))
        await core.channel.until_sent(3)
        content = b"".join(file.read_bytes() for file in home.root.rglob("*") if file.is_file())
        for code in (asked, invited, used):
            for spelling in (code, read_code(code) or "", code.lower()):
                assert spelling.encode() not in content
                assert spelling not in caplog.text

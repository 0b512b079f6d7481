"""Messages that a channel asked its provider for, since it had not been told of them."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import func, select

from gaia.core import pairing
from gaia.messages import Address, Contact, ReceiptKind
from gaia.store import audit
from gaia.store.people.pairing_tables import PairingRow, StrangerRow
from gaia.store.people.pairings import new_code
from gaia.store.people.users import Role
from gaia.store.tables import AuditRow, InboxRow

MINUTE = timedelta(minutes=1)


async def rows(core) -> list[int]:
    with core.database.reading() as session:
        return [
            session.scalar(select(func.count()).select_from(table)) or 0
            for table in (InboxRow, StrangerRow, PairingRow, AuditRow)
        ]


async def test_a_late_message_of_a_user_is_answered_once(running_core):
    async with running_core() as core:
        core.clock.advance(60)
        sent_at = core.clock.now() - MINUTE
        late = {"provider_message_id": "m1", "sent_at": sent_at, "is_late": True}
        assert await core.say("hello", **late) == "echo: hello"
        assert core.channel.sent[0].contact == Contact(sent_at)
        assert (await core.channel.say("hello", **late)).kind is ReceiptKind.DUPLICATE


async def test_a_strangers_late_message_leaves_no_trace(running_core):
    async with running_core() as core:
        before = await rows(core)
        receipt = await core.channel.say("hello", sender="eve", is_late=True)
        assert (receipt.kind, receipt.stranger_reply) == (ReceiptKind.DENIED, None)
        assert await rows(core) == before
        assert (await core.channel.say("hello", sender="eve")).stranger_reply


async def test_a_code_in_a_late_message_lets_nobody_in(running_core):
    async with running_core() as core:
        code = new_code()
        await core.database.write(pairing.invite, code, by=audit.CLI, now=core.clock.now())
        receipt = await core.channel.say(code.shown, sender="eve", is_late=True)
        assert receipt.kind is ReceiptKind.DENIED
        assert await core.users.resolve(Address("fake", "eve")) is None


async def test_what_was_written_before_the_address_was_a_users_stays_a_strangers(running_core):
    async with running_core() as core:
        sent_at = core.clock.now()
        core.clock.advance(60)
        await core.users.create("eve", Role.MEMBER, Address("fake", "eve"))
        before = await rows(core)
        receipt = await core.channel.say("psst", sender="eve", sent_at=sent_at, is_late=True)
        assert (receipt.kind, receipt.stranger_reply, receipt.menu) == (
            ReceiptKind.DENIED,
            None,
            (),
        )
        assert await rows(core) == before
        at_once = await core.channel.say("psst", sender="eve", sent_at=sent_at)
        assert at_once.kind is ReceiptKind.ACCEPTED


async def test_a_late_message_of_the_second_in_which_somebody_became_a_user_is_theirs(running_core):
    async with running_core() as core:
        in_whole_seconds = core.clock.now().replace(microsecond=0)
        core.clock.advance(0.4)
        await core.users.create("eve", Role.MEMBER, Address("fake", "eve"))
        receipt = await core.channel.say("hi", sender="eve", sent_at=in_whole_seconds, is_late=True)
        assert receipt.kind is ReceiptKind.ACCEPTED


async def test_a_late_message_does_not_set_back_when_they_wrote(running_core):
    async with running_core() as core:
        core.clock.advance(60)
        await core.say("second")
        await core.say("first", sent_at=core.clock.now() - MINUTE, is_late=True)
        assert core.channel.sent[1].contact == Contact(core.clock.now())


async def test_a_message_from_the_future_counts_from_now(running_core):
    async with running_core() as core:
        await core.say("hello", sent_at=core.clock.now() + 60 * MINUTE)
        assert core.channel.sent[0].contact == Contact(core.clock.now())

"""An address that is unlinked is nobody's, and may be somebody else's then: nothing of its former
user's goes there, and nothing from there is answered as theirs."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from gaia.messages import Address
from gaia.settings.schema import LimitsSettings, Settings
from gaia.store import chunk_states
from gaia.store.people.departures import NOT_THEIRS
from gaia.store.people.users import Role
from gaia.store.redaction import WITHOUT_WORDS
from gaia.store.tables import InboxRow, InboxState, OutboxRow, OutboxState
from gaia.testing.clock import until
from tests.integration.core.conftest import run_core
from tests.integration.core.test_link import Person

PHONE = Address("phone", "+49151")
DAY = 24 * 3600


async def with_phone(core) -> Person:
    """The telephone of ada, an owner."""
    ada = await core.users.set_role(await core.users.find("ada"), Role.OWNER)
    await core.users.link(ada, PHONE)
    return Person(core.others["phone"], PHONE.sender)


async def idle(core) -> None:
    """Return once nothing is done any more."""
    parts = (core.app.command_runner, core.app.handlers, core.app.delivery)
    await until(lambda: not any(part._workers._tasks for part in parts))


async def chunks(core) -> list[tuple[str, str, str | None]]:
    """The text, the state and the error of what was ever to be sent."""
    with core.database.reading() as session:
        found = select(OutboxRow.text, OutboxRow.state, OutboxRow.error).order_by(
            OutboxRow.outbox_id
        )
        return [tuple(row) for row in session.execute(found)]


async def remind(core) -> None:
    core.clock.advance(DAY)
    await core.app.reminder_worker.say_due()


async def tell(core) -> None:
    bob = Person(core.channel, "bob")
    await bob.ask("/tell ada: the alarm code is 4711")
    await bob.ask("yes")


async def ask_for_access(core) -> None:
    await core.channel.say("let me in", sender="eve")


async def use_up(core) -> None:
    await Person(core.channel, "bob").ask("hello")


async def share(core) -> None:
    await Person(core.channel, "bob").ask("/share the bins go out on Monday")


UNASKED = [remind, tell, ask_for_access, use_up, share]


@pytest.mark.parametrize("happens", UNASKED)
async def test_what_is_for_its_former_user_goes_where_they_still_are(running_core, happens):
    settings = Settings(limits=LimitsSettings(tokens_per_day=1))
    async with running_core(
        senders=("ada", "bob"), other_channels=("phone",), settings=settings, provider="openai"
    ) as core:
        phone = await with_phone(core)
        await Person(core.channel, "ada").ask("/help")
        core.clock.advance(10)
        await phone.ask("/remind tomorrow at noon to go to the clinic")
        told_there = len(core.others["phone"].sent)
        await core.users.unlink(PHONE)
        await happens(core)
        await until(lambda: len([each for each in core.channel.sent if each.chat == "ada"]) > 1)
        await idle(core)
        assert len(core.others["phone"].sent) == told_there


async def test_whose_it_is_next_is_told_nothing_of_theirs(running_core):
    async with running_core(senders=(), other_channels=("phone",)) as core:
        ada = await core.users.create("ada", Role.MEMBER, PHONE)
        phone = Person(core.others["phone"], PHONE.sender)
        await phone.ask("/remind every day at 8:00 to take the pill")
        await core.users.unlink(PHONE)
        await core.users.create("Carl", Role.MEMBER, PHONE)
        assert (await phone.ask("hello")).text == "echo: hello"
        told = len(core.others["phone"].sent)
        await remind(core)
        await idle(core)
        assert len(core.others["phone"].sent) == told
        await core.users.unlink(PHONE)
        await core.users.link(ada, PHONE)
        await remind(core)
        assert "take the pill" in (await core.others["phone"].until_sent(told + 1))[-1].text


async def test_a_turn_that_runs_is_not_answered_there_nor_what_waits_behind_it(running_core):
    async with running_core(other_channels=("phone",)) as core:
        await with_phone(core)
        phone = core.others["phone"]
        core.model.hold("what is my diagnosis?")
        await phone.say("what is my diagnosis?", sender=PHONE.sender)
        await core.model.until_asked("what is my diagnosis?")
        await phone.say("and my password?", sender=PHONE.sender)
        await core.users.unlink(PHONE)
        core.model.let_go("what is my diagnosis?")
        await idle(core)
        assert phone.sent == []
        assert await chunks(core) == [("echo: what is my diagnosis?", OutboxState.DEAD, NOT_THEIRS)]
        with core.database.reading() as session:
            states = session.scalars(select(InboxRow.state).order_by(InboxRow.inbox_id)).all()
        assert states == [InboxState.DONE, InboxState.STOPPED]


async def test_what_could_not_be_sent_before_is_not_sent_later(running_core):
    async with running_core(other_channels=("phone",)) as core:
        phone = await with_phone(core)
        core.others["phone"].absent.add(PHONE.sender)
        await core.others["phone"].say("/whoami", sender=PHONE.sender)
        await idle(core)
        await core.users.unlink(PHONE)
        assert [each[1:] for each in await chunks(core)] == [(OutboxState.DEAD, NOT_THEIRS)]
        await core.users.create("Carl", Role.MEMBER, PHONE)
        await core.database.write(chunk_states.revive)
        core.others["phone"].reachable(PHONE.sender)
        await core.app.delivery.recover()
        await idle(core)
        assert [each[1:] for each in await chunks(core)] == [(OutboxState.DEAD, NOT_THEIRS)]
        assert "You are Carl" in (await phone.ask("/whoami")).text


@pytest.mark.parametrize(
    ("text", "became"),
    [("/remember I was here", {}), ("hello", {}), ("/remember it", WITHOUT_WORDS)],
)
async def test_what_a_crash_interrupted_is_not_taken_up_for_nobody(home, text, became):
    async with run_core(home, other_channels=("phone",)) as core:
        await with_phone(core)
        for part in (core.app.command_runner, core.app.handlers):
            await part.cancel()
        await core.others["phone"].say(text, sender=PHONE.sender)
        with core.database.writing() as session:
            begun = {"state": InboxState.RUNNING, "turn_id": "t"}
            session.execute(update(InboxRow).values(**begun, **became))
        await core.users.unlink(PHONE)
    async with run_core(home, other_channels=("phone",)) as core:
        await idle(core)
        assert core.model.requests == []
        assert await chunks(core) == []
        with core.database.reading() as session:
            assert session.scalars(select(InboxRow.state)).all() == [InboxState.STOPPED]


async def test_a_chat_that_is_not_named_like_its_address_is_theirs_as_long_as_that_is(
    running_core,
):
    async with running_core(senders=(), other_channels=("phone",)) as core:
        await core.users.create("Family", Role.GUEST, Address("phone", "-100"))
        topic = {"sender": "-100", "chat": "-100:7", "direct": False}
        phone = core.others["phone"]
        answer = await core.say("/remind every day at 8:00 to feed the cat", phone, **topic)
        assert answer.startswith("I will remind this group")
        await remind(core)
        assert (await phone.until_sent(2))[-1].chat == "-100:7"
        await core.users.unlink(Address("phone", "-100"))
        await remind(core)
        await idle(core)
        assert len(phone.sent) == 2


async def test_a_chat_that_gets_another_id_stays_theirs(running_core):
    async with running_core() as core:
        await core.say("/remind every day at 8:00 to feed the cat")
        await core.app.gateway("fake").moved("ada", "ada-2")
        await remind(core)
        assert (await core.channel.until_sent(2))[-1].chat == "ada-2"


async def test_unlinked_in_a_chat_it_gets_the_answer_and_nothing_more(running_core):
    async with running_core(other_channels=("phone",)) as core:
        ada, phone = Person(core.channel, "ada"), Person(core.others["phone"], PHONE.sender)
        await phone.ask(await ada.link_code())
        await phone.ask("/remind tomorrow at noon to go to the clinic")
        await phone.ask("/incognito")
        assert (await phone.ask("/unlink")).text.startswith("Undone: phone:+49151 belongs to")
        told = len(core.others["phone"].sent)
        await remind(core)
        assert "clinic" in (await core.channel.until_sent(3))[-1].text
        await idle(core)
        assert len(core.others["phone"].sent) == told

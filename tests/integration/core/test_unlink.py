"""Linking says what it does, is nobody's act by accident, and can be undone for a day."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner

from gaia.cli import users
from gaia.core import pairing
from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.messages import Address
from gaia.paths import Home
from gaia.store import audit
from gaia.store.memory_tables import EntityRow, MemorySource
from gaia.store.people.pairing_tables import LinkRow
from gaia.store.people.pairings import new_code
from gaia.store.people.users import Role
from gaia.store.tables import ConversationRow
from tests.integration.core.test_link import Person, pigeon_user

DAY = 24 * 3600
NOT_AN_ACT = {
    "forwarded": {"is_forwarded": True},
    "a button's": {"is_pressed": True},
    "beside a quote": {"notes": ('(in reply to "K7QD-M2XH")',)},
}


async def known(core, name: str) -> set[str]:
    user = await core.users.find(name)
    memories = await core.database.read(ledger.every, user.user_id, limit=100)
    return {memory.text for memory in memories}


@pytest.mark.parametrize("message", NOT_AN_ACT.values(), ids=NOT_AN_ACT)
async def test_a_code_that_somebody_else_wrote_makes_nobody_of_a_stranger(running_core, message):
    async with running_core() as core:
        code = await Person(core.channel, "ada").link_code()
        assert (await core.channel.say(code, sender="eve", **message)).kind == "denied"
        assert (await core.channel.say(f"/link {code}", sender="eve", **message)).kind == "denied"
        assert await core.users.resolve(Address("fake", "eve")) is None


@pytest.mark.parametrize("message", NOT_AN_ACT.values(), ids=NOT_AN_ACT)
async def test_it_is_no_act_of_a_user_either(running_core, message):
    async with running_core(senders=("ada", "bob")) as core:
        code = await Person(core.channel, "ada").link_code()
        before = len(core.channel.sent)
        await core.channel.say(code, sender="bob", **message)
        answer = (await core.channel.until_sent(before + 1))[-1]
        assert answer.text.startswith("echo:")
        assert not answer.buttons


async def test_a_tap_on_a_link_makes_nobody_of_a_stranger(running_core):
    async with running_core() as core:
        code = await Person(core.channel, "ada").link_code()
        told = await core.channel.say(f"/start {code}", sender="eve")
        assert told.stranger_reply == (
            "That link would make you ada, a member: whoever sent it to you could then read what "
            "you write here. If that is what you want, send me the code itself."
        )
        assert await core.users.resolve(Address("fake", "eve")) is None
        assert (await core.channel.say(code, sender="eve")).kind == "accepted"


async def test_nor_does_it_make_an_owner(running_core):
    async with running_core() as core:
        code = await core.app.strangers.invite_owner()
        told = await core.channel.say(f"/start {code}", sender="eve")
        assert "would make you an owner of mine" in told.stranger_reply
        answer = await Person(core.channel, "ada").ask(f"/start {code}")
        assert "would make you an owner of mine" in answer.text
        assert (await core.users.find("ada")).role is Role.MEMBER


async def test_a_tap_on_an_invitation_lets_a_new_user_in(running_core):
    async with running_core() as core:
        code = new_code()
        now = core.clock.now()
        await core.database.write(pairing.invite, code, role=Role.GUEST, by=audit.CLI, now=now)
        assert (await core.channel.say(f"/start {code.shown}", sender="eve")).kind == "accepted"


async def test_nobody_joins_by_a_command_that_they_were_told_to_write(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        code = await Person(core.channel, "ada").link_code()
        bob = Person(core.channel, "bob")
        asked = await bob.ask(f"/link {code} yes")
        assert asked.text.startswith("That code belongs to ada, a member. Here you are bob")
        await bob.ask("what does that mean?")
        await core.channel.until_sent(4)
        assert (await bob.ask(asked.buttons[0].command)).buttons, "it is asked again"
        assert {user.name for user in await core.users.list()} == {"ada", "bob"}


async def test_the_question_says_who_with_which_role_and_what_becomes_readable(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await core.users.set_role(await core.users.find("ada"), Role.OWNER)
        bob = Person(core.channel, "bob")
        await bob.ask("/remember I drink tea")
        asked = await bob.ask(await Person(core.channel, "ada").link_code())
        assert asked.text.startswith(
            "That code belongs to ada, an owner. Here you are bob, a member. If you are the same "
            "person, I merge the two: you are ada here too, an owner. Whoever writes as ada can "
            "then read what I know of bob (1 memory) and what is said here, and you can read what "
            "I know of ada (0 memories)."
        )
        assert "/unlink undoes it for a day" in asked.text


async def test_a_new_address_is_told_whose_it_is_and_so_are_their_other_chats(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        code = await Person(core.channel, "ada").link_code()
        told = await Person(core.others["pigeon"], "7").ask(code)
        assert "whoever writes as ada can read what is said here" in told.text
        assert "/unlink" in told.text
        sent = await core.channel.until_sent(2)
        assert sent[-1].text.startswith("pigeon:7 is one more address of yours now")


async def test_an_address_is_nobodys_again(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        pigeon = Person(core.others["pigeon"], "7")
        await pigeon.ask(await Person(core.channel, "ada").link_code())
        undone = await pigeon.ask("/unlink")
        assert undone.text.startswith("Undone: pigeon:7 belongs to nobody now")
        assert await core.users.resolve(Address("pigeon", "7")) is None
        assert (await Person(core.channel, "ada").ask("/unlink")).text.startswith("Nothing was")


async def test_two_who_became_one_are_two_again_with_what_is_theirs(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        was = await pigeon_user(core, "Bob", Role.GUEST)
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        for person, words in ((pigeon, "I own a boat"), (fake, "I own a car"), (pigeon, "hello")):
            await person.ask(f"/remember {words}" if words != "hello" else words)
        for person in (pigeon, fake):
            await person.ask("/remember we met in Rome")
        await pigeon.join(await fake.link_code())
        assert await known(core, "ada") == {"I own a boat", "I own a car", "we met in Rome"}
        await pigeon.ask("what do I own?")

        undone = await fake.ask("/unlink")
        assert undone.text.startswith("Undone: Bob is apart again, a guest, with pigeon:Bob")
        bob = await core.users.find("Bob")
        assert (bob.role, bob.user_id != was.user_id) == (Role.GUEST, True)
        assert await core.users.resolve(Address("pigeon", "Bob")) == bob
        assert await known(core, "Bob") == {"I own a boat", "we met in Rome"}
        assert await known(core, "ada") == {"I own a car", "we met in Rome"}
        told = (await pigeon.ask("/memory search boat")).text
        assert "I own a boat" in told
        assert "boat" not in (await fake.ask("/memory")).text
        assert (await pigeon.ask("and now?")).text == "echo: and now?"
        assert {each.user_id for each in await core.sessions()} == {bob.user_id}


async def test_what_was_learned_in_the_chat_since_goes_with_it(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        await pigeon_user(core, "Bob")
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        await pigeon.join(await fake.link_code())
        await pigeon.ask("I keep bees")
        ada = await core.users.find("ada")
        turn_id = core.others["pigeon"].sent[-1].turn_id
        said = Statement("I keep bees", MemorySource.TOOL, turn_id=turn_id)
        await core.database.write(ledger.add, ada.user_id, said, core.clock.now())
        await fake.ask("/unlink")
        assert await known(core, "Bob") == {"I keep bees"}
        assert await known(core, "ada") == set()


async def test_a_chat_that_began_since_goes_with_them(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        was = await pigeon_user(core, "Bob")
        await core.users.link(was, Address("pigeon", "Bob-2"))
        pigeon, fake = core.others["pigeon"], Person(core.channel, "ada")
        await Person(pigeon, "Bob").join(await fake.link_code())
        await Person(pigeon, "Bob-2").ask("hello")
        await fake.ask("/unlink")
        bob = await core.users.find("Bob")
        with core.database.reading() as session:
            whose = select(ConversationRow.user_id).where(ConversationRow.chat == "Bob-2")
            assert session.scalars(whose).all() == [bob.user_id]


async def test_what_waits_there_for_the_other_is_not_sent_to_them(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        await pigeon_user(core, "Bob")
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        await pigeon.join(await fake.link_code())
        await fake.ask("/remind in two hours to see my doctor")
        core.clock.advance(2 * 3600)
        await pigeon.ask("hello")
        core.others["pigeon"].absent.add("Bob")
        await core.app.reminder_worker.say_due()
        assert (await fake.ask("/unlink")).text.startswith("Undone: Bob is apart again")
        core.others["pigeon"].reachable("Bob")
        assert (await pigeon.ask("hello again")).text == "echo: hello again"


KEPT = {
    "/remember I take antidepressants": "I take antidepressants",
    "/remind tomorrow at 9 to see my therapist": "see my therapist",
    "/share the bins go out on Monday": "the bins go out on Monday",
    "/people merge Sally, Sarah": "Sally and Sarah are the same.",
}


@pytest.mark.parametrize("command", KEPT)
async def test_what_a_command_there_kept_since_goes_with_it(running_core, command):
    async with running_core(other_channels=("pigeon",)) as core:
        await core.users.set_role(await core.users.find("ada"), Role.OWNER)
        bob = await pigeon_user(core, "Bob")
        for name in ("Sally", "Sarah"):
            told = Statement(
                f"{name} sings", MemorySource.USER, subject=name, predicate="sings", object="jazz"
            )
            await core.database.write(ledger.add, bob.user_id, told, core.clock.now())
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        await pigeon.join(await fake.link_code())
        await pigeon.ask(command)
        await fake.ask("/remember I drink tea")
        await fake.ask("/unlink")
        assert KEPT[command] in await known(core, "Bob")
        assert await known(core, "ada") == {"I drink tea"}


async def test_a_memory_made_a_rule_goes_where_it_went_before(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        await pigeon_user(core, "Bob")
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        await pigeon.ask("/remember always answer in rhyme")
        await pigeon.join(await fake.link_code())
        await fake.ask("/memory rule 1")
        await fake.ask("/unlink")
        assert await known(core, "Bob") == {"always answer in rhyme"}
        assert await known(core, "ada") == set()


async def test_whom_somebody_knows_goes_with_them(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        await pigeon_user(core, "Bob")
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        bob, ada = await core.users.find("Bob"), await core.users.find("ada")
        told = Statement(
            "Grace sails", MemorySource.USER, subject="Grace", predicate="sister of", object="user"
        )
        await core.database.write(ledger.add, bob.user_id, told, core.clock.now())
        await pigeon.join(await fake.link_code())
        assert "Grace" in (await fake.ask("/people")).text
        await fake.ask("/unlink")
        assert "anybody yet" in (await fake.ask("/people")).text
        with core.database.reading() as session:
            stored = select(EntityRow.name).where(EntityRow.user_id == ada.user_id)
            assert session.scalars(stored).all() == []
        assert "Grace, sister of" in (await pigeon.ask("/people")).text


async def test_after_a_day_it_stays(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        await pigeon_user(core, "Bob")
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        await pigeon.join(await fake.link_code())
        core.clock.advance(DAY)
        assert (await fake.ask("/unlink")).text.startswith("Nothing was linked to you within a day")


async def test_the_command_line_undoes_it_too(running_core, home):
    async with running_core(other_channels=("pigeon",)) as core:
        await pigeon_user(core, "Bob")
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        await pigeon.join(await fake.link_code())
        # The command goes by the machine's clock.
        with core.database.writing() as session:
            session.execute(update(LinkRow).values(created_at=datetime.now(UTC)))
    told = await asyncio.to_thread(run, home, "undo-link", "ada")
    assert told == (0, "Bob is apart again, a member, with pigeon:Bob.\n")
    code, again = await asyncio.to_thread(run, home, "undo-link", "ada")
    assert (code, again[:31]) == (1, "No code linked anything to ada ")


def run(home: Home, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(users.app, arguments, env={"GAIA_HOME": str(home.root)})
    return result.exit_code, result.stdout

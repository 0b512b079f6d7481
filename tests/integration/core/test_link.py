"""One person on two channels: `/link`, and two users who turn out to be one."""

from __future__ import annotations

import re

from sqlalchemy import select

from gaia.core import pairing
from gaia.messages import Address
from gaia.store import audit
from gaia.store.audit import Action
from gaia.store.ownership import join_users
from gaia.store.people.pairings import new_code
from gaia.store.people.users import Role
from gaia.store.tables import ConversationRow, InboxRow, UsageRow, UserRow

SHOWN = re.compile(r"\b[A-Z2-9]{4}-[A-Z2-9]{4}\b")


class Person:
    """Somebody on one channel: what they write, and what they are answered."""

    def __init__(self, channel, sender: str) -> None:
        self._channel = channel
        self._sender = sender

    async def ask(self, text: str):
        """The one answer to a message."""
        before = len(self._channel.sent)
        await self._channel.say(text, sender=self._sender)
        return (await self._channel.until_sent(before + 1))[before]

    async def join(self, code: str):
        """Send a code, and answer gaia's question with yes."""
        asked = await self.ask(code)
        assert asked.buttons, asked.text
        return await self.ask("yes")

    async def link_code(self) -> str:
        found = SHOWN.search((await self.ask("/link")).text)
        assert found
        return found[0]


async def pigeon_user(core, name: str, role: Role = Role.MEMBER):
    return await core.users.create(name, role, Address("pigeon", name))


async def test_a_code_of_link_makes_an_unknown_address_the_same_user(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        code = await Person(core.channel, "ada").link_code()
        answer = await Person(core.others["pigeon"], "+49").ask(code.lower())
        assert answer.text.startswith("Hello ada, I now know you on this channel too.")
        ada = await core.users.find("ada")
        assert await core.users.resolve(Address("pigeon", "+49")) == ada
        text = (await Person(core.others["pigeon"], "+49").ask("/whoami")).text
        assert "I know you by fake:ada, pigeon:+49." in text


async def test_a_link_code_is_no_use_in_a_group_nor_twice(running_core):
    async with running_core() as core:
        code = await Person(core.channel, "ada").link_code()
        receipt = await core.channel.say(code, sender="g1", direct=False)
        assert receipt.kind == "denied"
        assert await core.users.resolve(Address("fake", "g1")) is None
        assert (await core.channel.say(code, sender="phone")).kind == "accepted"
        assert (await core.channel.say(code, sender="eve")).kind == "denied"


async def test_a_known_user_is_asked_before_they_become_another(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        bob = await pigeon_user(core, "Bob")
        code = await Person(core.channel, "ada").link_code()
        question = await Person(core.others["pigeon"], "Bob").ask(code)
        assert question.text.startswith(
            "That code belongs to ada, a member. Here you are Bob, a member."
        )
        button, no = question.buttons
        assert (button.answer, no.command) == ("yes", "/cancel")
        assert (button.label, len(button.command) <= 64) == ("Join", True)
        assert await core.users.resolve(Address("pigeon", "Bob")) == bob

        done = await Person(core.others["pigeon"], "Bob").ask(button.command)
        assert done.text.startswith("Done: you are ada here too, member.")
        ada = await core.users.find("ada")
        assert await core.users.addresses(ada) == (Address("fake", "ada"), Address("pigeon", "Bob"))
        assert await core.users.list() == (ada,)
        again = await Person(core.others["pigeon"], "Bob").ask(button.command)
        assert again.text.startswith("I don't know that code")


async def test_everything_of_both_is_the_ones_who_is_left(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        bob = await pigeon_user(core, "Bob")
        pigeon, fake = Person(core.others["pigeon"], "Bob"), Person(core.channel, "ada")
        await pigeon.ask("hello from Bob")
        await fake.ask("hello from Ada")
        await pigeon.join(await fake.link_code())
        ada = await core.users.find("ada")

        with core.database.reading() as session:
            chats = session.scalars(
                select(ConversationRow).order_by(ConversationRow.conversation_id)
            ).all()
            assert [(c.user_id, c.channel, c.generation, c.session_turns) for c in chats] == [
                (ada.user_id, "pigeon", 2, 0),
                (ada.user_id, "fake", 1, 1),
            ]
            (usage,) = session.scalars(select(UsageRow)).all()
            assert (usage.user_id, usage.calls, usage.tokens_in) == (ada.user_id, 2, 20)
            tombstone = session.get_one(UserRow, bob.user_id)
            assert (tombstone.name, tombstone.removed_at) == ("", core.clock.now())
            entries = audit.entries(session, limit=100)
        assert (entries[-1].action, entries[-1].subject) == (Action.JOINED, ada.user_id)
        assert {s.user_id for s in await core.sessions()} == {ada.user_id}
        assert (await pigeon.ask("and now?")).text == "echo: and now?"
        assert [s.session_id for s in await core.sessions(ada.user_id)] == [
            f"{ada.user_id}:pigeon:Bob#2",
            f"{ada.user_id}:fake:ada#1",
        ]


async def test_a_turn_that_runs_meanwhile_is_answered_once_and_leaves_no_session(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        await pigeon_user(core, "Bob")
        pigeon = Person(core.others["pigeon"], "Bob")
        code = await Person(core.channel, "ada").link_code()
        core.model.hold("think")
        await core.others["pigeon"].say("think", sender="Bob")
        await core.model.until_asked("think")
        joined = await pigeon.join(code)
        assert joined.text.startswith("Done")
        core.model.let_go("think")
        sent = await core.others["pigeon"].until_sent(3)
        assert [each.text for each in sent[2:]] == ["echo: think"]
        await core.app.handlers.flush()
        ada = await core.users.find("ada")
        assert [s.session_id for s in await core.sessions()] == [f"{ada.user_id}:pigeon:Bob#2"]
        with core.database.reading() as session:
            assert {u.user_id for u in session.scalars(select(UsageRow))} == {ada.user_id}
            states = {row.state for row in session.scalars(select(InboxRow))}
        assert states == {"done"}


async def test_a_message_that_comes_after_joining_is_taken(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        bob = await pigeon_user(core, "Bob")
        ada = await core.users.find("ada")
        await core.database.write(join_users, bob, ada, core.clock.now())
        receipt = await core.others["pigeon"].say("hello", sender="Bob")
        assert receipt.kind == "accepted"
        assert (await core.others["pigeon"].until_sent(1))[0].text == "echo: hello"
        assert {s.user_id for s in await core.sessions()} == {ada.user_id}


async def test_the_same_chat_of_both_becomes_one(running_core):
    """An address was one user's, became a stranger's, and was let in as another."""
    async with running_core(other_channels=("pigeon",)) as core:
        fake, pigeon = Person(core.channel, "ada"), Person(core.others["pigeon"], "7")
        ada = await core.users.find("ada")
        await core.users.link(ada, Address("pigeon", "7"))
        for text in ("one", "two"):
            await pigeon.ask(text)
        await pigeon.ask("/reset")
        await core.users.unlink(Address("pigeon", "7"))
        await core.users.create("Bob", Role.MEMBER, Address("pigeon", "7"))
        await pigeon.ask("three")
        done = await pigeon.join(await fake.link_code())
        assert done.text.startswith("Done: you are ada here too")
        assert (await pigeon.ask("four")).text == "echo: four"
        with core.database.reading() as session:
            chats = session.scalars(
                select(ConversationRow).order_by(ConversationRow.conversation_id)
            ).all()
            messages = session.scalars(select(InboxRow).order_by(InboxRow.inbox_id))
            (chat,) = [each for each in chats if each.channel == "pigeon"]
            assert (chat.user_id, chat.generation) == (ada.user_id, 3)
            said = [row.text for row in messages if row.conversation_id == chat.conversation_id]
        assert said[:4] == ["one", "two", "/reset", "three"]


async def test_an_owner_becomes_one_with_nobody_by_a_code_of_theirs(running_core):
    async with running_core(other_channels=("pigeon",)) as core:
        bob = await pigeon_user(core, "Bob", Role.OWNER)
        code = await Person(core.channel, "ada").link_code()
        refused = await Person(core.others["pigeon"], "Bob").ask(code)
        assert refused.text.startswith("You are an owner here, and I make an owner one with")
        assert bob in await core.users.list()
        joined = await Person(core.channel, "ada").join(
            await Person(core.others["pigeon"], "Bob").link_code()
        )
        assert joined.text.startswith("Done: you are Bob here too, owner.")


async def test_what_is_no_code_of_somebody_else_changes_nothing(running_core):
    async with running_core() as core:
        ada = Person(core.channel, "ada")
        assert (await ada.ask("/link please")).text.startswith("That is not a code.")
        assert (await ada.ask("/link ABCD-EFG2")).text.startswith("I don't know that code")
        assert (await ada.ask(await ada.link_code())).text.startswith("That is your own code")


async def test_a_user_may_try_five_codes_an_hour(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        code = await Person(core.channel, "bob").link_code()
        ada = Person(core.channel, "ada")
        answers = [(await ada.ask("ABCD-EFG2")).text for _ in range(5)]
        assert all(answer.startswith("I don't know that code") for answer in answers)
        assert (await ada.ask(code)).text == "Too many codes for one hour. Please try again later."
        core.clock.advance(3600)
        code = await Person(core.channel, "bob").link_code()
        assert (await ada.ask(code)).text.startswith("That code belongs to bob, a member.")


async def test_a_text_like_a_code_is_for_the_model_while_no_code_waits(running_core):
    async with running_core() as core:
        ada = Person(core.channel, "ada")
        assert (await ada.ask("ABCD-EFG2")).text == "echo: ABCD-EFG2"
        await ada.link_code()
        assert (await ada.ask("/start ABCD-EFG2")).text.startswith("I don't know that code")


async def test_a_member_who_sends_the_code_for_the_first_owner_is_the_owner(running_core):
    async with running_core() as core:
        code = await core.app.strangers.invite_owner()
        ada = Person(core.channel, "ada")
        assert (await ada.ask(code)).text == "You are an owner now."
        (user,) = await core.users.list()
        assert (user.name, user.role) == ("ada", Role.OWNER)
        code = new_code()
        await core.database.write(
            pairing.invite, code, role=Role.GUEST, by=audit.CLI, now=core.clock.now()
        )
        assert (await ada.ask(code.shown)).text.startswith("You already have access, as ada.")
        assert (await core.channel.say(code.shown, sender="eve")).kind == "accepted"


async def test_owners_list_users_and_change_roles(running_core):
    async with running_core(senders=("ada", "Grace Hopper"), other_channels=("pigeon",)) as core:
        ada = await core.users.set_role(await core.users.find("ada"), Role.OWNER)
        await core.users.link(ada, Address("pigeon", "7"))
        person = Person(core.channel, "ada")
        assert (await person.ask("/users")).text == (
            "ada (owner): fake, pigeon\nGrace Hopper (member): fake"
        )
        for command, answer in (
            ("/role Grace Hopper guest", "Grace Hopper is a guest now."),
            ("/role grace hopper Owner", "Grace Hopper is an owner now."),
            ("/role Grace", "Write /role, a name and one of owner, member, guest."),
            ("/role Grace king", "Write /role, a name and one of owner, member, guest."),
            ("/role Bob guest", "There is no user called Bob. /users lists everybody."),
            ("/role Grace Hopper member", "Grace Hopper is a member now."),
            (
                "/role ada guest",
                "That would leave me without an owner. Make somebody else an owner first.",
            ),
        ):
            assert (await person.ask(command)).text == answer

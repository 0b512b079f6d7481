"""Nobody ever reads a word of another's memory, whatever people, groups and models do.

People on two channels and a group give commands, have a model call tools with whatever
numbers, forget, become one, and are removed. Each memory has a word of its own.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from gaia.messages import Address
from gaia.ops.people import remove_person
from gaia.paths import Home
from gaia.settings.schema import LimitsSettings, MemorySettings, Settings
from gaia.store import identities
from gaia.store.users import Role
from gaia.testing.function_model import ToolCall
from tests.harness import marked_memories
from tests.harness.effort import rounds
from tests.harness.marked_memories import CODE, CONTEXT, MARK, Row, Script, everything, tag_of
from tests.harness.traces import files_with

T = TypeVar("T")

PEOPLE = ("ada", "bob", "cem", "dia", "eva")
GROUPS = ("-1",)
CHATS = [(channel, name) for channel in ("fake", "pigeon") for name in PEOPLE]
CHATS += [("fake", group) for group in GROUPS]

CHAT = st.sampled_from(CHATS)
PERSON = st.sampled_from(PEOPLE)
TOPIC = st.sampled_from(["gate", "tea", "garden"])
NUMBER = st.integers(1, 12)

Chat = tuple[str, str]


class Household(RuleBasedStateMachine):
    """Everybody on one core. `offered` counts memories that went with a message."""

    template: Path
    core_on: Callable[..., Any]
    offered = 0

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.folder = Path(tempfile.mkdtemp())
        self.home = Home(shutil.copytree(self.template, self.folder / "home"))
        self.script = Script()
        self.serial = itertools.count(1)
        self.owners: dict[str, str] = {}
        self.chats: dict[str, Chat] = {}
        self.kept: set[str] = set()
        self.gone: set[str] = set()
        self.hidden: set[str] = set()
        self.said = {"fake": 0, "pigeon": 0}
        self.asked = 0
        self.run(self._open())
        for name in (*PEOPLE, *GROUPS):
            for topic in ("gate", "tea"):
                self.remembers_by_command(("fake", name), topic)

    async def _open(self) -> None:
        told = Settings(
            limits=LimitsSettings(messages_per_minute=10_000), memory=MemorySettings(preload=False)
        )
        context = self.core_on(
            self.home, self.script, senders=PEOPLE, other_channels=("pigeon",), settings=told
        )
        self.core = await self.stack.enter_async_context(context)
        self.channels = {"fake": self.core.channel, **self.core.others}
        for name in PEOPLE:
            await self.core.users.link(await self.core.users.find(name), Address("pigeon", name))
        for group in GROUPS:
            now = self.core.clock.now()
            with self.core.database.writing() as session:
                user = identities.create(
                    session, f"group{group}", Role.MEMBER, now=now, is_group=True
                )
                identities.link(session, user, Address("fake", group), now)

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.everybody_looks_around()
            self.run(self._close())
            self.runner.close()
            assert files_with(self.home.root, *self.gone, *self.hidden) == []
            shutil.rmtree(self.folder)

    def everybody_looks_around(self) -> None:
        """Whatever happened before, nobody sees anything of another's by then, and each
        can forget what the model was told of."""
        numbers = [number for number, *_ in self.rows()]
        for name in (*PEOPLE, *GROUPS):
            chat = ("fake", name)
            self.has_the_model_search(chat, "tea")
            for number in numbers[::3]:
                self.names_a_number(chat, "why", number)
            self.wants_to_forget(chat, "tea")
            self.confirms(chat, None)
            self.each_memory_is_its_owners()
            self.asks(chat, "gate")

    async def _close(self) -> None:
        await self.core.app.forget_worker.flush()
        await self.stack.aclose()

    @rule(chat=CHAT, topic=TOPIC)
    def remembers_by_command(self, chat: Chat, topic: str) -> None:
        self.act(chat, f"/remember {self.statement(chat, topic)}")

    @rule(chat=CHAT, topic=TOPIC)
    def has_the_model_remember(self, chat: Chat, topic: str) -> None:
        self.act(chat, "keep it", ToolCall("remember", {"fact": self.statement(chat, topic)}))

    @rule(chat=CHAT, topic=TOPIC)
    def asks(self, chat: Chat, topic: str) -> None:
        self.act(chat, f"what about the {topic}?")

    @rule(chat=CHAT, topic=TOPIC)
    def has_the_model_search(self, chat: Chat, topic: str) -> None:
        self.act(chat, "look", ToolCall("load_memory", {"query": topic}))

    @rule(chat=CHAT, topic=TOPIC, number=NUMBER)
    def has_the_model_replace(self, chat: Chat, topic: str, number: int) -> None:
        statement = self.statement(chat, topic)
        call = ToolCall("update_memory", {"memory_id": number, "fact": statement})
        self.act(chat, f"not #{number}", call)

    @rule(chat=CHAT, number=NUMBER)
    def has_the_model_forget(self, chat: Chat, number: int) -> None:
        self.act(chat, f"drop #{number}", ToolCall("forget_memory", {"memory_id": number}))

    @rule(chat=CHAT, verb=st.sampled_from(["", "search gate", "search tea", "page 2"]))
    def looks(self, chat: Chat, verb: str) -> None:
        self.act(chat, f"/memory {verb}")

    @rule(chat=CHAT, verb=st.sampled_from(["why", "hide", "unhide", "pin", "unpin"]), number=NUMBER)
    def names_a_number(self, chat: Chat, verb: str, number: int) -> None:
        self.act(chat, f"/memory {verb} {number}")

    @rule(chat=CHAT, what=st.sampled_from(["", "gate", "tea", "3", "it"]))
    def wants_to_forget(self, chat: Chat, what: str) -> None:
        self.act(chat, f"/forget {what}")

    @rule(chat=CHAT, number=st.one_of(st.none(), NUMBER))
    def confirms(self, chat: Chat, number: int | None) -> None:
        self.act(chat, "/forget yes" if number is None else f"/forget yes {number}")

    @rule(chat=CHAT, topic=TOPIC, at=st.sampled_from(["in two hours", "every day at 9"]))
    def is_to_be_reminded(self, chat: Chat, topic: str, at: str) -> None:
        self.act(chat, f"/remind {at} {self.statement(chat, topic)}")

    @rule(chat=CHAT, topic=TOPIC)
    def has_the_model_remind(self, chat: Chat, topic: str) -> None:
        call = ToolCall("remind", {"what": self.statement(chat, topic), "when": "tomorrow at 9"})
        self.act(chat, "remind me", call)

    @rule(chat=CHAT, verb=st.sampled_from(["done", "snooze", "cancel", "restore"]), number=NUMBER)
    def names_a_reminder(self, chat: Chat, verb: str, number: int) -> None:
        self.act(chat, f"/reminders {verb} {number}")

    @rule(hours=st.sampled_from([1, 3, 25]))
    def time_passes(self, hours: int) -> None:
        """Reminders come, each to whom it is for."""
        self.core.clock.advance(hours * 3600)
        self.run(marked_memories.until_reminded(self.core))
        self.check()

    @rule(chat=CHAT, name=st.sampled_from(["work", "club", "off", ""]))
    def changes_context(self, chat: Chat, name: str) -> None:
        self.act(chat, f"/context {name}")

    @rule(chat=CHAT, topic=TOPIC)
    def proposes_to_share(self, chat: Chat, topic: str) -> None:
        """There is no owner who could."""
        self.act(chat, f"/share {self.statement(chat, topic)}")
        self.act(chat, "/shared")

    @rule(chat=CHAT, topic=TOPIC)
    def talks_incognito(self, chat: Chat, topic: str) -> None:
        """No file has a word of it in the end."""
        said = self.statement(chat, topic)
        self.hidden.update(MARK.findall(said))
        self.act(chat, "/incognito")
        self.act(chat, said, ToolCall("remember", {"fact": said}))
        self.act(chat, f"/remember {said}")
        self.act(chat, "/incognito off")

    @rule(chat=CHAT)
    def begins_again(self, chat: Chat) -> None:
        self.act(chat, "/reset")

    @rule(one=CHAT, other=CHAT, topic=TOPIC)
    def two_ask_at_once(self, one: Chat, other: Chat, topic: str) -> None:
        if one == other:
            return
        before = self.rows()
        self.run(self._both(self.say(one, f"the {topic}?"), self.say(other, f"the {topic}?")))
        assert self.rows() == before
        self.check()

    @rule(into=PERSON, gone=PERSON)
    def become_one(self, into: str, gone: str) -> None:
        """What both had is of the one who is left."""
        keeper, other = self.owner(("fake", into)), self.owner(("fake", gone))
        if keeper == other:
            return
        code = CODE.search(self.run(self.say(("fake", into), "/link")))
        assert code
        self.run(self.say(("fake", gone), f"/link {code[0]} yes"))
        assert self.owner(("pigeon", gone)) == keeper
        self.owners = {
            mark: keeper if owner == other else owner for mark, owner in self.owners.items()
        }
        self.check()

    @rule(name=PERSON)
    def is_removed_and_another_comes(self, name: str) -> None:
        """They have the name and the addresses, and nothing of what was remembered."""
        gone = self.owner(("fake", name))
        names = [each for each in PEOPLE if self.owner(("fake", each)) == gone]
        theirs = [row for row in self.rows() if row[1] != gone]
        self.run(self._replace(names))
        assert self.rows() == theirs
        self.check()

    @invariant()
    def each_memory_is_its_owners(self) -> None:
        present = set()
        for _, user_id, text, _ in self.rows():
            marks = MARK.findall(text)
            assert {self.owners[mark] for mark in marks} == {user_id}
            present.update(marks)
        assert present.isdisjoint(self.gone)
        self.kept |= present
        self.gone = self.kept - present

    def act(self, chat: Chat, text: str, *calls: ToolCall) -> None:
        """Have somebody say something: it changes nothing of anybody else's."""
        owner = self.owner(chat)
        others = [row for row in self.rows() if row[1] != owner]
        self.run(self.say(chat, text, *calls))
        assert [row for row in self.rows() if row[1] != owner] == others
        self.check()

    def check(self) -> None:
        """Nobody was told of another's memory, nor of one that was gone before."""
        for name, channel in self.channels.items():
            for outbound in channel.sent[self.said[name] :]:
                self.look_at(self.owner((name, outbound.chat)), outbound.text)
            self.said[name] = len(channel.sent)
        active = {
            mark
            for *_, text, status in self.rows()
            for mark in MARK.findall(text)
            if status == "active"
        }
        for request in self.core.model.requests[self.asked :]:
            told = everything(request)
            self.look_at(self.owner(self.chats[tag_of(request)]), told)
            offered = {mark for block in CONTEXT.findall(told) for mark in MARK.findall(block)}
            assert offered <= active
            Household.offered += len(offered)
        self.asked = len(self.core.model.requests)

    def look_at(self, owner: str, told: str) -> None:
        marks = set(MARK.findall(told))
        assert {self.owners[mark] for mark in marks} <= {owner}, told
        assert marks.isdisjoint(self.gone), told

    def statement(self, chat: Chat, topic: str) -> str:
        """A new one of whose chat it is, with a word of its own."""
        letters = f"{next(self.serial):04o}".translate(str.maketrans("01234567", "abcdefgh"))
        mark = f"zq{letters}q"
        self.owners[mark] = self.owner(chat)
        return f"{mark} is what the {topic} wants"

    async def say(self, chat: Chat, text: str, *calls: ToolCall) -> str:
        """What is answered. A message to the model is tagged."""
        channel, name = chat
        if not text.startswith("/"):
            tag = f"{next(self.serial):012b}".translate(str.maketrans("01", ".,"))
            self.chats[tag] = chat
            self.script.calls[tag] = list(calls)
            text = f"{text} {tag}"
        in_group = {"direct": False, "sender_name": "ada"} if name in GROUPS else {}
        answer: str = await self.core.say(text, self.channels[channel], sender=name, **in_group)
        return answer

    def owner(self, chat: Chat) -> str:
        """Whose chat it is, as they are at the moment."""
        user = self.run(self.core.users.resolve(Address(*chat)))
        assert user
        return str(user.user_id)

    def rows(self) -> list[Row]:
        return marked_memories.memory_rows(self.core.database)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    async def _both(self, *work: Coroutine[Any, Any, str]) -> None:
        await asyncio.gather(*work)

    async def _replace(self, names: Sequence[str]) -> None:
        core = self.core
        user = await core.users.resolve(Address("fake", names[0]))
        await remove_person(self.home, core.database, core.users, user)
        for name in names:
            user = await core.users.create(name, Role.MEMBER, Address("fake", name))
            await core.users.link(user, Address("pigeon", name))


def test_nobody_reads_of_anothers_memory(fresh_home: Home, core_on: Callable[..., Any]) -> None:
    Household.template, Household.core_on = fresh_home.root, staticmethod(core_on)
    run_state_machine_as_test(
        Household,
        settings=settings(
            max_examples=rounds(1, thorough=400),
            stateful_step_count=rounds(25, thorough=250),
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert Household.offered, "no memory ever went with a message: nothing was shown"

"""Everybody in one house, whose memories each have a word of their own: whoever is told a word
of another's is found.
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

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant
from starlette.applications import Starlette

from gaia.messages import Address
from gaia.ops.people import remove_person
from gaia.paths import Home
from gaia.settings.schema import LimitsSettings, MemorySettings, Settings
from gaia.store.people import identities
from gaia.store.people.users import Role
from gaia.testing.function_model import ToolCall
from gaia.web.page.parts import add_link, page_route
from tests.harness import marked_memories
from tests.harness.marked_memories import CONTEXT, MARK, Row, Script, everything, tag_of
from tests.harness.page_browser import BASE, Browser
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

PAGES = ("/", "/unsure", "/people", "/episodes", "/days", "/reminders", "/shared", "/prompt")

Chat = tuple[str, str]


class Household(RuleBasedStateMachine):
    """Everybody on one core: what they say, and what they are told. `offered` counts memories
    that went with a message."""

    new_home: Callable[[Path], Home]
    core_on: Callable[..., Any]
    offered = 0

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.folder = Path(tempfile.mkdtemp())
        self.home = self.new_home(self.folder / "home")
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
        self.letters: dict[str, tuple[str, str]] = {}
        self.passed: dict[str, str] = {}
        self.typed: set[str] = set()

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
            self.run(self._close())
            self.runner.close()
            for mark in (self.gone | self.hidden) - self.typed:
                assert files_with(self.home.root, mark) == [], mark
            shutil.rmtree(self.folder)

    async def _close(self) -> None:
        await self.core.app.forget_worker.flush()
        await self.stack.aclose()

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
        self.run(marked_memories.until_answered(self.core))
        present = [row for row in self.rows() if row[1] != owner]
        assert present == others, set(present) ^ set(others)
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
        others = {mark for mark in marks if self.passed.get(mark) != owner}
        assert {self.owners[mark] for mark in others} <= {owner}, told
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

    async def pages_of(self, user_id: str, number: int, deed: str, text: str) -> list[str]:
        """All that the page shows them, and shows again once they did something to a number,
        where `text` is to stand if they edit it."""
        app = Starlette(routes=[page_route(self.core.app.page)])
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            browser = Browser(client)
            await browser.enter(
                await self.core.database.write(add_link, user_id, self.core.clock.now())
            )
            seen = [await browser.see(path) for path in PAGES]
            seen.append((await browser.send("/", words="gate")).text)
            path = f"/memory/{number}"
            seen.append((await client.get(f"/page{path}")).text)
            seen.append((await browser.send(f"{path}/{deed}", text=text)).text)
            return [*seen, *[await browser.see(path) for path in PAGES]]

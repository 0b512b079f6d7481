"""A core on real files, with a fake channel, a fake clock and a model that is a function."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from google.adk.events import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from sqlalchemy import select

from gaia.agent.enclosures import TEXT_ALONE, Intake
from gaia.agent.health import ModelHealth
from gaia.agent.models import ChatModel
from gaia.app.build import App, build_app
from gaia.memory import ledger, profile
from gaia.memory.extraction import Reader
from gaia.messages import Address
from gaia.paths import Home
from gaia.ports import Clock
from gaia.sessions.service import event_text, read_events
from gaia.settings.load import LoadedSettings
from gaia.settings.providers import ModelProvider
from gaia.settings.schema import Secrets, Settings
from gaia.store import digests, sessions
from gaia.store.digest_tables import DigestRow, DigestState
from gaia.store.digests import Digest
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryKind
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.store.sessions import SessionKey, SessionSummary
from gaia.testing.clock import FakeClock
from gaia.testing.fake_channel import FakeChannel
from gaia.testing.function_model import Answer, FunctionModel, last_user_text

IDLE_SECONDS = 30 * 60
"""The settings' default."""

EVERYTHING = 10_000
BEGINNING = 20
"""Characters by which instructions are told apart."""


class HeldModel(FunctionModel):
    """A function model whose answers to some texts wait until they are let go. Its `health`
    is told of each call, as `ResilientLlm` tells it."""

    def __init__(self, answer: Callable[[LlmRequest], Answer], clock: Clock) -> None:
        super().__init__(answer)
        self._clock = clock
        self._health = ModelHealth()
        self._held: dict[str, asyncio.Event] = {}
        self._asked: dict[str, asyncio.Event] = {}
        self._lingering: set[str] = set()

    @property
    def requests(self) -> Sequence[LlmRequest]:
        """Those of turns: a profile is made beside them, whenever there is time for it."""
        beginning = profile.instructions(0)[:BEGINNING]
        return [
            each
            for each in super().requests
            if not str(each.config.system_instruction).startswith(beginning)
        ]

    @property
    def health(self) -> ModelHealth:
        return self._health

    def hold(self, text: str, *, lingers: bool = False) -> None:
        """Let the answer wait; one that `lingers` does not end before either when its turn is
        stopped."""
        self._held[text] = asyncio.Event()
        self._asked[text] = asyncio.Event()
        if lingers:
            self._lingering.add(text)

    def let_go(self, text: str) -> None:
        self._held[text].set()

    async def until_asked(self, text: str) -> None:
        await self._asked[text].wait()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        text = last_user_text(llm_request)
        if text in self._held:
            self._asked[text].set()
            try:
                await self._held[text].wait()
            except asyncio.CancelledError:
                if text in self._lingering:
                    await self._held[text].wait()
                raise
        self._health.asked(self._clock.now())
        try:
            async for response in super().generate_content_async(llm_request, stream):
                yield response
        except Exception as exc:
            self._health.failed(self._clock.now(), str(exc))
            raise
        self._health.answered()


@dataclass(slots=True)
class Core:
    """A running core and what a test needs of it."""

    app: App
    database: Database
    channel: FakeChannel
    clock: FakeClock
    model: HeldModel
    users: Users
    others: dict[str, FakeChannel]

    async def say(self, text: str, channel: FakeChannel | None = None, **changes: object) -> str:
        """What somebody says, and what is answered; `changes` as of `FakeChannel.say`."""
        channel = channel or self.channel
        count = len(channel.sent)
        await channel.say(text, **changes)
        return (await channel.until_sent(count + 1))[count].text

    async def key(self, sender: str = "ada", generation: int = 1) -> SessionKey:
        user = await self.users.resolve(Address(self.channel.name, sender))
        assert user is not None
        return SessionKey(user.user_id, self.channel.name, sender, generation)

    async def transcript(self, sender: str = "ada", generation: int = 1) -> list[str]:
        """Who said what in the session, as `user: text`."""
        key = await self.key(sender, generation)
        return [f"{event.author}: {event_text(event)}" for event in await self.events(key)]

    async def events(self, key: SessionKey) -> Sequence[Event]:
        """The events of the session."""
        return read_events(await self.database.read(sessions.events, key.user_id, key.session_id))

    async def sessions(self, user_id: str | None = None) -> Sequence[SessionSummary]:
        """All sessions, or those of a user, the most recently used first."""
        return await self.database.read(sessions.listed, user_id)

    async def idle(self, seconds: float = IDLE_SECONDS) -> None:
        """Let so much time pass, and have gaia look for conversations that idled out."""
        self.clock.advance(seconds)
        await self.app.digest_worker.sweep()

    async def digests(self) -> list[Digest]:
        """The digests of all users, the oldest first."""
        with self.database.reading() as session:
            numbers = session.scalars(select(DigestRow.digest_id).order_by(DigestRow.digest_id))
            found = [digests.get(session, number) for number in numbers.all()]
        return [digest for digest in found if digest is not None]

    async def until_digested(self, *states: DigestState) -> None:
        """Return once the digests are in these states."""
        while [digest.state for digest in await self.digests()] != list(states):
            await self.app.digest_worker.sweep()

    async def facts(self, sender: str = "ada") -> list[str]:
        """What is known of somebody."""
        user_id = (await self.key(sender)).user_id
        memories = await self.database.read(ledger.every, user_id, limit=EVERYTHING)
        return [each.text for each in memories if each.kind is MemoryKind.FACT]


CoreMaker = Callable[..., "asynccontextmanager[Core]"]


@pytest.fixture
def home(fresh_home: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(fresh_home.root, tmp_path / "home"))


def echo(request: LlmRequest) -> Answer:
    return f"echo: {last_user_text(request)}"


@asynccontextmanager
async def run_core(
    home: Home,
    answer: Callable[[LlmRequest], Answer] = echo,
    *,
    settings: Settings | None = None,
    settles: bool = False,
    longest: int | None = None,
    reports: bool = False,
    senders: tuple[str, ...] = ("ada",),
    other_channels: tuple[str, ...] = (),
    clock: FakeClock | None = None,
    recover: bool = True,
    intake: Intake = TEXT_ALONE,
    provider: ModelProvider = "embedded",
    is_small: bool = False,
    reader: Reader | None = None,
) -> AsyncIterator[Core]:
    """A core on the files of `home`, for as long as the block lasts. It learns by itself
    when there is a `reader`."""
    clock = clock or FakeClock()
    settings = settings or Settings()
    if reader is None:
        memory = settings.memory.model_copy(update={"auto_ingest": False})
        settings = settings.model_copy(update={"memory": memory})
    database = await open_database(home)
    users = Users(database, clock)
    for sender in senders:
        address = Address("fake", sender)
        if await users.resolve(address) is None:
            await users.create(sender, Role.MEMBER, address)
    channel = FakeChannel(clock, settles=settles, reports=reports, longest=longest)
    others = {name: FakeChannel(clock, name=name) for name in other_channels}
    model = HeldModel(answer, clock)
    app = build_app(
        home,
        LoadedSettings(settings, Secrets(), (), {}, {}),
        database,
        clock,
        model=ChatModel(
            llm=model,
            provider=provider,
            name="function",
            intake=intake,
            is_small=is_small,
            health=model.health,
        ),
        extra_channels=[channel, *others.values()],
        reader=reader,
    )
    for each in (channel, *others.values()):
        each.connect(app.gateway(each.name))
    if recover:
        await app.recover()
    try:
        yield Core(app, database, channel, clock, model, users, others)
    finally:
        await app.handlers.cancel()
        await app.command_runner.cancel()
        await app.delivery.cancel()
        await app.forget_worker.cancel()
        await app.digest_worker.cancel()
        await app.profiles.cancel()
        await database.close()


@pytest.fixture
def running_core(home: Home) -> Callable[..., object]:
    return partial(run_core, home)


@pytest.fixture(scope="session")
def core_on() -> Callable[..., object]:
    return run_core

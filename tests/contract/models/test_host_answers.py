"""How hosts answer, and what becomes of it: each line of `host_answers.jsonl` is a row.

A row has an `id`, the `answers` that the host gives one after the other (see `wire`), and
what must come of it:

- `reply`: the answer that the person reads; or `fails`, the class of the error, and
  `because`, words of what the owner is told.
- `asked`: how often the host is asked; as often as it has answers, unless told.
- `called`: what the tool `remember` was called with; `never`: words that are not on the
  screen, and not in the session.
- `sent`: of the last request, `has` and `lacks` name fields, `says` and `omits` words.

It is run over every protocol, whole or streamed in turns, unless `protocols` or `modes` name
fewer; in a thorough run both ways, in a fast one over one of these. `user` is what the person
says, after the `earlier` messages.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy.orm import Session
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gaia.agent.connection import Connection
from gaia.agent.models import ChatModel, resilient
from gaia.agent.plugins import Meter
from gaia.agent.remote import completions, gemini, openai
from gaia.agent.turn import Agent, Ask, Scene
from gaia.errors import GaiaError
from gaia.paths import Home
from gaia.settings.providers import ModelProvider, ResolvedModel
from gaia.settings.schema import ModelSettings, Settings
from gaia.store import sessions
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.store.sessions import SessionKey
from gaia.store.tables import UserRow
from gaia.testing.clock import START, FakeClock
from tests.harness.effort import FAST, THOROUGH
from tests.servers.serve import serving

from .conftest import KEY, without_anthropic
from .wire import PROTOCOLS, response_to

Row = Mapping[str, Any]

ROWS: Sequence[Row] = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("host_answers.jsonl")
    .read_text("utf-8")
    .strip()
    .split("\n")
]
KEY_OF_SESSION = SessionKey("u_1", "terminal", "", 1)
PROVIDERS: Mapping[str, ModelProvider] = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "gemini": "gemini",
    "anthropic": "anthropic",
}


class Host:
    """A host that answers as a row tells, the last answer again and again. What it was
    asked in `earlier` turns is no part of the row, nor of the `requests`."""

    def __init__(self, answers: Sequence[Any], earlier: int = 0) -> None:
        self._earlier = earlier
        self._answers = [
            {"text": answer.removeprefix("ok:")} if isinstance(answer, str) else answer
            for answer in answers
        ]
        self.requests: list[dict[str, Any]] = []
        self.app = Starlette(routes=[Route("/{path:path}", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> Response:
        body = await request.json()
        if self._earlier:
            self._earlier -= 1
            return response_to(request, body, {"text": "I see."})
        self.requests.append(body)
        position = min(len(self.requests), len(self._answers)) - 1
        return response_to(request, body, self._answers[position])


@dataclass
class Screen:
    """What the person sees while a turn runs."""

    shown: list[str] = field(default_factory=list)

    def text(self, text: str) -> None:
        self.shown.append(text)

    def tool(self, name: str) -> None:
        """The name alone is shown."""


@dataclass
class Talk:
    """A conversation through gaia's agent with the model of a host."""

    agent: Agent
    clock: FakeClock
    database: Database
    screen: Screen = field(default_factory=Screen)
    turns: int = 0

    async def say(self, text: str, *, stream: bool) -> str:
        self.turns += 1
        scene = Scene(KEY_OF_SESSION, "Ada", self.turns - 1)
        ask = Ask(f"t_{self.turns}", text, text, START, stream=stream)
        hurry = asyncio.create_task(self._hurry())
        try:
            known = await self.database.read(self.agent.read, scene, 0)
            answer = await self.agent.answer(scene, ask, known, Meter(), self.screen)
            await self.database.write(sessions.add, KEY_OF_SESSION, answer.events)
            return answer.text
        finally:
            hurry.cancel()
            with suppress(asyncio.CancelledError):
                await hurry

    async def stored(self) -> str:
        key = KEY_OF_SESSION
        return "\n".join(await self.database.read(sessions.events, key.user_id, key.session_id))

    async def _hurry(self) -> None:
        """End each wait between two tries at once: beside the deadline's watch, who sleeps
        waits for the next try."""
        while True:
            await self.clock.until_sleeping(2)
            self.clock.advance(self.clock.sleeping[0])


@pytest.fixture
def home(fresh_home: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(fresh_home.root, tmp_path / "home"))


@asynccontextmanager
async def talking(host: Host, protocol: str, home: Home, called: list[Any]) -> AsyncIterator[Talk]:
    async def remember(fact: str) -> dict[str, str]:
        """Keep a lasting fact of the user."""
        called.append({"fact": fact})
        return {"result": "kept"}

    clock = FakeClock()
    database = await open_database(home)
    await database.write(_add_user)
    async with serving(host.app) as url:
        model = connect(protocol, url, clock)
        agent = Agent(model=model, tools=[remember], settings=Settings())
        try:
            yield Talk(agent, clock, database)
        finally:
            await model.close()
            await database.close()


def _add_user(session: Session) -> None:
    user_id = KEY_OF_SESSION.user_id
    session.add(
        UserRow(user_id=user_id, name="Ada", name_key="ada", role="owner", created_at=START)
    )


def connect(protocol: str, url: str, clock: FakeClock) -> ChatModel:
    """The model of `protocol`, as gaia builds it."""
    base_url = f"{url}/v1" if protocol.startswith("openai") else url
    resolved = ResolvedModel(PROVIDERS[protocol], "a-model", base_url, SecretStr(KEY))
    settings = ModelSettings(timeout_seconds=60.0, retries=2)
    return resilient(_connection(protocol, resolved), resolved, settings, clock, chance=lambda: 0.0)


def _connection(protocol: str, resolved: ResolvedModel) -> Connection:
    match protocol:
        case "openai-chat":
            return completions.connect(resolved)
        case "openai-responses":
            return openai.connect(resolved)
        case "gemini":
            return gemini.connect(resolved, api_version="")
        case _:
            from gaia.agent.remote import anthropic

            return anthropic.connect(resolved)


def _ways(number: int, row: Row) -> Sequence[tuple[str, str]]:
    """The protocols to run a row over, each in one of the modes, in turns; in a thorough run
    in each of them, in a fast one a single protocol."""
    protocols = row.get("protocols", PROTOCOLS)
    modes = row.get("modes", ("whole", "streamed"))
    if THOROUGH:
        return [(protocol, mode) for protocol in protocols for mode in modes]
    ways = [
        (protocol, modes[(number + place) % len(modes)]) for place, protocol in enumerate(protocols)
    ]
    return [ways[number % len(ways)]] if FAST else ways


def _cases() -> Sequence[Any]:
    return [
        pytest.param(
            row,
            protocol,
            mode == "streamed",
            id=f"{row['id']}-{protocol}-{mode}",
            marks=without_anthropic if protocol == "anthropic" else (),
        )
        for number, row in enumerate(ROWS)
        for protocol, mode in _ways(number, row)
    ]


# Google's client says so of a reason to finish that it does not know.
@pytest.mark.filterwarnings("ignore:.* is not a valid FinishReason")
@pytest.mark.parametrize(("row", "protocol", "stream"), _cases())
async def test_what_a_host_answers(row: Row, protocol: str, stream: bool, home: Home) -> None:
    host, called = Host(row["answers"], row.get("earlier", 0)), list[Any]()
    async with talking(host, protocol, home, called) as talk:
        for number in range(row.get("earlier", 0)):
            await talk.say(f"message {number}", stream=False)
        came = await outcome(talk.say(row.get("user", "hello"), stream=stream))
        if isinstance(came, GaiaError):
            assert type(came).__name__ == row.get("fails"), repr(came)
            assert row.get("because", "") in str(came)
        else:
            assert came == row.get("reply")
        assert len(host.requests) == row.get("asked", len(row["answers"]))
        assert called == row.get("called", [])
        stored, shown = await talk.stored(), "".join(talk.screen.shown)
        for words in row.get("never", ()):
            assert words not in shown
            assert words not in stored
        check_sent(host.requests[-1], row.get("sent", {}))


@pytest.mark.parametrize(
    "protocol", [*PROTOCOLS[:3], pytest.param("anthropic", marks=without_anthropic)]
)
async def test_an_answer_that_was_cut_off_is_there_to_go_on_with(protocol: str, home: Home) -> None:
    host = Host([{"text": "1. apples 2. pe", "finish": "length"}, {"text": "ars 3. figs"}])
    async with talking(host, protocol, home, []) as talk:
        assert await talk.say("List fruits.", stream=False) == "1. apples 2. pe […]"
        assert await talk.say("go on", stream=False) == "ars 3. figs"
    check_sent(host.requests[-1], {"says": ["1. apples 2. pe […]", "go on"]})


async def outcome(said: Awaitable[str]) -> str | GaiaError:
    """The answer, or why there is none."""
    try:
        return await said
    except GaiaError as exc:
        return exc


def check_sent(request: Mapping[str, Any], wanted: Mapping[str, Sequence[str]]) -> None:
    """Compare a request with what a row says of it."""
    assert set(wanted.get("has", ())) <= set(request)
    assert not set(wanted.get("lacks", ())) & set(request)
    for words in wanted.get("says", ()):
        assert words in json.dumps(request, ensure_ascii=False)
    for words in wanted.get("omits", ()):
        assert f'"{words}"' not in json.dumps(request, ensure_ascii=False)

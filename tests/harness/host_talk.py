"""A short conversation of the real daemon with a host of models: in pieces, with a tool, and
over a kill."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import httpx
from pydantic import JsonValue

from channels.terminal_wire import TurnTextFrame
from gaia.paths import Home
from tests.harness import processes
from tests.harness.processes import Starter, talking

HELLO = "Hello, how are you?"
SUM = "Use the tool calculate to find out what six times seven is."
AFTER_KILL = "Tell me about the sea."
APOLOGY = re.compile(r"\(turn \S+\)$")
"""How the sentences end that tell that there is no answer."""


@dataclass(frozen=True, slots=True)
class HostTalk:
    """What was answered. `pieces` are those of the first answer, as they came."""

    hello: str
    pieces: tuple[str, ...]
    sum: str
    after_kill: str

    def faults(self) -> list[str]:
        """What was no answer."""
        answers = (self.hello, self.sum, self.after_kill)
        faults = [each for each in answers if not each or APOLOGY.search(each)]
        return faults if self.pieces else [*faults, "nothing came in pieces"]


async def script_llmock(http: httpx.AsyncClient, text: str) -> None:
    """Tell llmock what to answer to one of these messages."""
    call: JsonValue = {"name": "calculate", "arguments": {"expression": "6*7"}}
    replies: dict[str, list[JsonValue]] = {
        HELLO: [{"type": "reply", "text": "All is well, thank you."}],
        SUM: [
            {"type": "reply", "tool_calls": [call]},
            {"type": "reply", "text": "It is forty-two."},
        ],
    }
    again: list[JsonValue] = [{"type": "reply", "text": "It is deep and blue.", "times": 2}]
    body = {"behaviors": replies.get(text, again)}
    (await http.post("/_llmock/scenario", json=body)).raise_for_status()


async def talk_with(
    home: Home,
    base_url: str,
    name: str,
    *,
    environ: Mapping[str, str],
    start: Starter = processes.spawn,
    before_each: Callable[[str], Awaitable[None]] | None = None,
) -> HostTalk:
    """Run a daemon in `home` whose model is `name` at `base_url`, and talk with it.

    The daemon is killed in the middle of its last answer, and another one gives it.
    """
    home.settings_file.write_text(
        f"model: {{provider: openai, name: '{name}', base_url: '{base_url}', retries: 0}}\n"
        "web: {port: 0}\nmemory: {enabled: false}\n"
    )

    async def say(text: str) -> str:
        if before_each is not None:
            await before_each(text)
        return await ada.ask(text, wants_preview=True)

    async with (
        processes.running_daemon(home, environ=environ, start=start) as first,
        talking(home, "ada") as ada,
    ):
        hello = await say(HELLO)
        pieces = tuple(each.text for each in ada.previews if isinstance(each, TurnTextFrame))
        total = await say(SUM)
        ada.previews.clear()
        asked = asyncio.create_task(say(AFTER_KILL))
        shown = asyncio.create_task(ada.until_shown())
        await asyncio.wait((asked, shown), return_when=asyncio.FIRST_COMPLETED)
        shown.cancel()
        await first.kill()
        async with processes.running_daemon(home, environ=environ, start=start):
            return HostTalk(hello, pieces, total, await asked)

"""start: until a daemon is ready and has answered its first message, against what it takes to
import the agent kit alone."""

from __future__ import annotations

from collections.abc import Sequence

from figures import Figure
from gaia_outside import least_seconds, outside, person, python

KIT = "import google.adk.runners, google.adk.agents.llm_agent"


async def measure(quick: bool) -> Sequence[Figure]:
    rounds = 1 if quick else 5
    floor = least_seconds(python(KIT), rounds)
    used, ready, answered = [], [], []
    for _ in range(rounds):
        async with outside() as daemon:
            used.append(daemon.processor_seconds())
            ready.append(daemon.started_seconds)
            first = await daemon.ask(person(daemon.telegram, 0), "Hello")
            answered.append(daemon.started_seconds + first)
    return [
        Figure("daemon ready, processor", min(used), "s", floor, "kit imported"),
        Figure("daemon ready, clock", min(ready), "s"),
        Figure("first message answered, clock", min(answered), "s"),
    ]

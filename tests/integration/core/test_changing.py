"""Settings that change in a running core: what is replaced, and what stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from pydantic import JsonValue

from gaia.changing import Changing
from gaia.listening import Listening
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Secrets, Settings
from gaia.tasks import Tasks

BEFORE = LoadedSettings(Settings(), Secrets(), (), {}, {})

Blocks = Mapping[str, Mapping[str, JsonValue]]


def after(blocks: Blocks) -> LoadedSettings:
    return replace(BEFORE, settings=Settings.model_validate(blocks))


@asynccontextmanager
async def changing(core, home, *, hosted: bool = False) -> AsyncIterator[Changing]:
    """What changes the settings of a core."""
    async with asyncio.TaskGroup() as group:
        tasks = Tasks(group, core.clock)
        yield Changing(
            home, BEFORE, core.app, tasks, Listening(tasks, {}), core.clock, hosted=hosted
        )
        tasks.cancel()


async def test_a_hosted_gaia_opens_no_channel_and_no_port(running_core, home):
    async with running_core() as core, changing(core, home, hosted=True) as settings:
        changed = after(
            {
                "sessions": {"window_turns": 7},
                "web": {"port": 0},
                "channels": {"telegram": {"enabled": True}, "terminal": {"enabled": False}},
            }
        )
        before = dict(core.app.channels)
        await settings.change(changed)
        assert core.app.settings.now.sessions.window_turns == 7
        assert core.app.channels == before
        assert await core.say("hello") == "echo: hello"

"""Settings that change in a running core: what is replaced, and what stays as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from pydantic import JsonValue

from gaia.app.apply import SettingsApplier
from gaia.app.reload import ConfigReloader
from gaia.app.tasks import Listeners, Tasks
from gaia.errors import StoreError
from gaia.ops.service.watchdog import ServiceManager
from gaia.paths import Home
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Secrets, Settings
from gaia.settings.watch import Watch
from gaia.store.location import VARIABLE
from gaia.testing.clock import until

NO_PORT: dict[str, Mapping[str, JsonValue]] = {"web": {"enabled": False}}
BEFORE = LoadedSettings(Settings.model_validate(NO_PORT), Secrets(), (), {}, {})

Blocks = Mapping[str, Mapping[str, JsonValue]]


def after(blocks: Blocks) -> LoadedSettings:
    return replace(BEFORE, settings=Settings.model_validate({**NO_PORT, **blocks}))


def of_file(window_turns: int) -> str:
    return f"web: {{enabled: false}}\nsessions: {{window_turns: {window_turns}}}\n"


@asynccontextmanager
async def changing(core, home, *, hosted: bool = False) -> AsyncIterator[SettingsApplier]:
    """What changes the settings of a core."""
    async with asyncio.TaskGroup() as group:
        tasks = Tasks(group, core.clock)
        yield SettingsApplier(
            home, BEFORE, core.app, tasks, Listeners(tasks, {}), core.clock, hosted=hosted
        )
        tasks.cancel()


@asynccontextmanager
async def reloading(core, home: Home) -> AsyncIterator[ConfigReloader]:
    """What takes up the files of a core, which stand as they did at its start."""
    watch = Watch([home.settings_file], core.clock, quiet_seconds=0, vanished_seconds=0)
    home.settings_file.write_text(of_file(7))
    async with changing(core, home) as settings:
        manager = ServiceManager(clock=core.clock)
        state, database = core.app.settings_state, core.database
        yield ConfigReloader(home, settings, state, database, core.clock, manager, watch)


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
        assert core.app.settings.value.sessions.window_turns == 7
        assert core.app.channels == before
        assert await core.say("hello") == "echo: hello"


async def test_what_follows_from_a_change_and_fails_is_tried_again(running_core, home):
    async with running_core() as core, changing(core, home) as settings:
        list_for_sure = core.app.users.list
        failures = [StoreError("the disk is full")]
        listed = []

        async def list_users():
            if failures:
                raise failures.pop()
            listed.extend(await list_for_sure())
            return listed

        core.app.users.list = list_users
        changes = await settings.change(after({"memory": {"preload_limit": 9}}))
        assert [each.key for each in changes] == ["memory.preload_limit"]
        assert settings.loaded.settings.memory.preload_limit == 9
        await core.clock.until_sleeping()
        core.clock.advance(1)
        await until(lambda: bool(listed))


async def test_a_secret_that_changes_opens_the_index_again_if_it_is_its_key(running_core, home):
    async with running_core() as core, changing(core, home) as settings:
        opened = []
        core.app.index.use = opened.append
        by_openai = after({"memory": {"embedder": {"provider": "openai"}}})
        await settings.change(by_openai)
        await settings.change(replace(by_openai, secrets=Secrets(anthropic_api_key="one")))
        assert len(opened) == 1
        await settings.change(replace(by_openai, secrets=Secrets(openai_api_key="two")))
        assert len(opened) == 2


async def test_a_file_that_is_saved_while_gaia_starts_is_taken_up(running_core, home):
    async with running_core() as core, reloading(core, home) as reload:
        watching = asyncio.create_task(reload.watch())
        await until(lambda: core.app.settings.value.sessions.window_turns == 7)
        await reload.ended()
        watching.cancel()
        await asyncio.wait([watching])


async def test_nothing_is_taken_up_before_gaia_has_started_nor_while_it_ends(running_core, home):
    async with running_core() as core, reloading(core, home) as reload:
        async with reload.put_off():
            early = asyncio.create_task(reload.reload("a test asks"))
            await core.say("hello")
            assert not early.done()
        # The database of a test may be named by the environment.
        changes = [each.key for each in (await early).changes if each.key != VARIABLE]
        assert changes == ["sessions.window_turns"]
        home.settings_file.write_text(of_file(8))
        reload.stop()
        await reload.ended()
        assert "about to end" in (await reload.reload("a test asks")).problem
        assert core.app.settings.value.sessions.window_turns == 7

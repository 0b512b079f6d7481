"""Gives a running App other settings, all of them or none.

First all that can fail is made: the model, the channels, the listeners. Then each part is
replaced; a turn, a send or a digest that has begun ends with what it began with. What
follows from a change has tasks of its own: the change holds, whatever becomes of that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gaia import logs
from gaia.agent.models import build_model
from gaia.app.base import ranking_options, require_extras
from gaia.app.build import App
from gaia.app.channels import changed_channels, enabled_channels
from gaia.app.models import ModelStack
from gaia.app.tasks import Listeners, Place, Tasks
from gaia.memory.index.opener import parts_inputs, parts_opener
from gaia.paths import Home
from gaia.ports import Channel, Clock
from gaia.settings.changes import Change, differences
from gaia.settings.load import LoadedSettings
from gaia.settings.providers import ResolvedModel, resolve_loaded
from gaia.settings.schema import ModelSettings, Settings

logger = logging.getLogger(__name__)

SENDING_SECONDS = 20.0
"""How long a replaced channel may take to finish sending. What is cut off then
is sent once more, marked as a possible repeat."""

INDEX = "memory index"
SCHEDULE = "schedule"
WEB = "web"
METRICS = "metrics"

SCHEDULED_BY = ("sessions.idle_consolidate_minutes", "backup")
DISTILLED_BY = ("model", "memory")


def channel_task(name: str) -> str:
    """The name of the task that serves a channel."""
    return f"channel {name}"


def places(settings: Settings) -> Mapping[str, Place | None]:
    """Where each of the servers listens, if it does."""
    return {
        name: Place(block.host, block.port) if block.enabled else None
        for name, block in ((WEB, settings.web), (METRICS, settings.metrics))
    }


@dataclass(frozen=True, slots=True)
class Prepared:
    """All of a change that could have failed."""

    loaded: LoadedSettings
    changes: Sequence[Change]
    resolved: ResolvedModel
    answering: ModelStack
    channels: Mapping[str, Channel]
    changed_channels: Collection[str]
    changes_index: bool

    def touches(self, *keys: str) -> bool:
        """Whether one of these settings, or one below them, is another one."""
        return any(f"{each.key}.".startswith(f"{key}.") for each in self.changes for key in keys)

    @property
    def touches_secrets(self) -> bool:
        return any(each.is_secret for each in self.changes)


class SettingsApplier:
    """Changes the settings of an App, whose tasks are `tasks`. One that is `hosted` keeps
    its terminal, and opens no other channel and no port."""

    def __init__(
        self,
        home: Home,
        loaded: LoadedSettings,
        app: App,
        tasks: Tasks,
        listeners: Listeners,
        clock: Clock,
        *,
        hosted: bool,
    ) -> None:
        self.loaded = loaded
        """The settings that hold."""
        self._home = home
        self._app = app
        self._tasks = tasks
        self._listeners = listeners
        self._clock = clock
        self._hosted = hosted
        self._resolved = resolve_loaded(loaded)

    async def change(self, loaded: LoadedSettings) -> Sequence[Change]:
        """Have other settings hold; returns what was changed.

        Raises:
            GaiaError: They cannot be; those before hold.
        """
        changes = differences(self.loaded, loaded)
        if not changes:
            self.loaded = loaded
            return changes
        model = self._app.answering.model.value
        prepared = self._prepare(loaded, changes)
        try:
            await self._move_servers(loaded.settings)
        except BaseException:
            if prepared.answering.model is not model:
                await prepared.answering.model.close()
            raise
        await self._commit(prepared)
        return changes

    def _prepare(self, loaded: LoadedSettings, changes: Sequence[Change]) -> Prepared:
        require_extras(loaded.settings, hosted=self._hosted)
        channels: Mapping[str, Channel] = {}
        changed: Collection[str] = ()
        if not self._hosted:
            channels = enabled_channels(loaded, self._app.terminal_login, self._clock, hosted=False)
            changed = changed_channels(self.loaded, loaded)
        resolved = resolve_loaded(loaded)
        model = self._app.answering.model.value
        settings, before = loaded.settings.model, self.loaded.settings.model
        if resolved != self._resolved or _connection(settings) != _connection(before):
            model = build_model(resolved, settings, self._home, self._clock)
        answering = self._app.builder.build(loaded, model)
        changes_index = _index_inputs(loaded) != _index_inputs(self.loaded)
        return Prepared(loaded, changes, resolved, answering, channels, changed, changes_index)

    async def _move_servers(self, settings: Settings) -> None:
        if self._hosted:
            return
        try:
            for name, place in places(settings).items():
                await self._listeners.move(name, place)
        except BaseException:
            for name, place in places(self.loaded.settings).items():
                await self._listeners.move(name, place)
            raise

    async def _commit(self, prepared: Prepared) -> None:
        app, loaded = self._app, prepared.loaded
        # First of all: from now on new secrets may come into log lines.
        if prepared.touches("logging") or prepared.touches_secrets:
            self._configure_logs(loaded)
        self.loaded, self._resolved = loaded, prepared.resolved
        app.settings.replace(loaded.settings)
        app.ranking_options.replace(ranking_options(loaded.settings.memory))
        self._replace_answering(prepared.answering)
        for name in prepared.changed_channels:
            await self._replace_channel(name, prepared.channels.get(name))
        if prepared.changes_index:
            await self._tasks.stop(INDEX)
            memory, server = loaded.settings.memory, app.index.server
            app.index.use(parts_opener(self._home, memory, loaded.secrets, server))
            self._tasks.start(INDEX, app.index.serve)
        if prepared.touches(*SCHEDULED_BY):
            app.schedule.replace(app.jobs())
        if prepared.touches(*DISTILLED_BY):
            self._tasks.run_once("making profiles again", self._distil)
        if prepared.changed_channels:
            self._tasks.run_once("taking up what waits for a channel", app.recover)

    def _configure_logs(self, loaded: LoadedSettings) -> None:
        logs.configure(
            loaded.settings.logging,
            self._home.logs,
            [*self.loaded.secrets.values(), *loaded.secrets.values()],
            to_terminal=not self._hosted,
        )

    def _replace_answering(self, answering: ModelStack) -> None:
        model = self._app.answering.model.value
        unused = self._app.answering.replace(answering)

        async def close() -> None:
            try:
                await unused()
            finally:
                await model.close()

        if answering.model is not model:
            self._tasks.run_once("closing the model before", close)

    async def _replace_channel(self, name: str, channel: Channel | None) -> None:
        """What is sent from now on goes by the new channel, which takes nothing before the
        old one has ended: two may not ask a provider for messages at once."""
        channels = self._app.channels
        before = channels.pop(name, None)
        if channel is not None:
            channels[name] = channel
        if before is not None:
            await self._let_end(before)
            await self._tasks.stop(channel_task(name))
        if channel is not None:
            self._tasks.start(channel_task(name), partial(channel.serve, self._app.gateway(name)))

    async def _let_end(self, channel: Channel) -> None:
        try:
            async with asyncio.timeout(SENDING_SECONDS):
                await self._app.delivery.sent_all(channel)
        except TimeoutError:
            logger.warning("%s is replaced while it sends", channel.name)

    async def _distil(self) -> None:
        for user in await self._app.users.list():
            self._app.profiles.wake(user.user_id)


def _connection(model: ModelSettings) -> ModelSettings:
    """All of it that the model is built from."""
    return model.model_copy(update={"instructions": ""})


def _index_inputs(loaded: LoadedSettings) -> object:
    return parts_inputs(loaded.settings.memory, loaded.secrets)

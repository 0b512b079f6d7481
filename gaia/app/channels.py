"""Builds the ways to and from people: the channels of the settings, and what sends by them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from channels import registry
from channels.terminal import Greeting, TerminalChannel, TerminalLogin
from gaia import __version__
from gaia.agent.models import ChatModel
from gaia.app.base import Base, MemoryParts
from gaia.app.models import ModelParts
from gaia.core.access import Access
from gaia.core.delivery import Delivery
from gaia.errors import RefusedError, SettingsError
from gaia.messages import Address, MenuEntry
from gaia.ports import Channel, Clock
from gaia.settings.load import LoadedSettings
from gaia.store import conversations
from gaia.store.engine import Database
from gaia.store.people.users import User
from gaia.swappable import Swappable


def enabled_channels(
    loaded: LoadedSettings, terminal_login: TerminalLogin, clock: Clock, *, hosted: bool
) -> Mapping[str, Channel]:
    """The channels of the settings.

    Raises:
        SettingsError: A channel is enabled, and its secret is not there.
    """
    try:
        return registry.build_channels(
            loaded.settings.channels,
            loaded.secrets,
            terminal_login=terminal_login,
            clock=clock,
            version=__version__,
            hosted=hosted,
        )
    except SettingsError as exc:
        raise SettingsError.of([loaded.placed(each) for each in exc.mistakes]) from exc


def require_secrets(loaded: LoadedSettings) -> None:
    """Check that each channel that is enabled has its secrets.

    Raises:
        SettingsError: One has not; the mistakes are placed.
    """
    try:
        registry.check_secrets(loaded.settings.channels, loaded.secrets)
    except SettingsError as exc:
        raise SettingsError.of([loaded.placed(each) for each in exc.mistakes]) from exc


def changed_channels(before: LoadedSettings, after: LoadedSettings) -> Collection[str]:
    """The names of the channels that are rebuilt for other settings."""
    old = registry.channel_inputs(before.settings.channels, before.secrets)
    new = registry.channel_inputs(after.settings.channels, after.secrets)
    return [name for name in old if old[name] != new[name]]


Menu = Callable[[User], tuple[MenuEntry, ...]]
"""The slash commands that a user may give in a direct chat."""


class UserLogin:
    """Implements the terminal channel's `TerminalLogin`."""

    def __init__(
        self, access: Access, database: Database, model: Swappable[ChatModel], menu: Menu
    ) -> None:
        self._access = access
        self._database = database
        self._model = model
        self._menu = menu

    async def greet(self, address: Address) -> Greeting:
        known = await self._access.is_known(address)
        user = await self._access.admit(address)
        if user is None:
            raise RefusedError(
                f"no user is called {address.sender!r}: add one with "
                f"'gaia users add {address.sender}', or set access.terminal_creates_users to true"
            )
        conversation = await self._database.read(
            conversations.find, user_id=user.user_id, channel=address.channel, chat=address.sender
        )
        return Greeting(
            user_name=user.name,
            model=self._model.value.describe(),
            embedded=self._model.value.provider == "embedded",
            created=not known,
            conversation_turns=conversation.session_turns if conversation else 0,
            is_incognito=conversation is not None and conversation.is_incognito,
            user_id=user.user_id,
            commands=self._menu(user),
        )


@dataclass(frozen=True, slots=True)
class ChannelParts:
    """The ways to and from people. `by_name` changes with the settings, in its place."""

    access: Access
    terminal_login: UserLogin
    by_name: dict[str, Channel]
    delivery: Delivery

    def takes(self, name: str, media_type: str) -> bool:
        """Whether the channel of that name is there, and takes files of that type."""
        channel = self.by_name.get(name)
        return channel is not None and channel.takes(media_type)

    def terminal(self) -> TerminalChannel | None:
        """The terminal's, if it is served."""
        channel = self.by_name.get(TerminalChannel.name)
        return channel if isinstance(channel, TerminalChannel) else None


def build_channels(
    base: Base, memory: MemoryParts, models: ModelParts, extra: Sequence[Channel], menu: Menu
) -> ChannelParts:
    """Build the channels of the settings, and `extra` ones on top of them. `menu` tells the
    commands of a user.

    Raises:
        SettingsError: A channel is enabled, and its secret is not there.
    """
    access = Access(base.users, base.settings)
    terminal_login = UserLogin(access, base.database, models.answering.model, menu)
    channels = dict(enabled_channels(base.loaded, terminal_login, base.clock, hosted=base.hosted))
    channels |= {channel.name: channel for channel in extra}
    delivery = Delivery(
        database=base.database,
        channels=channels,
        clock=base.clock,
        settings=base.settings,
        observer=base.counters,
        faded=memory.forget_worker.wake,
        share=base.shares.conversations,
    )
    return ChannelParts(access, terminal_login, channels, delivery)

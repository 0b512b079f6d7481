"""Builds the channels of the settings, and the slash commands that people give in them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from channels.registry import build_channels, channel_inputs, check_secrets
from channels.terminal import Greeter, Greeting
from gaia import __version__
from gaia.agent.models import ChatModel
from gaia.commands.conversation import conversation_commands, status_commands
from gaia.commands.export import export_command
from gaia.commands.people import linking_commands, people_commands
from gaia.commands.registry import Registry
from gaia.commands.remember import memory_commands
from gaia.core.access import Access
from gaia.core.handler import Handlers
from gaia.core.strangers import Strangers
from gaia.current import Current
from gaia.digest.worker import Digesting
from gaia.errors import RefusedError, SettingsError
from gaia.memory.recall import Finder
from gaia.messages import Address
from gaia.ops.status import Status
from gaia.ports import Channel, Clock
from gaia.settings.load import LoadedSettings
from gaia.settings.schema import Settings
from gaia.store import conversations
from gaia.store.engine import Database


def enabled_channels(
    loaded: LoadedSettings, greeter: Greeter, clock: Clock, *, hosted: bool
) -> Mapping[str, Channel]:
    """The channels of the settings.

    Raises:
        SettingsError: A channel is enabled, and its secret is not there.
    """
    try:
        return build_channels(
            loaded.settings.channels,
            loaded.secrets,
            greeter=greeter,
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
        check_secrets(loaded.settings.channels, loaded.secrets)
    except SettingsError as exc:
        raise SettingsError.of([loaded.placed(each) for each in exc.mistakes]) from exc


def changed_channels(before: LoadedSettings, after: LoadedSettings) -> Collection[str]:
    """The names of the channels that are built anew for other settings."""
    old = channel_inputs(before.settings.channels, before.secrets)
    new = channel_inputs(after.settings.channels, after.secrets)
    return [name for name in old if old[name] != new[name]]


class TerminalGreeter:
    """Implements the terminal channel's `Greeter`."""

    def __init__(self, access: Access, database: Database, model: Current[ChatModel]) -> None:
        self._access = access
        self._database = database
        self._model = model

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
            model=self._model.now.describe(),
            embedded=self._model.now.provider == "embedded",
            created=not known,
            conversation_turns=conversation.session_turns if conversation else 0,
        )


def build_commands(
    settings: Current[Settings],
    *,
    handlers: Handlers,
    digesting: Digesting,
    finder: Finder,
    memory_changed: Callable[[], None],
    channels: Mapping[str, Channel],
    status: Status,
    strangers: Strangers,
    clock: Clock,
) -> Registry:
    """All commands. `memory_changed` is called once a change of a memory is committed."""

    def takes(name: str, media_type: str) -> bool:
        channel = channels.get(name)
        return channel is not None and channel.takes(media_type)

    return Registry(
        [
            *conversation_commands(handlers.stop_turn, digesting),
            *linking_commands(digesting),
            *memory_commands(finder, memory_changed, lambda: settings.now.memory.enabled),
            export_command(takes),
            *status_commands(status),
            *people_commands(strangers.greet),
        ],
        clock,
    )

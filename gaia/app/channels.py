"""Builds the channels of the settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from channels.registry import build_channels, channel_inputs, check_secrets
from channels.terminal import Greeter, Greeting
from gaia import __version__
from gaia.agent.models import ChatModel
from gaia.core.access import Access
from gaia.current import Current
from gaia.errors import RefusedError, SettingsError
from gaia.messages import Address
from gaia.ports import Channel, Clock
from gaia.settings.load import LoadedSettings
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

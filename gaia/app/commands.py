"""Builds the slash commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gaia.commands.conversation import conversation_commands, status_commands
from gaia.commands.export import export_command
from gaia.commands.people import linking_commands, people_commands
from gaia.commands.registry import Registry
from gaia.commands.remember import memory_commands
from gaia.core.handler import Handlers
from gaia.core.strangers import Strangers
from gaia.current import Current
from gaia.digest.worker import Digesting
from gaia.memory.recall import Finder
from gaia.ops.status import Status
from gaia.ports import Channel, Clock
from gaia.settings.schema import Settings


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

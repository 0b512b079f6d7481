"""Builds the slash commands."""

from __future__ import annotations

from collections.abc import Callable

from gaia.agent.models import ChatModel
from gaia.app.base import Base, MemoryParts
from gaia.app.channels import ChannelParts
from gaia.commands.about import about_command
from gaia.commands.contexts import context_commands
from gaia.commands.conversation import StopTurn, conversation_commands, status_commands
from gaia.commands.export import export_command, page_command
from gaia.commands.link import linking_commands
from gaia.commands.people import people_commands
from gaia.commands.registry import Registry
from gaia.commands.relations import relation_commands
from gaia.commands.remember import memory_commands
from gaia.commands.reminders import reminder_commands
from gaia.commands.shared import shared_commands
from gaia.commands.tell import tell_commands
from gaia.core.group_rights import GroupRights
from gaia.core.strangers import Strangers
from gaia.digest.worker import DigestWorker
from gaia.memory.search.preload import Room
from gaia.ops.status import Status
from gaia.web.page.parts import PageParts


def build_commands(
    base: Base,
    memory: MemoryParts,
    channels: ChannelParts,
    digest_worker: DigestWorker,
    status: Status,
    page: PageParts,
    strangers: Strangers,
    stop_turn: StopTurn,
    room: Callable[[], Room],
    model: Callable[[], ChatModel],
) -> Registry:
    """Build them all; `/help` lists them in this order."""
    faded = memory.forget_worker.wake
    commands = [
        *conversation_commands(stop_turn, digest_worker, channels.by_name, faded),
        *linking_commands(
            digest_worker, channels.by_name, lambda: base.settings.value.channels.remote, faded
        ),
        *memory_commands(
            memory.search,
            memory.changed,
            lambda: base.settings.value.memory.enabled,
            room,
            GroupRights(base.users, channels.by_name).refusal,
            lambda: digest_worker.enabled,
        ),
        *reminder_commands(base.settings, memory.changed),
        *relation_commands(),
        *tell_commands(channels.by_name),
        *context_commands(digest_worker, faded),
        *shared_commands(channels.by_name, memory.changed),
        export_command(channels.takes),
        page_command(page.add_public_link),
        about_command(model, base.settings),
        *status_commands(status),
        *people_commands(strangers.greet),
    ]
    return Registry(commands, base.clock)

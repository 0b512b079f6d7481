"""The registry of channels: which of them the settings ask for."""

from __future__ import annotations

from channels.terminal import Greeter, TerminalChannel
from gaia.ports import Channel, Clock
from gaia.settings.schema import ChannelsSettings


def build_channels(
    settings: ChannelsSettings, *, greeter: Greeter, clock: Clock, version: str, hosted: bool
) -> dict[str, Channel]:
    """The enabled channels by name. One that a `gaia chat` hosts has the terminal alone."""
    channels: list[Channel] = []
    if settings.terminal.enabled or hosted:
        channels.append(TerminalChannel(greeter, clock, version=version, hosted=hosted))
    return {channel.name: channel for channel in channels}

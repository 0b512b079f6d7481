"""Notices, cut into chunks by the channel that they leave by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gaia.ports import Channel


def split_notice(channels: Mapping[str, Channel], name: str, text: str) -> Sequence[str]:
    """The chunks of a short text for a channel. One that was switched off meanwhile tells
    nobody how long a message may be: for that one it stays whole."""
    channel = channels.get(name)
    return [text] if channel is None else channel.split(text)

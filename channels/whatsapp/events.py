"""What a message that Twilio tells of comes to, in gaia's terms."""

from __future__ import annotations

from dataclasses import dataclass

from gaia.messages import Inbound


@dataclass(frozen=True, slots=True)
class Written:
    """Somebody wrote to gaia."""

    inbound: Inbound


@dataclass(frozen=True, slots=True)
class Misdirected:
    """Not for gaia, as somebody set it up at Twilio. `reason` is for the owner."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing that gaia has to know."""

    reason: str


Event = Written | Misdirected | Ignored

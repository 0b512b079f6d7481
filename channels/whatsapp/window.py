"""The 24-hour window of WhatsApp: how a chunk may go to somebody at the moment. Pure.

Free text reaches whoever wrote within the last 24 hours. Everybody else gets a
template: it carries the whole of a short reply, or asks them to write, once for each
time that the window is closed. What cannot go waits until they write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from channels.whatsapp.templates import Template
from gaia.messages import Contact, Outbound

_CLOSED = "the 24-hour window of WhatsApp is closed"
ASKED = f"{_CLOSED}: they were asked to write, and it waits until they do"
NOT_ASKED = f"{_CLOSED}, and they could not be asked to write"
WITHOUT_TEMPLATE = f"{_CLOSED} and channels.whatsapp.template is not set: it waits until they write"


@dataclass(frozen=True, slots=True)
class Freely:
    """As it is."""


@dataclass(frozen=True, slots=True)
class InTemplate:
    """In the template, whose variables carry all of it."""

    template: Template
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asking:
    """Not yet: the template asks them to write first."""

    template: Template


@dataclass(frozen=True, slots=True)
class Waiting:
    """Not at all until they write."""

    reason: str


Way = Freely | InTemplate | Asking | Waiting


def way_of(outbound: Outbound, template: Template | None, now: datetime, window: timedelta) -> Way:
    """How a chunk may go, `window` after the last message of theirs that counts."""
    if is_open(outbound.contact, now, window):
        return Freely()
    if template is None:
        return Waiting(WITHOUT_TEMPLATE)
    is_whole_reply = outbound.seq == 0 and outbound.final and outbound.file is None
    variables = template.carrying(outbound.marked_text) if is_whole_reply else None
    if variables is not None:
        return InTemplate(template, variables)
    return Waiting(ASKED) if outbound.contact.asked_at is not None else Asking(template)


def is_open(contact: Contact, now: datetime, window: timedelta) -> bool:
    """Whether they wrote recently enough to be written to freely."""
    return contact.written_at is not None and now - contact.written_at < window

"""The 24-hour window of WhatsApp: how a chunk may go to somebody at the moment. Pure.

Free text reaches whoever wrote within the last 24 hours. Everybody else gets the template
of the settings: it carries the whole of a short reply, or asks them to write, once for
each time that the window is closed. What cannot go waits until they write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from gaia.messages import Contact, Outbound

LONGEST_VALUE = 900
LINE_BREAK = " · "
INVITATION = "I have a longer message for you. Write back to read it."

_CLOSED = "the 24-hour window of WhatsApp is closed"
ASKED = f"{_CLOSED}: they were asked to write, and it waits until they do"
NOT_ASKED = f"{_CLOSED}, and they could not be asked to write"
WITHOUT_TEMPLATE = f"{_CLOSED} and channels.whatsapp.template is not set: it waits until they write"


@dataclass(frozen=True, slots=True)
class Template:
    """An approved template. `variable` is the name of its one variable, empty if it has
    none: it can only ask them to write then."""

    content_sid: str
    variable: str

    def carrying(self, text: str) -> Mapping[str, str] | None:
        """Return the variables that carry `text`, or None if it does not fit."""
        value = _in_one_line(text)
        if not self.variable or not value or len(value) > LONGEST_VALUE:
            return None
        return {self.variable: value}

    def asking(self) -> Mapping[str, str]:
        """Return the variables that ask them to write back."""
        return {self.variable: INVITATION} if self.variable else {}


def _in_one_line(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return LINE_BREAK.join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class FreeText:
    """Send it as it is."""


@dataclass(frozen=True, slots=True)
class InTemplate:
    """Send the template, whose variables carry all of it."""

    template: Template
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Invite:
    """Send the template, which asks them to write first."""

    template: Template


@dataclass(frozen=True, slots=True)
class Wait:
    """Send nothing until they write."""

    reason: str


Way = FreeText | InTemplate | Invite | Wait


def way_of(outbound: Outbound, template: Template | None, now: datetime, window: timedelta) -> Way:
    """Choose how a chunk may go, with the window open for `window` after their last message."""
    if is_open(outbound.contact, now, window):
        return FreeText()
    if template is None:
        return Wait(WITHOUT_TEMPLATE)
    is_whole_reply = outbound.seq == 0 and outbound.final and outbound.file is None
    variables = template.carrying(outbound.marked_text) if is_whole_reply else None
    if variables is not None:
        return InTemplate(template, variables)
    return Wait(ASKED) if outbound.contact.asked_at is not None else Invite(template)


def is_open(contact: Contact, now: datetime, window: timedelta) -> bool:
    """Whether they wrote recently enough to be written to freely."""
    return contact.written_at is not None and now - contact.written_at < window

"""Names of people, chats and messages, as the rest of gaia sees them.

Twilio writes `whatsapp:` before whoever is on WhatsApp; gaia leaves it out. It is
followed by a phone number, or by the opaque id of somebody who shows none.
"""

from __future__ import annotations

import re

CHANNEL = "whatsapp"

_PREFIX = "whatsapp:"
_PERSON = re.compile(r"\+?[0-9A-Za-z][0-9A-Za-z._-]{2,159}")
_SID = re.compile(r"[A-Z]{2}[0-9a-fA-F]{32}")


def person_in(twilio_name: str) -> str | None:
    """The sender or chat that Twilio calls so, or None for what is nobody on WhatsApp."""
    name = twilio_name.removeprefix(_PREFIX)
    if name == twilio_name or _PERSON.fullmatch(name) is None:
        return None
    return name


def twilio_name(person: str) -> str:
    """What Twilio calls that sender or chat."""
    return _PREFIX + person


def is_person(name: str) -> bool:
    """Whether `person_in` may have made that name."""
    return _PERSON.fullmatch(name) is not None


def is_sid(text: str) -> bool:
    """Whether `text` can be an id of Twilio's, of a message or anything else."""
    return _SID.fullmatch(text) is not None

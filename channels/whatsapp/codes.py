"""Twilio's error codes, as far as they can meet a WhatsApp message: what each means for
the message, and in words for the owner.

After https://www.twilio.com/docs/api/errors. The same code may be the answer to a
request, or come later with a status callback.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

MINUTE = 60.0
HOUR = 3600.0


class Outcome(Enum):
    """What becomes of a message that met the error."""

    AGAIN = "it is sent again after a while"
    LATER = "it waits until they write: they are not to be written to freely, whatever is known"
    WITHOUT_TEMPLATE = "it waits until they write, since the template cannot be sent"
    NEVER = "it never can be sent"


class Blame(Enum):
    """What is wrong beyond the message, and nobody but the owner can mend."""

    CREDENTIALS = "credentials"
    ACCOUNT = "account"
    NUMBER = "number"
    TEMPLATE = "template"


@dataclass(frozen=True, slots=True)
class Meaning:
    """`after_seconds` is how long to wait before the next try, None for pauses that grow."""

    outcome: Outcome
    words: str
    after_seconds: float | None = None
    blame: Blame | None = None


def meaning_of(code: int) -> Meaning | None:
    """What a code means; None for one that is not in the table."""
    return _MEANINGS.get(code)


def _owner_mends(blame: Blame, words: str, after_seconds: float = 5 * MINUTE) -> Meaning:
    return Meaning(Outcome.AGAIN, words, after_seconds, blame)


def _again(words: str, after_seconds: float | None = None) -> Meaning:
    return Meaning(Outcome.AGAIN, words, after_seconds)


def _later(words: str) -> Meaning:
    return Meaning(Outcome.LATER, words)


def _template(words: str) -> Meaning:
    return Meaning(Outcome.WITHOUT_TEMPLATE, words, blame=Blame.TEMPLATE)


def _never(words: str) -> Meaning:
    return Meaning(Outcome.NEVER, words)


_CREDENTIALS = _owner_mends(
    Blame.CREDENTIALS,
    "Twilio refuses the credentials: check GAIA_TWILIO_ACCOUNT_SID and GAIA_TWILIO_AUTH_TOKEN",
)
_SUSPENDED = _owner_mends(
    Blame.ACCOUNT, "the Twilio account is suspended or closed: see Twilio's console"
)
_NO_SENDER = _owner_mends(
    Blame.NUMBER,
    "channels.whatsapp.number is no WhatsApp sender of this Twilio account: correct it in "
    "gaia.yaml, or add the number to the account's WhatsApp senders",
)
_LOCKED = _owner_mends(
    Blame.NUMBER,
    "Meta has locked the WhatsApp sender or its business account: see Meta's Business Manager",
    HOUR,
)
_NOBODY = _never("there is nobody on WhatsApp at that number")
_UNREACHABLE = _never("the number cannot be reached")
_STOPPED = _never("they wrote STOP to this number: only START of theirs ends that")
_TOO_LONG = _never("the message is longer than 1600 characters")
_MEDIA = _never(
    "Twilio cannot fetch the file: channels.whatsapp.public_url must be reachable from "
    "the internet (gaia doctor looks)"
)
_MEDIA_TYPE = _never("WhatsApp does not take files of that type")
_CONTENT = _never("WhatsApp does not take the content of the message")
_BUSY = _again("Twilio sends more slowly than it is asked to", MINUTE)
_BROKEN = _again("Twilio or WhatsApp had a fault of its own", MINUTE)

_MEANINGS: Mapping[int, Meaning] = {
    # The account, and its way to Twilio.
    10001: _SUSPENDED,
    20003: _CREDENTIALS,
    20005: _SUSPENDED,
    20010: _SUSPENDED,
    20403: _SUSPENDED,
    20404: _owner_mends(
        Blame.CREDENTIALS,
        "Twilio knows no such account or message: check GAIA_TWILIO_ACCOUNT_SID",
    ),
    20429: _BUSY,
    20500: _BROKEN,
    20503: _BROKEN,
    30002: _SUSPENDED,
    30454: _again("the trial account may send no more messages: upgrade it", HOUR),
    63038: _again("the account may send no more messages today: upgrade it, or wait", HOUR),
    # Who writes, and to whom.
    21211: _never("the number is none that can be written to"),
    21212: _NO_SENDER,
    21408: _never("the account may not write to that country: allow it in Twilio's console"),
    21606: _NO_SENDER,
    21608: _never("a trial account writes to verified numbers only: verify it, or upgrade"),
    21610: _STOPPED,
    21612: _never("Twilio cannot send from this number to that one"),
    21614: _NOBODY,
    21660: _NO_SENDER,
    21910: _never("Twilio cannot send from this number to that one"),
    63001: _owner_mends(
        Blame.NUMBER, "WhatsApp refuses the sender: remove and add it again in Twilio's console"
    ),
    63002: _NO_SENDER,
    63003: _NOBODY,
    63007: _NO_SENDER,
    63008: _owner_mends(
        Blame.NUMBER, "the WhatsApp sender is not set up well: look at it in Twilio's console"
    ),
    63014: _never("they blocked this number, or want no messages of it"),
    63015: _later(
        "they have not joined the sandbox, or did so more than three days ago: they write "
        "'join' and its code to it"
    ),
    63016: _later("the 24-hour window of WhatsApp is closed"),
    63020: _owner_mends(
        Blame.NUMBER, "the business has not accepted Twilio's invitation: see Business Manager"
    ),
    63022: _owner_mends(
        Blame.NUMBER, "the display name of the WhatsApp sender is not valid: register it again"
    ),
    63024: _NOBODY,
    63031: _never("the number would write to itself"),
    63032: _never("WhatsApp does not let this person be written to at the moment"),
    63033: _never("they cannot be written to: Meta blocks it"),
    63036: _UNREACHABLE,
    63051: _LOCKED,
    # The text.
    21602: _never("the message is empty"),
    21609: _never("Twilio does not take the address for status callbacks: see public_url"),
    21617: _TOO_LONG,
    21619: _never("the message is empty"),
    63005: _CONTENT,
    63006: _CONTENT,
    63013: _never("the message breaks a rule of WhatsApp's"),
    63021: _CONTENT,
    63030: _CONTENT,
    # Files.
    11200: _MEDIA,
    11205: _MEDIA,
    11210: _MEDIA,
    11220: _MEDIA,
    11237: _MEDIA,
    11751: _never("the file is larger than WhatsApp takes"),
    12300: _MEDIA_TYPE,
    21620: _MEDIA,
    63019: _MEDIA,
    63025: _again("WhatsApp has that file already, and wants it again", MINUTE),
    63034: _never("the file is larger than WhatsApp takes"),
    # The template.
    21654: _template("the template's SID is missing"),
    21655: _template(
        "channels.whatsapp.template is no template of this account: copy its SID again"
    ),
    21656: _template(
        "the template does not take its variable: see channels.whatsapp.template_variable"
    ),
    63026: _template("the template's namespace is not known: make the template again"),
    63027: _template("WhatsApp does not know the template in its language: have it approved"),
    63028: _template(
        "the template has other variables than channels.whatsapp.template_variable says"
    ),
    63029: _template("the phone of the receiver could not load the template"),
    63040: _template("Meta rejected the template: change it, and have it approved"),
    63041: _template("Meta paused the template since people did not like it"),
    63042: _template("Meta disabled the template: make another one"),
    63049: _template(
        "Meta chose not to deliver the template, as it does with advertising: have it "
        "approved in the category Utility"
    ),
    # On the way.
    21611: _BUSY,
    30001: _BUSY,
    30003: _again("the phone cannot be reached", HOUR),
    30004: _never("they blocked this number, or want no messages of it"),
    30005: _NOBODY,
    30006: _UNREACHABLE,
    30007: _never("the message was taken for spam on its way"),
    30008: _again("it failed for a reason that nobody tells", MINUTE),
    30036: _again("it was not delivered in time", MINUTE),
    30410: _BROKEN,
    63009: _BROKEN,
    63010: _BROKEN,
    63011: _BROKEN,
    63012: _BROKEN,
    63017: _BUSY,
    63018: _again("WhatsApp wants messages to come more slowly", MINUTE),
    63023: _BROKEN,
}

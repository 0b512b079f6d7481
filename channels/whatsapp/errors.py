"""What the errors of requests to Twilio mean: for a message that was to be sent, and in words.

Whether a request reached Twilio decides most. It did not where no connection was made or
none was free, nor where a gateway says that it handed nothing on; nobody can tell once
the request was being written. Twilio's own verdicts have codes: the table has those that
can meet a WhatsApp message, after https://www.twilio.com/docs/api/errors. The same code
may be the answer to a request, or come later with a status callback.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import httpx
from twilio.base.exceptions import TwilioException

from channels.base.http import was_never_sent, was_refused
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
)

REFUSALS = (TwilioException, httpx.HTTPError)
"""All that a request may raise when it fails."""
Refusal = TwilioException | httpx.HTTPError
_CREDENTIALS_CODE = 20003
_FLOOD_CODE = 20429
MINUTE = 60.0
HOUR = 3600.0


class FloodError(TwilioException):
    """429: Twilio wants to be left alone, for `seconds` if it says how long."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__("Twilio asks to wait" + ("" if seconds is None else f" {seconds:.0f} s"))
        self.seconds = seconds


class RefusedError(TwilioException):
    """Twilio's verdict on a request, by its `code`. Its own words may quote the request."""

    def __init__(self, code: int) -> None:
        super().__init__(f"Twilio's error {code}")
        self.code = code


class StatusError(TwilioException):
    """An answer that is not Twilio's verdict on the request, by its HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class OddAnswerError(TwilioException):
    """An answer with success in it that the library cannot read."""


def send_error(exc: Refusal) -> SendError:
    """Translate an error into what became of the message that was to be sent."""
    if isinstance(exc, FloodError):
        return RetryableSendError(describe(exc), after_seconds=exc.seconds)
    code = code_of(exc)
    if code is not None:
        return _error_of(code)
    if surely_not_sent(exc):
        return RetryableSendError(describe(exc))
    return UnknownSendError(describe(exc))


def failure_of(code: int | None) -> SendError:
    """Say what becomes of a message that Twilio took, and now reports as failed."""
    if code is None:
        return RetryableSendError("Twilio says that it failed, and not why")
    return _error_of(code)


def blame_of(code: int | None) -> Blame | None:
    """Say what only the owner can mend, if the code is about that."""
    meaning = meaning_of(code) if code is not None else None
    return meaning.blame if meaning else None


def code_of(exc: Refusal) -> int | None:
    """Twilio's code for its verdict, if `exc` is one."""
    match exc:
        case RefusedError():
            return exc.code
        case StatusError(status=httpx.codes.UNAUTHORIZED):
            return _CREDENTIALS_CODE
    return None


def tells_more(code: object) -> bool:
    """Whether the code of a 429 says what it is about: a limit of the day is one as well."""
    return isinstance(code, int) and code != _FLOOD_CODE and meaning_of(code) is not None


def surely_not_sent(exc: Refusal) -> bool:
    """Whether a request that met this fault of the network cannot have had an effect."""
    if isinstance(exc, StatusError):
        return was_refused(exc.status)
    return was_never_sent(exc)


def describe(exc: Refusal) -> str:
    """Put the cause into one line for the owner, without the network's own words: they
    may hold a URL or a secret."""
    code = code_of(exc)
    if code is not None:
        return words_for(code)
    match exc:
        case FloodError():
            return str(exc)
        case StatusError() if httpx.codes.is_success(exc.status):
            return f"an answer that is not Twilio's ({exc})"
        case StatusError():
            return f"the answer is {exc}"
        case httpx.HTTPError():
            return f"no answer from Twilio ({type(exc).__name__})"
        case _:
            return f"an answer of Twilio's that cannot be read ({type(exc).__name__})"


def words_for(code: int) -> str:
    """Put an error code into words."""
    meaning = meaning_of(code)
    if meaning is None:
        return f"Twilio refuses the message (error {code}: twilio.com/docs/api/errors/{code})"
    return f"{meaning.words} (Twilio's error {code})"


def _error_of(code: int) -> SendError:
    words = words_for(code)
    match meaning_of(code):
        case Meaning(outcome=Outcome.AGAIN, after_seconds=seconds):
            return RetryableSendError(words, after_seconds=seconds)
        case Meaning(outcome=Outcome.LATER):
            return UnreachableError(words, contact_lost=True)
        case Meaning(outcome=Outcome.WITHOUT_TEMPLATE):
            return UnreachableError(words)
    return PermanentSendError(words)


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
    """Return what a code means; None for one that is not in the table."""
    return _MEANINGS.get(code)


def _owner_mends(blame: Blame, words: str, after_seconds: float = 5 * MINUTE) -> Meaning:
    return Meaning(Outcome.AGAIN, words, after_seconds, blame)


def _again(words: str, after_seconds: float = MINUTE) -> Meaning:
    return Meaning(Outcome.AGAIN, words, after_seconds)


def _later(words: str) -> Meaning:
    return Meaning(Outcome.LATER, words)


def _template(words: str) -> Meaning:
    return Meaning(Outcome.WITHOUT_TEMPLATE, words, blame=Blame.TEMPLATE)


def _never(words: str) -> Meaning:
    return Meaning(Outcome.NEVER, words)


_TABLE: Mapping[tuple[int, ...], Meaning] = {
    # The account, and its way to Twilio.
    (10001, 20005, 20010, 20403, 30002): _owner_mends(
        Blame.ACCOUNT, "the Twilio account is suspended or closed: see Twilio's console"
    ),
    (20003,): _owner_mends(
        Blame.CREDENTIALS,
        "Twilio refuses the credentials: check GAIA_TWILIO_ACCOUNT_SID and GAIA_TWILIO_AUTH_TOKEN",
    ),
    (20404,): _owner_mends(
        Blame.CREDENTIALS, "Twilio knows no such account or message: check GAIA_TWILIO_ACCOUNT_SID"
    ),
    (_FLOOD_CODE, 21611, 30001, 63017): _again("Twilio sends more slowly than it is asked to"),
    (20500, 20503, 30410, 63009, 63010, 63011, 63012, 63023): _again(
        "Twilio or WhatsApp had a fault of its own"
    ),
    (30454,): _again("the trial account may send no more messages: upgrade it", HOUR),
    (63038,): _again("the account may send no more messages today: upgrade it, or wait", HOUR),
    # Who writes, and to whom.
    (21211,): _never("the number is none that can be written to"),
    (21212, 21606, 21660, 63002, 63007): _owner_mends(
        Blame.NUMBER,
        "channels.whatsapp.number is no WhatsApp sender of this Twilio account: correct "
        "it in gaia.yaml, or add the number to the account's WhatsApp senders",
    ),
    (21408,): _never("the account may not write to that country: allow it in Twilio's console"),
    (21608,): _never("a trial account writes to verified numbers only: verify it, or upgrade"),
    (21610,): _never("they wrote STOP to this number: only START of theirs ends that"),
    (21612, 21910): _never("Twilio cannot send from this number to that one"),
    (21614, 63003, 63024, 30005): _never("there is nobody on WhatsApp at that number"),
    (63001,): _owner_mends(
        Blame.NUMBER, "WhatsApp refuses the sender: remove and add it again in Twilio's console"
    ),
    (63008,): _owner_mends(
        Blame.NUMBER, "the WhatsApp sender is not set up well: look at it in Twilio's console"
    ),
    (63014, 30004): _never("they blocked this number, or want no messages of it"),
    (63015,): _later(
        "they have not joined the sandbox, or did so more than three days ago: they "
        "write 'join' and its code to it"
    ),
    (63016,): _later("the 24-hour window of WhatsApp is closed"),
    (63020,): _owner_mends(
        Blame.NUMBER, "the business has not accepted Twilio's invitation: see Business Manager"
    ),
    (63022,): _owner_mends(
        Blame.NUMBER, "the display name of the WhatsApp sender is not valid: register it again"
    ),
    (63031,): _never("the number would write to itself"),
    (63032,): _never("WhatsApp does not let this person be written to at the moment"),
    (63033,): _never("they cannot be written to: Meta blocks it"),
    (63036, 30006): _never("the number cannot be reached"),
    (63051,): _owner_mends(
        Blame.NUMBER,
        "Meta has locked the WhatsApp sender or its business account: see Meta's Business Manager",
        HOUR,
    ),
    # The text.
    (21602, 21619): _never("the message is empty"),
    (21609,): _never("Twilio does not take the address for status callbacks: see public_url"),
    (21617,): _never("the message is longer than 1600 characters"),
    (63005, 63006, 63021, 63030): _never("WhatsApp does not take the content of the message"),
    (63013,): _never("the message breaks a rule of WhatsApp's"),
    # Files.
    (11200, 11205, 11210, 11220, 11237, 21620, 63019): _never(
        "Twilio cannot fetch the file: channels.whatsapp.public_url must be reachable "
        "from the internet (gaia doctor looks)"
    ),
    (11751, 63034): _never("the file is larger than WhatsApp takes"),
    (12300,): _never("WhatsApp does not take files of that type"),
    (63025,): _again("WhatsApp has that file already, and wants it again"),
    # The template.
    (21654,): _template("the template's SID is missing"),
    (21655,): _template(
        "channels.whatsapp.template is no template of this account: copy its SID again"
    ),
    (21656,): _template(
        "the template does not take its variable: see channels.whatsapp.template_variable"
    ),
    (63026,): _template("the template's namespace is not known: make the template again"),
    (63027,): _template("WhatsApp does not know the template in its language: have it approved"),
    (63028,): _template(
        "the template has other variables than channels.whatsapp.template_variable says"
    ),
    (63029,): _template("the phone of the receiver could not load the template"),
    (63040,): _template("Meta rejected the template: change it, and have it approved"),
    (63041,): _template("Meta paused the template since people did not like it"),
    (63042,): _template("Meta disabled the template: make another one"),
    (63049,): _template(
        "Meta chose not to deliver the template, as it does with advertising: have it "
        "approved in the category Utility"
    ),
    # On the way.
    (30003,): _again("the phone cannot be reached", HOUR),
    (30007,): _never("the message was taken for spam on its way"),
    (30008,): _again("it failed for a reason that nobody tells"),
    (30036,): _again("it was not delivered in time"),
    (63018,): _again("WhatsApp wants messages to come more slowly"),
}
_MEANINGS = {code: meaning for codes, meaning in _TABLE.items() for code in codes}

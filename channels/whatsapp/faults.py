"""What errors mean: for a message that was to be sent, and in words.

Whether a request reached Twilio decides most. It did not where no connection was
made or none was free, nor where a gateway says that it handed nothing on; nobody
can tell once the request was being written.
"""

from __future__ import annotations

import httpx
from twilio.base.exceptions import TwilioException

from channels.whatsapp.codes import Blame, Meaning, Outcome, meaning_of
from channels.whatsapp.http import FloodError, RefusedError, StatusError
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
)

REFUSALS = (TwilioException, httpx.HTTPError)
"""All that a request may raise when it comes to nothing."""

Refusal = TwilioException | httpx.HTTPError

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
_GATEWAY_REFUSED = (httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE)
_CREDENTIALS_CODE = 20003


def send_error(exc: Refusal) -> SendError:
    """What became of a message that could not be sent, and why."""
    if isinstance(exc, FloodError):
        return RetryableSendError(describe(exc), after_seconds=exc.seconds)
    code = code_of(exc)
    if code is not None:
        return _error_of(code)
    if surely_not_sent(exc):
        return RetryableSendError(describe(exc))
    return UnknownSendError(describe(exc))


def failure_of(code: int | None) -> SendError:
    """What is to become of a message that Twilio took, and says now that it failed."""
    if code is None:
        return RetryableSendError("Twilio says that it failed, and not why")
    return _error_of(code)


def blame_of(code: int | None) -> Blame | None:
    """What only the owner can mend, if a code says that there is something."""
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


def surely_not_sent(exc: Refusal) -> bool:
    """Whether a request that met this fault of the network cannot have had an effect."""
    if isinstance(exc, StatusError):
        return 300 <= exc.status < 500 or exc.status in _GATEWAY_REFUSED
    return isinstance(exc, _NEVER_SENT)


def describe(exc: Refusal) -> str:
    """The cause in one line for the owner. It holds no URL and no secret: the texts
    of the network's own errors are left out."""
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
    """An error code in words."""
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

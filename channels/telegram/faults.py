"""What the library's errors mean: for a message that was to be sent, and in words.

Whether a request reached Telegram decides most. It did not where no connection
was made or none was free, nor where a gateway says that it handed nothing on;
nobody can tell once the request was being written.
"""

from __future__ import annotations

import re

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    TelegramError,
)

from channels.telegram.api import FloodError, StatusError
from gaia.errors import PermanentSendError, RetryableSendError, SendError, UnknownSendError

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
_GATEWAY_REFUSED = (httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE)
AFTER_MIGRATION_SECONDS = 0.2


def send_error(exc: TelegramError, *, refused_token_seconds: float) -> SendError:
    """What became of a message that could not be sent, and why."""
    cause = describe(exc)
    match exc:
        case FloodError():
            return RetryableSendError(cause, after_seconds=exc.seconds)
        case ChatMigrated():
            return RetryableSendError(cause, after_seconds=AFTER_MIGRATION_SECONDS)
        case InvalidToken():
            return RetryableSendError(cause, after_seconds=refused_token_seconds)
        case Conflict():
            return RetryableSendError(cause)
        case Forbidden() | BadRequest():
            return PermanentSendError(cause)
    if surely_not_sent(exc):
        return RetryableSendError(cause)
    return UnknownSendError(cause)


def surely_not_sent(exc: TelegramError) -> bool:
    """Whether a request that met this fault of the network cannot have had an effect."""
    if isinstance(exc, StatusError):
        is_refusal = not httpx.codes.is_success(exc.status) and exc.status < 500
        return is_refusal or exc.status in _GATEWAY_REFUSED
    return isinstance(exc.__cause__, _NEVER_SENT)


def describe(exc: TelegramError) -> str:
    """The cause in one line for the owner. It holds no URL and no token: the texts
    of the network's own errors are left out."""
    match exc:
        case InvalidToken():
            return "Telegram refuses the token: check GAIA_TELEGRAM_BOT_TOKEN"
        case Conflict():
            return (
                "another process polls with this token, or has set a webhook for it: "
                "stop it, or make a second bot"
            )
        case FloodError():
            return exc.message
        case StatusError():
            return f"the answer is {exc.message}"
        case NetworkError() if not isinstance(exc, BadRequest):
            return f"no answer from Telegram ({type(exc.__cause__ or exc).__name__})"
        case _:
            # Between quotes stand words of the message that was refused.
            said = re.sub(r'".*"', "…", " ".join(exc.message.split()))
            return f"Telegram says: {said[:200]}"

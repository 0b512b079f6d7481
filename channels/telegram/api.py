"""The Bot API, through python-telegram-bot: its client, made safe to depend on, and what its
errors mean.

What the library does not do, and is done here:

- An answer that is not Telegram's own, such as a proxy's page, is never read as a
  verdict of Telegram, nor quoted in an error: it may repeat the URL, and the token
  is in that.
- The status of an answer and the wait that Telegram asks for stay in the error.
- Updates come as plain data, so that one which the library cannot read does not
  take the others of its batch along.

Whether a request reached Telegram decides most about a message that was to be sent. It
did not where no connection was made or none was free, nor where a gateway says that it
handed nothing on; nobody can tell once the request was being written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
from telegram import Bot
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    TelegramError,
)
from telegram.request import BaseRequest, HTTPXRequest, RequestData

from channels.base.channel import Condition
from channels.base.http import Timing as BaseTiming
from channels.base.http import date_hooks, was_never_sent, was_refused
from gaia.bounded_http import authorities
from gaia.errors import PermanentSendError, RetryableSendError, SendError, UnknownSendError
from gaia.findings import Heard
from gaia.ports import Clock

if TYPE_CHECKING:  # The library has no public name for the type of its timeouts.
    from telegram._utils.types import ODVInput

Json = dict[str, object]

TELEGRAM_URL = "https://api.telegram.org"
AFTER_MIGRATION_SECONDS = 0.2
SHORTEST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 86_400.0
"""No wish to be left alone is heeded for longer: it would be a mistake of the server."""
_MAY_NOT_WRITE = (
    "chat_restricted",
    "chat_send_plain_forbidden",
    "chat_write_forbidden",
    "have no rights to send a message",
    "not enough rights to send text messages",
    "topic_closed",
)
"""What Telegram says of a group in which only others may write: at night, or until an admin
changes it."""
CONNECTIONS = 256
"""How many requests run at once; others wait a moment."""


@dataclass(frozen=True, slots=True)
class Timing(BaseTiming):
    """How long things take on Telegram, in seconds.

    Telegram holds a poll for `poll` at most; a connection that is silent `poll_slack`
    later is dead. Three polls without an answer are a stall.
    """

    poll: int = 25
    poll_slack: float = 10.0
    conflict: float = 5.0
    """Between polls that another process ends. Shorter than a poll, so that of two
    processes none has time to think that all is well."""
    longest_pause: float = 30.0
    webhook_check: float = 60.0
    typing: float = 4.0
    """Telegram shows that somebody types for five seconds."""
    refused_token: float = 300.0

    @property
    def stall(self) -> float:
        """When a poll is given up, and a channel that completed none has stalled."""
        return 3.0 * self.poll


class FloodError(TelegramError):
    """429: Telegram wants to be left alone for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Telegram asks to wait {seconds:.0f} s")
        self.seconds = seconds


class StatusError(NetworkError):
    """An answer that is not Telegram's verdict on the request, by its HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class GuardedRequest(HTTPXRequest):
    """The library's client, with the answers looked at first."""

    __slots__ = ("_token",)

    def __init__(
        self,
        timing: Timing,
        token: str,
        *,
        connections: int,
        read: float,
        heard: Heard | None = None,
    ) -> None:
        super().__init__(
            httpx_kwargs={"event_hooks": date_hooks(heard), "verify": authorities()},
            connection_pool_size=connections,
            read_timeout=read,
            write_timeout=timing.write,
            connect_timeout=timing.connect,
            pool_timeout=timing.pool,
        )
        self._token = token.encode()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        write_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        connect_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
        pool_timeout: ODVInput[float] = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Raises `FloodError` and `StatusError` beside the library's own errors."""
        status, payload = await super().do_request(
            url, method, request_data, read_timeout, write_timeout, connect_timeout, pool_timeout
        )
        answer = _telegrams_own(payload)
        if answer is None or status >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise StatusError(status)
        if status == httpx.codes.TOO_MANY_REQUESTS:
            raise FloodError(_wait(answer))
        if httpx.codes.is_success(status) != ("result" in answer):
            raise StatusError(status)
        return status, payload if "result" in answer else payload.replace(self._token, b"[token]")


def _telegrams_own(payload: bytes) -> Json | None:
    """Return the answer, if it is in the form of all answers of the Bot API."""
    try:
        answer = json.loads(payload)
    except ValueError:
        return None
    if not isinstance(answer, dict) or not isinstance(answer.get("ok"), bool):
        return None
    parameters = answer.get("parameters", {})
    return answer if isinstance(parameters, dict) else None


def _wait(answer: Json) -> float:
    parameters = answer.get("parameters")
    seconds = parameters.get("retry_after") if isinstance(parameters, dict) else None
    asked = seconds if isinstance(seconds, int | float) else 0.0
    # A whole number may be larger than any float.
    return float(min(max(SHORTEST_WAIT_SECONDS, asked), LONGEST_WAIT_SECONDS))


class Api(Bot):
    """A bot with one connection for polling, a pool for all else, and one for files."""

    __slots__ = ("_files", "_timing")

    def __init__(
        self, token: str, base_url: str, timing: Timing, *, heard: Heard | None = None
    ) -> None:
        server = base_url.rstrip("/") or TELEGRAM_URL
        super().__init__(
            token,
            base_url=lambda secret: f"{server}/bot{secret}",
            base_file_url=lambda secret: f"{server}/file/bot{secret}",
            request=GuardedRequest(
                timing, token, connections=CONNECTIONS, read=timing.read, heard=heard
            ),
            get_updates_request=GuardedRequest(
                timing, token, connections=2, read=timing.poll_slack
            ),
        )
        self._timing = timing
        timeout = httpx.Timeout(timing.read, connect=timing.connect)
        self._files = httpx.AsyncClient(timeout=timeout, verify=authorities())

    @property
    def files(self) -> httpx.AsyncClient:
        """For downloads; their URLs are secret."""
        return self._files

    async def close_connections(self) -> None:
        """Close all connections."""
        for request in self._request:
            await request.shutdown()
        await self._files.aclose()

    async def updates(
        self, offset: int | None, allowed: Sequence[str], *, seconds: int
    ) -> list[Json]:
        """Wait up to `seconds` for updates from `offset` on, and acknowledge the earlier ones."""
        updates: list[Json] = await self._post(
            "getUpdates",
            {"offset": offset, "timeout": seconds, "allowed_updates": list(allowed)},
            read_timeout=seconds + self._timing.poll_slack,
        )
        return updates

    async def file_place(self, file_id: str) -> Json:
        """Ask where a file is: `file_path` and maybe `file_size`, in Telegram's words."""
        place: Json = await self._post("getFile", {"file_id": file_id})
        return place


def send_error(exc: TelegramError, *, refused_token_seconds: float) -> SendError:
    """Translate an error into what became of the message that was to be sent."""
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
            may_not_write = any(each in exc.message.casefold() for each in _MAY_NOT_WRITE)
            return RetryableSendError(cause) if may_not_write else PermanentSendError(cause)
    if surely_not_sent(exc):
        return RetryableSendError(cause)
    return UnknownSendError(cause)


def surely_not_sent(exc: TelegramError) -> bool:
    """Whether a request that met this fault of the network cannot have had an effect."""
    if isinstance(exc, StatusError):
        return was_refused(exc.status)
    return was_never_sent(exc.__cause__)


def describe(exc: TelegramError) -> str:
    """Put the cause into one line for the owner, without the network's own words: they
    may hold a URL, and the token is in that."""
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


class TelegramCondition(Condition):
    """Knows what Telegram's errors say of the channel. `stall_seconds` is None for webhooks."""

    def __init__(self, clock: Clock, *, stall_seconds: float | None) -> None:
        super().__init__(
            "Telegram", clock, stall_seconds=stall_seconds, stall="polling has stalled"
        )

    def failed(self, exc: TelegramError) -> None:
        """Report that a request that has to succeed did not."""
        match exc:
            case InvalidToken() | Conflict():
                self.troubled(describe(exc))
            case _:
                self.unreachable(describe(exc))

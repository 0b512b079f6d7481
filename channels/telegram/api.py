"""The Bot API, through python-telegram-bot: its client, made safe to depend on.

What the library does not do, and is done here:

- An answer that is not Telegram's own, such as a proxy's page, is never read as a
  verdict of Telegram, nor quoted in an error: it may repeat the URL, and the token
  is in that.
- The status of an answer and the wait that Telegram asks for stay in the error.
- Updates come as plain data, so that one which the library cannot read does not
  take the others of its batch along.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import httpx
from telegram import Bot
from telegram.error import NetworkError, TelegramError
from telegram.request import BaseRequest, HTTPXRequest, RequestData

from channels.heard_times import noting
from channels.telegram.timing import Timing
from gaia.findings import Heard

if TYPE_CHECKING:  # The library has no public name for the type of its timeouts.
    from telegram._utils.types import ODVInput

Json = dict[str, object]

TELEGRAM_URL = "https://api.telegram.org"
CONNECTIONS = 256
"""So many requests run at once; others wait a moment."""


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
            httpx_kwargs={"event_hooks": noting(heard)},
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
    """The answer, if it is in the form of all answers of the Bot API."""
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
    return float(seconds) if isinstance(seconds, int | float) else 1.0


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
        self._files = httpx.AsyncClient(timeout=httpx.Timeout(timing.read, connect=timing.connect))

    @property
    def files(self) -> httpx.AsyncClient:
        """For downloads; their URLs are secret."""
        return self._files

    async def close_connections(self) -> None:
        """Close them all."""
        for request in self._request:
            await request.shutdown()
        await self._files.aclose()

    async def updates(
        self, offset: int | None, allowed: Sequence[str], *, seconds: int
    ) -> list[Json]:
        """Wait so long for updates from `offset` on; the earlier ones are acknowledged."""
        updates: list[Json] = await self._post(
            "getUpdates",
            {"offset": offset, "timeout": seconds, "allowed_updates": list(allowed)},
            read_timeout=seconds + self._timing.poll_slack,
        )
        return updates

    async def file_place(self, file_id: str) -> Json:
        """Where a file is, in Telegram's words: `file_path` and maybe `file_size`."""
        place: Json = await self._post("getFile", {"file_id": file_id})
        return place

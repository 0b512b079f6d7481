"""HTTP as both channels use it: how long requests take, when a chat is left alone, refused
requests, downloads, faults of the network."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx

from gaia.clock import growing_pauses, within
from gaia.errors import AttachmentError
from gaia.findings import Heard
from gaia.messages import Attachment
from gaia.ports import Clock

Chat = TypeVar("Chat", bound=Hashable)

REFUSAL_SECONDS = 60.0
MEGABYTE = 1 << 20
"""As the settings and Telegram count them."""

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
_GATEWAY_REFUSED = (httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long requests take and gaia waits between them, in seconds."""

    connect: float = 10.0
    pool: float = 30.0
    """For a free connection: more than enough, since a request takes a moment."""
    read: float = 20.0
    write: float = 10.0
    download: float = 120.0
    first_pause: float = 1.0
    longest_pause: float = 60.0

    def pauses(self) -> Iterator[float]:
        """Yield the pauses between tries, without end."""
        return growing_pauses(self.first_pause, self.longest_pause)


class ChatBackoff(Generic[Chat]):
    """Remembers which chats the provider wants to be left alone, and for how long.

    A flood limit holds for the whole chat, and for no other; asking the provider
    during it makes it longer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ends_at: dict[Chat, float] = {}

    def hold(self, chat: Chat, seconds: float | None) -> None:
        """Leave `chat` alone for at least `seconds` from now, if the provider said how long."""
        if seconds is None:
            return
        now = self._clock.monotonic()
        self._ends_at = {each: at for each, at in self._ends_at.items() if at > now}
        self._ends_at[chat] = max(now + seconds, self._ends_at.get(chat, now))

    def remaining(self, chat: Chat) -> float:
        """Tell how many seconds `chat` is still to be left alone; 0 if it is not."""
        return max(0.0, self._ends_at.get(chat, 0.0) - self._clock.monotonic())


EventHooks = dict[str, list[Callable[..., Awaitable[None]]]]


class RefusedRequests:
    """Warns that a request to `what` was refused, once a minute for each reason.

    Anybody on the internet may make such requests, as many as they like: the log has
    one line of them, and keeps the lines that were there before.
    """

    def __init__(self, logger: logging.Logger, what: str, clock: Clock) -> None:
        self._logger = logger
        self._what = what
        self._clock = clock
        self._told_at: dict[str, float] = {}
        self._untold: dict[str, int] = {}

    def note(self, reason: str) -> None:
        """Count a refused request. `reason` is a fixed text, with nothing of the request."""
        now = self._clock.monotonic()
        told_at = self._told_at.get(reason)
        if told_at is not None and now - told_at < REFUSAL_SECONDS:
            self._untold[reason] = self._untold.get(reason, 0) + 1
            return
        self._told_at[reason] = now
        untold = self._untold.pop(reason, 0)
        more = f" ({untold} more since this was last said)" if untold else ""
        self._logger.warning("a request to %s is refused: %s%s", self._what, reason, more)


def date_hooks(heard: Heard | None) -> EventHooks:
    """Make the event hooks of an httpx client that pass the `Date` of each answer to
    `heard`, for `gaia doctor`; none without it."""
    if heard is None:
        return {}

    async def note(response: httpx.Response) -> None:
        heard(response.url.host, response.headers.get("date", ""))

    return {"response": [note]}


def was_never_sent(fault: BaseException | None) -> bool:
    """Whether a request that met `fault` cannot have reached the provider: no connection
    was made, or none was free."""
    return isinstance(fault, _NEVER_SENT)


def was_refused(status: int) -> bool:
    """Whether an answer with this status, not the provider's own, says that the request
    was handed to nobody."""
    return 300 <= status < 500 or status in _GATEWAY_REFUSED


async def download(
    clock: Clock, seconds: float, attachment: Attachment, fetch: Coroutine[object, object, bytes]
) -> bytes:
    """Return what `fetch` returns, if it does within `seconds`.

    Raises `AttachmentError` if it does not, and for faults of the network.
    """
    try:
        return await within(clock, seconds, fetch)
    except TimeoutError:
        raise AttachmentError(
            f"the {attachment.kind} did not arrive within {seconds:.0f} s"
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        # Not chained: the texts of these may have the URL, and a secret is in it.
        cause = type(exc).__name__
        raise AttachmentError(f"the {attachment.kind} cannot be downloaded: {cause}") from None


async def read_content(attachment: Attachment, response: httpx.Response, limit_bytes: int) -> bytes:
    """Read the body of `response` piece by piece. Raises `AttachmentError` if it is
    larger than `limit_bytes`."""
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        check_size(attachment, len(content), limit_bytes)
    return bytes(content)


def check_size(attachment: Attachment, size: int | None, limit_bytes: int) -> None:
    """Raise `AttachmentError` if `size` is known and larger than `limit_bytes`."""
    if size is not None and size > limit_bytes:
        raise AttachmentError(
            f"the {attachment.kind} is larger than {limit_bytes / MEGABYTE:g} MB, "
            "which limits.attachment_megabytes allows"
        )

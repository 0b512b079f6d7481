"""Files both ways: gaia downloads what came with a message, and Twilio fetches what is sent.

Twilio answers a download with a redirect to another host, where its files are: the
credentials are for Twilio alone and are not shown there.

A file that is sent has an address of gaia's own. It says until when it holds, and is
signed with a key that is made of the auth token: whoever has it gets the file, nobody can
make one up, and it says nothing of what is in the file. What kind of file it is stands in
the ending of its name, signed as well.
"""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import PurePosixPath

import httpx

from channels.base.http import check_size, download, read_content
from channels.whatsapp.api import Api, Timing
from channels.whatsapp.requests import CHANNEL
from channels.whatsapp.translation import media_path
from gaia.errors import AttachmentError, RetryableSendError, StoreError
from gaia.messages import Attachment, HookAnswer, Outbound, OutboundFile
from gaia.ports import Clock

MOST_REDIRECTS = 3

logger = logging.getLogger(__name__)
FILE_HOLDS_SECONDS = 3600
"""Twilio fetches a file while it takes the message, or soon after."""
_OFFICE = "application/vnd.openxmlformats-officedocument"
ENDINGS = {
    "application/pdf": ".pdf",
    "application/msword": ".doc",
    f"{_OFFICE}.wordprocessingml.document": ".docx",
    f"{_OFFICE}.presentationml.presentation": ".pptx",
    f"{_OFFICE}.spreadsheetml.sheet": ".xlsx",
    "image/jpeg": ".jpg",
    "image/png": ".png",
}
"""What Twilio's page on media messages of WhatsApp lists and gaia might send, each with
the ending of its names. Anything else it may refuse, plain text included."""
LONGEST_NAME = 20
"""Twilio's advice for the names of files, as is to use no special characters."""
_MEDIA_TYPES = {ending: media_type for media_type, ending in ENDINGS.items()}
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_PATH = re.compile(
    r"(?P<outbox_id>[0-9]{1,18})/(?P<expires>[0-9]{1,12})/(?P<mac>[0-9a-f]{64})"
    rf"/(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}})",
    re.ASCII,
)


class Files:
    """Fetches files while the channel serves."""

    def __init__(self, api: Api, account_sid: str, clock: Clock, timing: Timing) -> None:
        self._api = api
        self._account_sid = account_sid
        self._clock = clock
        self._timing = timing

    async def fetch(self, attachment: Attachment, limit_bytes: int) -> bytes:
        """Return the content of a file. Raises `AttachmentError` if it cannot be had."""
        check_size(attachment, attachment.size_bytes, limit_bytes)
        path = media_path(attachment.file_id, self._account_sid)
        if path is None:
            raise AttachmentError(f"the {attachment.kind} is no file of this Twilio account")
        fetching = self._fetch(attachment, path, limit_bytes)
        return await download(self._clock, self._timing.download, attachment, fetching)

    async def _fetch(self, attachment: Attachment, path: str, limit_bytes: int) -> bytes:
        url = httpx.URL(self._api.address_of(path))
        for _ in range(MOST_REDIRECTS + 1):
            async with self._api.open(url) as response:
                if response.has_redirect_location:
                    url = redirected(url, response.headers["location"])
                    continue
                if response.status_code != httpx.codes.OK:
                    raise AttachmentError(_refused(attachment, response.status_code))
                return await read_content(attachment, response, limit_bytes)
        raise AttachmentError(f"the {attachment.kind} cannot be downloaded: too many redirects")


def redirected(url: httpx.URL, location: str) -> httpx.URL:
    """Return where a redirect leads. Raises `AttachmentError` where that is less safe: from
    https to what anybody on the way can read."""
    target = url.join(location)
    if target.scheme not in ("http", "https") or (url.scheme, target.scheme) == ("https", "http"):
        raise AttachmentError("a file of Twilio's is at an address that is not https")
    return target


def _refused(attachment: Attachment, status: int) -> str:
    if status in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
        return f"the {attachment.kind} is gone at Twilio"
    return f"the {attachment.kind} cannot be downloaded: HTTP {status}"


def takes(media_type: str) -> bool:
    """Whether WhatsApp takes files of that kind."""
    return media_type in ENDINGS


class OutgoingFiles:
    """Makes the addresses of files, and answers requests to them. `content` is `Gateway.file`."""

    def __init__(
        self,
        content: Callable[[int], Awaitable[bytes | None]],
        *,
        public_url: str,
        auth_token: str,
        clock: Clock,
    ) -> None:
        self._content = content
        self._folder = f"{public_url.rstrip('/')}/hooks/{CHANNEL}/media"
        self._key = hmac.digest(auth_token.encode(), b"gaia: addresses of outgoing files", sha256)
        self._clock = clock

    async def offer(self, outbound: Outbound) -> str | None:
        """Return where Twilio finds the file of a chunk; None if it has none that WhatsApp
        takes, or none any more."""
        file = outbound.file
        if file is None or not takes(file.media_type):
            return None
        try:
            content = await self._content(outbound.outbox_id)
        except StoreError as exc:
            raise RetryableSendError(f"its file cannot be read: {exc}") from exc
        return None if content is None else self.url(outbound.outbox_id, file)

    def url(self, outbox_id: int, file: OutboundFile) -> str:
        """Make the address of the file of a chunk, which holds for an hour from now on."""
        expires = int(self._clock.now().timestamp()) + FILE_HOLDS_SECONDS
        name = safe_name(file)
        mac = self._mac(str(outbox_id), str(expires), name)
        return f"{self._folder}/{outbox_id}/{expires}/{mac}/{name}"

    async def serve(self, path: str) -> HookAnswer:
        """Answer a request for what stands in an address behind `media/`.

        403 for an address that gaia did not make, 410 for one whose time is over, 404
        for a file that is gone.
        """
        asked = _PATH.fullmatch(path)
        if asked is None:
            return HookAnswer(403, b"forbidden")
        mac = self._mac(asked["outbox_id"], asked["expires"], asked["name"])
        if not hmac.compare_digest(mac, asked["mac"]):
            return HookAnswer(403, b"forbidden")
        if self._clock.now().timestamp() >= int(asked["expires"]):
            return HookAnswer(410, b"gone")
        try:
            content = await self._content(int(asked["outbox_id"]))
        except StoreError as exc:
            logger.error("a file for WhatsApp cannot be read: %s", exc)
            return HookAnswer(503, b"try again")
        if content is None:
            return HookAnswer(404, b"not found")
        return HookAnswer(200, content, _media_type(asked["name"]), _headers(asked["name"]))

    def _mac(self, *parts: str) -> str:
        return hmac.new(self._key, "/".join(parts).encode(), sha256).hexdigest()


def safe_name(file: OutboundFile) -> str:
    """Make a short name of plain characters, with the ending of the file's kind."""
    ending = ENDINGS.get(file.media_type, ".bin")
    stem = _UNFIT.sub("-", PurePosixPath(file.name).stem).strip("-._")
    return f"{stem[: LONGEST_NAME - len(ending)].rstrip('-._') or 'file'}{ending}"


def _media_type(name: str) -> str:
    return _MEDIA_TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")


def _headers(name: str) -> dict[str, str]:
    return {
        "Content-Disposition": f'inline; filename="{name}"',
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }

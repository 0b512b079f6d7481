"""Downloads: the content of a file that came with a message, up to a limit.

Twilio answers with a redirect to another host, where its files are: the credentials are
for Twilio alone and are not shown there.
"""

from __future__ import annotations

import httpx

from channels.background import within
from channels.whatsapp.api import Api
from channels.whatsapp.content import media_path
from channels.whatsapp.timing import Timing
from gaia.errors import AttachmentError
from gaia.messages import Attachment
from gaia.ports import Clock

MOST_REDIRECTS = 3


class Files:
    """Fetches files while the channel serves."""

    def __init__(self, api: Api, account_sid: str, clock: Clock, timing: Timing) -> None:
        self._api = api
        self._account_sid = account_sid
        self._clock = clock
        self._timing = timing

    async def fetch(self, attachment: Attachment, limit_bytes: int) -> bytes:
        """The content of a file. Raises `AttachmentError` if it cannot be had."""
        kind, seconds = attachment.kind, self._timing.download
        _check_size(attachment, attachment.size_bytes or 0, limit_bytes)
        path = media_path(attachment.file_id, self._account_sid)
        if path is None:
            raise AttachmentError(f"the {kind} is no file of this Twilio account")
        try:
            return await within(self._clock, seconds, self._fetch(attachment, path, limit_bytes))
        except TimeoutError:
            raise AttachmentError(f"the {kind} did not arrive within {seconds:.0f} s") from None
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            # Not chained: the texts of these may have the address, which is signed.
            cause = type(exc).__name__
            raise AttachmentError(f"the {kind} cannot be downloaded: {cause}") from None

    async def _fetch(self, attachment: Attachment, path: str, limit_bytes: int) -> bytes:
        url = httpx.URL(self._api.address_of(path))
        for _ in range(MOST_REDIRECTS + 1):
            async with self._api.open(url) as response:
                if response.has_redirect_location:
                    url = redirected(url, response.headers["location"])
                    continue
                if response.status_code != httpx.codes.OK:
                    raise AttachmentError(_refused(attachment, response.status_code))
                return await _content(attachment, response, limit_bytes)
        raise AttachmentError(f"the {attachment.kind} cannot be downloaded: too many redirects")


def redirected(url: httpx.URL, location: str) -> httpx.URL:
    """Where a redirect leads. Raises `AttachmentError` where that is less safe: from https
    to what anybody on the way can read."""
    target = url.join(location)
    if target.scheme not in ("http", "https") or (url.scheme, target.scheme) == ("https", "http"):
        raise AttachmentError("a file of Twilio's is at an address that is not https")
    return target


async def _content(attachment: Attachment, response: httpx.Response, limit_bytes: int) -> bytes:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        _check_size(attachment, len(content), limit_bytes)
    return bytes(content)


def _check_size(attachment: Attachment, size: int, limit_bytes: int) -> None:
    if size > limit_bytes:
        raise AttachmentError(
            f"the {attachment.kind} is larger than {limit_bytes / 1_000_000:g} MB, "
            "which limits.attachment_megabytes allows"
        )


def _refused(attachment: Attachment, status: int) -> str:
    if status in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
        return f"the {attachment.kind} is gone at Twilio"
    return f"the {attachment.kind} cannot be downloaded: HTTP {status}"

"""Downloads: the content of a file that came with a message, up to a limit.

The library reads a file into memory however large it is; this counts as it reads.
"""

from __future__ import annotations

from urllib.parse import quote

import httpx
from telegram.error import TelegramError

from channels.background import within
from channels.telegram.api import Api
from channels.telegram.faults import describe
from channels.telegram.timing import Timing
from gaia.errors import AttachmentError
from gaia.messages import Attachment
from gaia.ports import Clock

CLOUD_LIMIT_MEGABYTES = 20
"""What Telegram's own servers give to bots; one's own server gives all."""


class Files:
    """Fetches files while the channel serves."""

    def __init__(self, api: Api, clock: Clock, timing: Timing) -> None:
        self._api = api
        self._clock = clock
        self._timing = timing

    async def fetch(self, attachment: Attachment, limit_bytes: int) -> bytes:
        """The content of a file. Raises `AttachmentError` if it cannot be had."""
        kind, seconds = attachment.kind, self._timing.download
        _check_size(attachment, attachment.size_bytes, limit_bytes)
        try:
            return await within(self._clock, seconds, self._fetch(attachment, limit_bytes))
        except TimeoutError:
            raise AttachmentError(f"the {kind} did not arrive within {seconds:.0f} s") from None
        except TelegramError as exc:
            raise AttachmentError(_refused(attachment, exc)) from exc
        except httpx.HTTPError as exc:
            # Not chained: the texts of these may have the URL, and the token is in it.
            cause = type(exc).__name__
            raise AttachmentError(f"the {kind} cannot be downloaded: {cause}") from None

    async def _fetch(self, attachment: Attachment, limit_bytes: int) -> bytes:
        place = await self._api.file_place(attachment.file_id)
        path, size = place.get("file_path"), place.get("file_size")
        if not isinstance(path, str):
            raise AttachmentError(f"Telegram does not say where the {attachment.kind} is")
        if path.startswith("/"):
            raise AttachmentError(
                f"the {attachment.kind} is on the disk of the Bot API server: "
                "run that server without --local"
            )
        _check_size(attachment, size if isinstance(size, int) else None, limit_bytes)
        return await self._download(attachment, path, limit_bytes)

    async def _download(self, attachment: Attachment, path: str, limit_bytes: int) -> bytes:
        content = bytearray()
        url = f"{self._api.base_file_url}/{quote(path)}"
        async with self._api.files.stream("GET", url) as response:
            if response.status_code != httpx.codes.OK:
                raise AttachmentError(
                    f"the {attachment.kind} cannot be downloaded: HTTP {response.status_code}"
                )
            async for piece in response.aiter_bytes():
                content += piece
                _check_size(attachment, len(content), limit_bytes)
        return bytes(content)


def _check_size(attachment: Attachment, size: int | None, limit_bytes: int) -> None:
    if size is not None and size > limit_bytes:
        raise AttachmentError(
            f"the {attachment.kind} is larger than {limit_bytes / 1_000_000:g} MB, "
            "which limits.attachment_megabytes allows"
        )


def _refused(attachment: Attachment, exc: TelegramError) -> str:
    if "file is too big" in exc.message.casefold():
        return (
            f"the {attachment.kind} is larger than {CLOUD_LIMIT_MEGABYTES} MB, "
            "more than Telegram gives to bots"
        )
    return f"the {attachment.kind} cannot be had: {describe(exc)}"

"""Downloads of the files that come with messages, up to a limit.

The library reads a file into memory however large it is; this counts as it reads.
"""

from __future__ import annotations

from urllib.parse import quote

import httpx
from telegram.error import TelegramError

from channels.base.http import check_size, download, read_content
from channels.telegram.api import Api, Json, Timing, describe
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
        """Return the content of a file. Raises `AttachmentError` if it cannot be had."""
        check_size(attachment, attachment.size_bytes, limit_bytes)
        fetching = self._fetch(attachment, limit_bytes)
        return await download(self._clock, self._timing.download, attachment, fetching)

    async def _fetch(self, attachment: Attachment, limit_bytes: int) -> bytes:
        place = await self._place(attachment)
        path, size = place.get("file_path"), place.get("file_size")
        if not isinstance(path, str):
            raise AttachmentError(f"Telegram does not say where the {attachment.kind} is")
        if path.startswith("/"):
            raise AttachmentError(
                f"the {attachment.kind} is on the disk of the Bot API server: "
                "run that server without --local"
            )
        check_size(attachment, size if isinstance(size, int) else None, limit_bytes)
        url = f"{self._api.base_file_url}/{quote(path)}"
        async with self._api.files.stream("GET", url) as response:
            if response.status_code != httpx.codes.OK:
                raise AttachmentError(
                    f"the {attachment.kind} cannot be downloaded: HTTP {response.status_code}"
                )
            return await read_content(attachment, response, limit_bytes)

    async def _place(self, attachment: Attachment) -> Json:
        try:
            return await self._api.file_place(attachment.file_id)
        except TelegramError as exc:
            raise AttachmentError(_refused(attachment, exc)) from exc


def _refused(attachment: Attachment, exc: TelegramError) -> str:
    if "file is too big" in exc.message.casefold():
        return (
            f"the {attachment.kind} is larger than {CLOUD_LIMIT_MEGABYTES} MB, "
            "more than Telegram gives to bots"
        )
    return f"the {attachment.kind} cannot be had: {describe(exc)}"

"""Files on their way to WhatsApp: Twilio fetches each from an address of gaia's own.

The address says until when it holds, and is signed with a key that is made of the auth
token: whoever has it gets the file, nobody can make one up, and it says nothing of what
is in the file. What kind of file it is stands in the ending of its name, signed as well.
"""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import PurePosixPath

from channels.whatsapp.names import CHANNEL
from gaia.errors import StoreError
from gaia.messages import HookAnswer, OutboundFile
from gaia.ports import Clock

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


def takes(media_type: str) -> bool:
    """Whether WhatsApp takes files of that kind."""
    return media_type in ENDINGS


class OutgoingFiles:
    """Makes the addresses, and answers them. `content` is `Gateway.file`."""

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

    def url(self, outbox_id: int, file: OutboundFile) -> str:
        """Where Twilio finds the file of a chunk, from now on for an hour."""
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
    """A short name of plain characters, with the ending of the file's kind."""
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

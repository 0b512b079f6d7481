"""Attachments: which files the model is given with a turn, fetched and read for it.

Files are fetched when their turn runs, not before: who is refused costs no
download, and after a crash the provider still has them. Whatever goes wrong with
a file, its turn goes on, and the model is told. What a file is, a text that can be read
out or a media type, is told by its bytes and not by its name.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gaia.agent.enclosures import Document, Enclosure, Media, plain_type
from gaia.agent.models import ChatModel
from gaia.clock import Deadline
from gaia.core.message_text import Fate, label
from gaia.errors import AttachmentError
from gaia.lru import LruCache
from gaia.messages import Attachment, AttachmentKind
from gaia.ports import Channel, Clock
from gaia.settings.schema import LimitsSettings

logger = logging.getLogger(__name__)

MEGABYTE = 1 << 20
MOST_ENCLOSURES = 10
REQUEST_BYTES = 20 * MEGABYTE
"""What the files of one request may have together: more than that, no provider takes."""

CACHE_BYTES = 32 * MEGABYTE
FETCHES_AT_ONCE = 3
FETCH_SECONDS = 60.0
"""How long a turn waits for all of its files."""

REFUSALS_REMEMBERED = 500
_FileId = tuple[str, str]
"""A channel's name, and the file's id there."""

EARLIER = ", from an earlier message"

SURE = 0.2
"""Above it, 99 of 100 texts of two to 200 words in 25 languages were read rightly; below, 90."""

UNKNOWN = "application/octet-stream"
FOREIGN = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]|\x1b[$(]")
"""What no UTF-8 has: control characters, but for the colours of a log, and how Japanese
mail changes its alphabet."""

DAMAGED = "\ufffd"
"""What stands for bytes that are no character."""
SAMPLE_BYTES = 200_000

PDF_MARK, PDF_END = b"%PDF-", b"%%EOF"
PDF_EDGE = 1024
"""So many bytes into a file, and before its end, readers of PDF look for its marks."""

SHARED = frozenset({"video/mp4", "video/quicktime", "video/webm"})
"""Containers of films, in which sounds come alone as well."""
PICTURES = re.compile(rb"hdlr.{8}vide|V_(?:VP|AV|MPEG|THEORA)", re.DOTALL)
"""How those containers declare a track of pictures."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The files of a turn: those that the request carries, in order, and why the
    others are not among them."""

    enclosed: Mapping[Attachment, Enclosure]
    fates: Mapping[Attachment, Fate]

    @property
    def enclosures(self) -> tuple[Enclosure, ...]:
        return tuple(self.enclosed.values())

    def fewer(self) -> Gathered | None:
        """For a model that refuses them: no media, then nothing; None when none is left."""
        if not self.enclosed:
            return None
        documents = {key: one for key, one in self.enclosed.items() if isinstance(one, Document)}
        kept = documents if len(documents) < len(self.enclosed) else {}
        refused = dict.fromkeys(self.enclosed.keys() - kept.keys(), Fate.REFUSED)
        return Gathered(kept, {**self.fates, **refused})


@dataclass(frozen=True, slots=True)
class Text:
    """What a file of text says. Its lines end in `\\n`. `doubt` is why it may be wrong."""

    text: str
    doubt: str = ""


@dataclass(slots=True)
class _Room:
    """The room that a request still has."""

    characters: int
    size_bytes: int = REQUEST_BYTES


class Attachments:
    """Fetches files and makes enclosures of them, for all conversations."""

    def __init__(self, model: ChatModel, clock: Clock, limits: LimitsSettings) -> None:
        self._model = model
        self._clock = clock
        self._limit_bytes = int(limits.attachment_megabytes * MEGABYTE)
        self._cache = LruCache[_FileId, bytes](CACHE_BYTES, len)
        self._refused: deque[_FileId] = deque(maxlen=REFUSALS_REMEMBERED)

    async def gather(
        self, channel: Channel, present: Sequence[Attachment], earlier: Sequence[Attachment]
    ) -> Gathered:
        """The files of a turn's messages, `present`, and those of the turns before it.

        What is too much for one request loses its oldest files. Never raises for a file.
        """
        newest_first = dict.fromkeys((*reversed(present), *reversed(earlier)))
        fates = self._unwanted(channel, newest_first)
        wanted = [each for each in newest_first if each not in fates]
        contents = await self._fetch(channel, wanted)
        room = _Room(self._model.intake.document_characters)
        enclosed: dict[Attachment, Enclosure] = {}
        for attachment in wanted:
            name = label(attachment) + ("" if attachment in present else EARLIER)
            result = await self._enclose(attachment, name, contents.get(attachment), room)
            if isinstance(result, Fate):
                fates[attachment] = result
            else:
                enclosed[attachment] = result
        return Gathered(dict(reversed(enclosed.items())), fates)

    def remember_refused(self, channel: Channel, gathered: Gathered) -> None:
        """The model answered once it was spared these files: it is not given them again."""
        for attachment, fate in gathered.fates.items():
            key = (channel.name, attachment.file_id)
            if fate is Fate.REFUSED and key not in self._refused:
                self._refused.append(key)

    def _unwanted(
        self, channel: Channel, newest_first: Iterable[Attachment]
    ) -> dict[Attachment, Fate]:
        """The files that are not worth a download, as far as that is known before."""
        fates: dict[Attachment, Fate] = {}
        free, free_bytes = MOST_ENCLOSURES, REQUEST_BYTES
        for attachment in newest_first:
            size_bytes = attachment.size_bytes or 0
            is_accepted = self._model.accepts(attachment.media_type)
            # What a document is shows when it is here; of the others, the channel knows.
            in_request = size_bytes if is_accepted else 0
            if not is_accepted and attachment.kind is not AttachmentKind.DOCUMENT:
                fates[attachment] = Fate.UNREADABLE
            elif (channel.name, attachment.file_id) in self._refused:
                fates[attachment] = Fate.REFUSED
            elif size_bytes > self._limit_bytes or not self._limit_bytes:
                fates[attachment] = Fate.TOO_LARGE
            elif not free or in_request > free_bytes:
                fates[attachment] = Fate.CROWDED
            else:
                free, free_bytes = free - 1, free_bytes - in_request
        return fates

    async def _enclose(
        self, attachment: Attachment, name: str, content: bytes | None, room: _Room
    ) -> Enclosure | Fate:
        """What the request carries of a file, by what its bytes are."""
        if content is None:
            return Fate.FAILED
        if not content:
            return Fate.EMPTY
        stated = plain_type(attachment.media_type)
        found = await asyncio.to_thread(examine, content, stated)
        if isinstance(found, Text):
            return _read_out(name, found, room)
        if not self._model.accepts(found):
            return Fate.UNREADABLE
        if len(content) > room.size_bytes:
            return Fate.CROWDED
        room.size_bytes -= len(content)
        told = name if found == stated else f"{name}, by its content {found}"
        return Media(told, found, content, attachment.file_name)

    async def _fetch(
        self, channel: Channel, wanted: Sequence[Attachment]
    ) -> Mapping[Attachment, bytes]:
        """The content of each file that can be had in time."""
        contents: dict[Attachment, bytes] = {}
        missing: list[Attachment] = []
        for attachment in wanted:
            cached = self._cache.get((channel.name, attachment.file_id))
            if cached is None:
                missing.append(attachment)
            else:
                contents[attachment] = cached
        if missing:
            try:
                async with Deadline(self._clock, FETCH_SECONDS) as deadline:
                    await deadline.step(self._fetch_all(channel, missing, contents))
            except TimeoutError:
                late = len(missing) - len(contents.keys() & set(missing))
                logger.warning("%d files did not come within %.0f s", late, FETCH_SECONDS)
        return contents

    async def _fetch_all(
        self,
        channel: Channel,
        missing: Sequence[Attachment],
        contents: dict[Attachment, bytes],
    ) -> None:
        gate = asyncio.Semaphore(FETCHES_AT_ONCE)

        async def fetch(attachment: Attachment) -> None:
            async with gate:
                try:
                    content = await channel.fetch(attachment, limit_bytes=self._limit_bytes)
                except AttachmentError as exc:
                    logger.warning("a %s could not be fetched: %s", attachment.kind, exc)
                except Exception:
                    logger.exception("a %s could not be fetched", attachment.kind)
                else:
                    contents[attachment] = content
                    self._cache.put((channel.name, attachment.file_id), content)

        async with asyncio.TaskGroup() as group:
            for attachment in missing:
                group.create_task(fetch(attachment), name=f"fetch-{attachment.kind}")


def examine(content: bytes, stated_type: str) -> Text | str:
    """The text in `content`, or its media type: `stated_type` if the bytes tell nothing."""
    if _is_pdf(content):
        return "application/pdf"
    text = _unicode(content)
    if text is not None:
        return text
    import chardet
    from chardet.enums import EncodingEra

    # Windows's, ISO's and the Asian ones. With those of DOS, Macs and mainframes as well, more
    # short texts are read wrongly than rightly.
    encodings = EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO
    found = chardet.detect(content, encoding_era=encodings, compat_names=False)
    if found["encoding"] is not None:
        text = _decoded(content, found["encoding"], found["confidence"])
        if text is not None:
            return text
    media_type = found["mime_type"] or UNKNOWN
    if media_type in SHARED and not PICTURES.search(content):
        return media_type.replace("video", "audio")
    return stated_type if media_type == UNKNOWN or found["encoding"] else media_type


def _read_out(name: str, found: Text, room: _Room) -> Enclosure | Fate:
    if not room.characters:
        return Fate.CROWDED
    kept = found.text[: room.characters]
    room.characters -= len(kept)
    return Document(name, kept, left_out=len(found.text) - len(kept), doubt=found.doubt)


def _is_pdf(content: bytes) -> bool:
    """Whether it begins as one. Mail and scanners put other lines before that."""
    if content.startswith(PDF_MARK):
        return True
    return PDF_MARK in content[:PDF_EDGE] and PDF_END in content[-PDF_EDGE:]


def _unicode(content: bytes) -> Text | None:
    """UTF-8, be it a little damaged; None for anything else."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        sample = content[:SAMPLE_BYTES].decode("utf-8-sig", errors="replace")
        damaged = sample.count(DAMAGED)
        if sum(char > "\x7f" for char in sample) <= 10 * damaged:
            return None
        text = content.decode("utf-8-sig", errors="replace")
    doubt = "some of its characters are damaged" if DAMAGED in text else ""
    return None if FOREIGN.search(text) else Text(_with_plain_lines(text), doubt)


def _decoded(content: bytes, encoding: str, confidence: float) -> Text | None:
    text = content.decode(encoding, errors="replace")
    if "\0" in text or text.count(DAMAGED) > len(text) // 100:
        return None
    doubt = "" if confidence >= SURE else f"it was read as {encoding}, which is a guess"
    return Text(_with_plain_lines(text), doubt)


def _with_plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")

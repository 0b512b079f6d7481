"""Watching: tells when gaia.yaml or `.env` says something else, however it was saved.

Editors write a file again, rename another one over it, or write it in pieces; Kubernetes
swaps a link that the file is reached through. So the folders are watched, not the files,
and what counts is what can be read in the end. Where no events come, as on a disk of another
machine, the files are read every half a minute.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from watchfiles import awatch

from gaia.clock import until_set
from gaia.files import read_bounded
from gaia.ports import Clock
from gaia.settings.schema import LARGEST_BYTES

logger = logging.getLogger(__name__)

QUIET_SECONDS = 0.5
"""A file that is written in pieces is read once it has stayed the same for so long."""

VANISHED_SECONDS = 5.0
"""The same of one that is not there or empty: more probably it is being written."""

POLL_SECONDS = 30.0
"""Between two looks without an event."""

STEP_MILLISECONDS = 100
LONGEST_MILLISECONDS = 1_000
"""How long events are gathered: gaia writes into the same folder all the time."""

LINKS = 40
"""As many links in a row as Linux follows."""


Events = Callable[[Collection[Path]], AsyncGenerator[object, None]]
"""Yields whenever one of these paths is touched, or may be."""


class Watch:
    """Watches some files, which need not exist."""

    def __init__(
        self,
        files: Sequence[Path],
        clock: Clock,
        *,
        quiet_seconds: float = QUIET_SECONDS,
        vanished_seconds: float = VANISHED_SECONDS,
        events: Events | None = None,
    ) -> None:
        self._files = files
        self._clock = clock
        self._quiet_seconds = quiet_seconds
        self._vanished_seconds = vanished_seconds
        self._events = events or _events
        self._is_deaf = False
        self._seen = self._contents()

    def seen(self) -> None:
        """Take what stands in the files now as known."""
        self._seen = self._contents()

    async def changes(self) -> AsyncIterator[None]:
        """Tell each time that something else stands in the files, and has come to rest."""
        while True:
            watched, touched = self._reached(), asyncio.Event()
            listening = asyncio.create_task(self._listen(watched, touched), name="settings events")
            try:
                # It listens before the first look: nothing falls between the two.
                await asyncio.sleep(0)
                while watched == self._reached():
                    touched.clear()
                    if await self._is_news():
                        yield
                    await until_set(self._clock, POLL_SECONDS, touched)
                    if listening.done():
                        listening.result()
            finally:
                listening.cancel()
                await asyncio.wait({listening})

    async def _listen(self, watched: Collection[Path], touched: asyncio.Event) -> None:
        """Set `touched` at each event."""
        try:
            async with aclosing(self._events(watched)) as events:
                async for _ in events:
                    touched.set()
        except (OSError, RuntimeError) as exc:
            # Of both kinds are what watchfiles raises where the system has no more watches.
            if not self._is_deaf:
                words = "changed settings are seen only every %.0f s, for no events come: %s"
                logger.warning(words, POLL_SECONDS, exc)
            self._is_deaf = True

    async def _is_news(self) -> bool:
        before, present = self._seen, self._contents()
        while present != self._seen:
            self._seen = present
            await self._clock.sleep(self._rest(before, present))
            present = self._contents()
        return self._seen != before

    def _rest(self, before: Sequence[bytes], present: Sequence[bytes]) -> float:
        """Seconds for which such a content has to stay."""
        vanished = any(old and not new for old, new in zip(before, present, strict=True))
        return self._vanished_seconds if vanished else self._quiet_seconds

    def _contents(self) -> Sequence[bytes]:
        """What can be read in each file, in short; nothing of one that is empty."""
        return [_digest(file) for file in self._files]

    def _reached(self) -> Collection[Path]:
        return {each for file in self._files for each in reached_by(file)}


def _events(watched: Collection[Path]) -> AsyncGenerator[object, None]:
    names = {str(each) for each in watched}
    return awatch(
        *{each.parent for each in watched if _is(Path.is_dir, each.parent)},
        watch_filter=lambda _, path: path in names,
        debounce=LONGEST_MILLISECONDS,
        step=STEP_MILLISECONDS,
        recursive=False,
    )


def _digest(file: Path) -> bytes:
    try:
        content = read_bounded(file, LARGEST_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as exc:
        return f"unreadable: {exc.strerror}".encode()
    return hashlib.sha256(content).digest() if content else b""


def reached_by(file: Path) -> Collection[Path]:
    """The file, and each link that leads to it, its folders among them: one of these changes
    when another content is to be found. One that cannot be looked at is taken for no link."""
    found: dict[Path, None] = {}
    path = file.absolute()
    for _ in range(LINKS):
        found[path] = None
        way = (*reversed(path.parents), path)
        link = next((each for each in way if _is(Path.is_symlink, each)), None)
        if link is None:
            break
        found[link] = None
        with suppress(OSError):  # Another may have taken its place.
            path = link.parent / link.readlink() / path.relative_to(link)
    return found.keys()


def _is(kind: Callable[[Path], bool], path: Path) -> bool:
    """Whether it is of that kind, as far as this user may look."""
    try:
        return kind(path)
    except OSError:
        return False

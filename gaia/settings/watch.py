"""Watching: tells when gaia.yaml or `.env` says something else, however it was saved.

Editors write a file again, rename another one over it, or write it in pieces; Kubernetes
swaps a link that the file is reached through. So the folders are watched, not the files,
and what counts is what can be read in the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import aclosing
from pathlib import Path

from watchfiles import Change, awatch

from gaia.files import read_bounded
from gaia.ports import Clock
from gaia.settings.schema import LARGEST_BYTES

QUIET_SECONDS = 0.5
"""A file that is written in pieces is read once it has stayed the same for so long."""

VANISHED_SECONDS = 5.0
"""The same of one that is not there or empty: more probably it is being written."""

STEP_MILLISECONDS = 100
LONGEST_MILLISECONDS = 1_000
"""How long events are gathered: gaia writes into the same folder all the time."""

LINKS = 40
"""As many links in a row as Linux follows."""


class Watch:
    """Watches some files, which need not exist."""

    def __init__(
        self,
        files: Sequence[Path],
        clock: Clock,
        *,
        quiet_seconds: float = QUIET_SECONDS,
        vanished_seconds: float = VANISHED_SECONDS,
    ) -> None:
        self._files = files
        self._clock = clock
        self._quiet_seconds = quiet_seconds
        self._vanished_seconds = vanished_seconds
        self._seen = self._contents()

    def seen(self) -> None:
        """Take what stands in the files now as known."""
        self._seen = self._contents()

    async def changes(self) -> AsyncIterator[None]:
        """Tell each time that something else stands in the files, and has come to rest.

        Raises:
            OSError: The folders cannot be watched.
        """
        while True:
            watched = self._reached()
            async with aclosing(_events(watched)) as events:
                if await self._is_news():
                    yield
                async for _ in events:
                    if await self._is_news():
                        yield
                    if watched != self._reached():
                        break

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


def _events(watched: Collection[Path]) -> AsyncGenerator[set[tuple[Change, str]], None]:
    names = {str(each) for each in watched}
    return awatch(
        *{each.parent for each in watched if each.parent.is_dir()},
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
    when another content is to be found."""
    found: dict[Path, None] = {}
    path = file.absolute()
    for _ in range(LINKS):
        found[path] = None
        link = next((each for each in (*reversed(path.parents), path) if each.is_symlink()), None)
        if link is None:
            break
        found[link] = None
        path = link.parent / link.readlink() / path.relative_to(link)
    return found.keys()

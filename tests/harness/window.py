"""A terminal window of 80 columns with a program in it, and somebody who types."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import struct
import sys
import termios
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from fcntl import ioctl

import pyte

COLUMNS, LINES = 80, 24
PATIENCE_SECONDS = 30
GAIA = (sys.executable, "-c", "from gaia.cli.main import main; main()")


class Window:
    """A window. What has scrolled off is remembered."""

    def __init__(self, lines: int = LINES) -> None:
        self._lines = lines
        self._screen = pyte.HistoryScreen(COLUMNS, lines, history=1000)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Event()
        self._ended = False
        self._keyboard = -1
        self._process: asyncio.subprocess.Process | None = None
        self.bytes = b""
        """All that the program wrote."""

    async def open(self, *command: str, environ: Mapping[str, str]) -> None:
        """Start a program, which is alone with the window."""
        self._keyboard, inside = pty.openpty()
        ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", self._lines, COLUMNS, 0, 0))
        self._process = await asyncio.create_subprocess_exec(
            *command,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0),
            env=environ,
        )
        os.close(inside)
        asyncio.get_running_loop().add_reader(self._keyboard, self._read)

    async def close(self) -> None:
        """End the program, whatever it does."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        asyncio.get_running_loop().remove_reader(self._keyboard)
        os.close(self._keyboard)

    async def until_left(self) -> int:
        """The exit code, once the program has ended by itself and all of it was read."""
        if self._process is None:
            raise RuntimeError("no program was started")
        async with asyncio.timeout(PATIENCE_SECONDS):
            code = await self._process.wait()
            while not self._ended:
                self._changed.clear()
                await self._changed.wait()
        return code

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keyboard, keys.encode())

    def send(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        if self._process is not None:
            self._process.send_signal(number)

    def lines(self) -> list[str]:
        """All that stands in the window, scrolled off or not, without empty lines."""
        scrolled = [
            "".join(row[column].data for column in range(COLUMNS))
            for row in self._screen.history.top
        ]
        return [line.rstrip() for line in [*scrolled, *self._screen.display] if line.strip()]

    async def answer(self, question: str, keys: str = "") -> None:
        """Type `keys` and Enter once the line of the cursor holds `question`."""
        await self._until(question, lambda: question in self._question())
        line = self._line()
        self.type(f"{keys}\r")
        await self._until(f"more than {question}", lambda: self._line() > line)

    async def shows(self, text: str) -> None:
        """Return once a line holds `text`."""
        await self._until(text, lambda: any(text in line for line in self.lines()))

    def _line(self) -> int:
        """The line of the cursor, counted from the first that there was."""
        return len(self._screen.history.top) + int(self._screen.cursor.y)

    def _question(self) -> str:
        """The lines at the cursor, as far as they are one that was wrapped."""
        row = self._screen.cursor.y
        display = self._screen.display
        return (display[row - 1] if row and display[row - 1][-1] != " " else "") + display[row]

    async def _until(self, what: str, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not condition():
                    if self._ended:
                        raise TimeoutError
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError("\n".join([f"waited for {what}:", *self.lines()])) from None

    def _read(self) -> None:
        try:
            data = os.read(self._keyboard, 65536)
        except OSError:
            data = b""
        if not data:
            self._ended = True
            asyncio.get_running_loop().remove_reader(self._keyboard)
        self.bytes += data
        self._stream.feed(data)
        self._changed.set()


@asynccontextmanager
async def window(
    *command: str, environ: Mapping[str, str], lines: int = LINES
) -> AsyncIterator[Window]:
    """A window with a program in it. It is ended on leaving."""
    opened = Window(lines)
    await opened.open(*command, environ=environ)
    try:
        yield opened
    finally:
        await opened.close()

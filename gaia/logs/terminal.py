"""Lines for a terminal, or for whoever reads what gaia prints."""

from __future__ import annotations

import logging
import queue
import threading
from contextlib import suppress
from logging import LogRecord
from typing import TextIO

MOST_LINES = 10_000
"""Lines that wait for a reader who does not read."""

FLUSH_SECONDS = 1.0
"""How long the end of a process waits until its last lines are read."""


class TerminalHandler(logging.StreamHandler[TextIO]):
    """Writes in a thread of its own. A terminal that was stopped by Ctrl-S, a pager that waits,
    or a supervisor that hangs would have gaia stand still with its next line. A line that finds
    no room is left out, and how many there were is said; the file has them all."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_LINES)
        self._left_out = 0
        self._thread = threading.Thread(target=self._write_all, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:
            self.handleError(record)
            return
        try:
            if self._left_out:
                missing = f"{self._left_out} lines were left out here: nobody read them in time"
                self._lines.put_nowait(missing + self.terminator)
                self._left_out = 0
            self._lines.put_nowait(line + self.terminator)
        except queue.Full:
            self._left_out += 1

    def flush(self) -> None:
        """Wait a moment until all is written."""
        with self._lines.all_tasks_done:
            self._lines.all_tasks_done.wait_for(
                lambda: not self._lines.unfinished_tasks, timeout=FLUSH_SECONDS
            )

    def close(self) -> None:
        with suppress(queue.Full):
            self._lines.put(None, timeout=FLUSH_SECONDS)
        self._thread.join(FLUSH_SECONDS)
        super().close()

    def _write_all(self) -> None:
        while (line := self._lines.get()) is not None:
            # A reader who has left, or a stream that was closed, has nothing to be told.
            with suppress(OSError, ValueError):
                self.stream.write(line)
                self.stream.flush()
            self._lines.task_done()

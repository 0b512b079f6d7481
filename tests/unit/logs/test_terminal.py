"""Lines for a terminal that is read, that is not read, and that is gone."""

from __future__ import annotations

import io
import logging
import os
import threading

import pytest

from gaia.logs import terminal
from gaia.logs.terminal import TerminalHandler


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("gaia", logging.INFO, __file__, 1, text, None, None)


def test_lines_are_written_in_their_order_and_whole_at_the_end() -> None:
    stream = io.StringIO()
    handler = TerminalHandler(stream)
    for number in range(1000):
        handler.emit(record(f"line {number}"))
    handler.close()
    assert stream.getvalue().splitlines() == [f"line {number}" for number in range(1000)]


def test_who_does_not_read_holds_up_nobody_and_is_told_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(terminal, "MOST_LINES", 3)
    monkeypatch.setattr(terminal, "FLUSH_SECONDS", 0.01)
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream, os.fdopen(reader) as read:
        handler = TerminalHandler(stream)
        long = "x" * 100_000
        for number in range(50):
            handler.emit(record(f"{number} {long}"))
        handler.flush()
        monkeypatch.setattr(terminal, "FLUSH_SECONDS", 30)
        got: list[str] = []
        reading = threading.Thread(target=lambda: got.extend(read))
        reading.start()
        handler.flush()
        handler.emit(record("read again"))
        handler.close()
        stream.close()
        reading.join()
    assert got[0] == f"0 {long}\n"
    assert got[-1] == "read again\n"
    (told,) = [each for each in got if "left out" in each]
    assert int(told.split()[0]) == 50 - (len(got) - 2)


def test_a_reader_who_has_left_costs_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stream = os.fdopen(writer, "w")
    handler = TerminalHandler(stream)
    handler.emit(record("to nobody"))
    handler.close()
    with pytest.raises(BrokenPipeError):
        stream.close()
    handler.emit(record("to a closed one"))

from __future__ import annotations

import asyncio
import os

import pytest

from gaia.cli.chat.plain import READ_BYTES, read_lines


async def lines_of(data: bytes) -> list[str]:
    reading, writing = os.pipe()
    try:
        feeding = asyncio.create_task(asyncio.to_thread(feed, writing, data))
        lines = [line async for line in read_lines(reading)]
        await feeding
        return lines
    finally:
        os.close(reading)


def feed(file_descriptor: int, data: bytes) -> None:
    with os.fdopen(file_descriptor, "wb") as file:
        file.write(data)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\n", ["one"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"\n\n", ["", ""]),
        ("Grüße\n你好".encode(), ["Grüße", "你好"]),
        (b"caf\xe9\n", ["caf\ufffd"]),
        (b"\xef\xbb\xbf/help\r\n\xef\xbb\xbftwo", ["/help", "two"]),
    ],
)
async def test_lines_come_without_their_ends(data: bytes, lines: list[str]) -> None:
    assert await lines_of(data) == lines


async def test_a_long_line_with_wide_characters_is_whole() -> None:
    line = "ü" * READ_BYTES
    assert await lines_of(b"x" + line.encode() + b"\n") == ["x" + line]


async def test_a_file_can_be_read(tmp_path) -> None:
    file = tmp_path / "lines"
    file.write_text("one\ntwo")
    with file.open() as stdin:
        assert [line async for line in read_lines(stdin.fileno())] == ["one", "two"]


async def test_waiting_for_a_line_can_be_cancelled() -> None:
    reading, writing = os.pipe()
    waiting = asyncio.create_task(anext(read_lines(reading)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    os.close(writing)
    os.close(reading)

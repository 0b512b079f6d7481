"""`python -m tests.servers.telegram [--port N] [--token T]`: prints the base URL, then plays
one person: lines of standard input are written to the bot, its messages are printed.
Ends with the input, or at SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from functools import partial

from gaia.clock import SystemClock
from tests.servers.telegram.people import Person
from tests.servers.telegram.server import TOKEN, TelegramServer, running_telegram

PERSON = 100


async def serve(port: int, token: str) -> None:
    """Serve until SIGTERM, SIGINT or the end of the input."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with (
        running_telegram(SystemClock(), token=token, port=port) as server,
        asyncio.TaskGroup() as tasks,
    ):
        _say(server.base_url)
        person = server.person(PERSON, "Ada")
        playing = [
            tasks.create_task(_write(person, stop)),
            tasks.create_task(_read(server, person)),
        ]
        await stop.wait()
        for task in playing:
            task.cancel()


async def _write(person: Person, stop: asyncio.Event) -> None:
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        person.writes(line.decode().strip())
    stop.set()


async def _read(server: TelegramServer, person: Person) -> None:
    printed = 0
    while True:
        await server.until(partial(_more_than, server, person, printed))
        for message in server.messages(person)[printed:]:
            _say(f"> {message.text}")
            printed += 1


def _more_than(server: TelegramServer, person: Person, count: int) -> bool:
    return len(server.messages(person)) > count


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.servers.telegram")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (0: a free one)")
    parser.add_argument("--token", default=TOKEN, help="the bot's token: number:secret")
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.port, arguments.token))

"""`python -m tests.servers.twilio [--port N] [--public-url URL]`: prints what gaia needs, then
plays one person: lines of standard input are written to gaia, its messages are printed.
Ends with the input, or at SIGTERM.

    gaia.yaml:  channels: whatsapp: {enabled: true, base_url, number, public_url}
    .env:       GAIA_TWILIO_ACCOUNT_SID, GAIA_TWILIO_AUTH_TOKEN
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from functools import partial

from gaia.clock import SystemClock
from tests.servers.twilio.people import Person
from tests.servers.twilio.server import TwilioServer, running_twilio

PERSON = "+4915112345678"
PUBLIC_URL = "http://127.0.0.1:8642"


async def serve(port: int, public_url: str) -> None:
    """Serve until SIGTERM, SIGINT or the end of the input."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with (
        running_twilio(SystemClock(), port=port) as server,
        asyncio.TaskGroup() as tasks,
    ):
        server.calls(public_url)
        _say(f"base_url: {server.url}")
        _say(f'number: "{server.number}"')
        _say(f"public_url: {public_url}")
        _say(f"GAIA_TWILIO_ACCOUNT_SID={server.account_sid}")
        _say(f"GAIA_TWILIO_AUTH_TOKEN={server.auth_token}")
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
    await person.incoming.until_idle()
    stop.set()


async def _read(server: TwilioServer, person: Person) -> None:
    printed = 0
    while True:
        await server.until(partial(_more_than, server, person, printed))
        for message in server.messages(person)[printed:]:
            files = "".join(f" [{file.file_name}]" for file in message.media)
            _say(f"> {message.body}{files}")
            printed += 1


def _more_than(server: TwilioServer, person: Person, count: int) -> bool:
    return len(server.messages(person)) > count


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.servers.twilio")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (0: a free one)")
    parser.add_argument(
        "--public-url", default=PUBLIC_URL, help=f"gaia's public_url ({PUBLIC_URL})"
    )
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.port, arguments.public_url))

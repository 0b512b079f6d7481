"""`python -m tests.servers.model_server [--port N]`: prints its URL, serves until SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from tests.servers.model_server.process import running_model_server


async def serve(port: int) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with running_model_server(port=port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await stop.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.servers.model_server")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (0: a free one)")
    asyncio.run(serve(parser.parse_args().port))

"""A daemon by a clock that is so many days off, for tests that break a machine: the days, then
the addresses of chat providers."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import datetime, timedelta

from gaia.agent.models import build_model
from gaia.app import daemon
from gaia.cli.main import exit_now
from gaia.clock import SystemClock
from gaia.paths import find_home
from gaia.settings.load import load_settings
from gaia.settings.providers import resolve_loaded
from tests.servers.chat_provider import PollingChannel


class ShiftedClock(SystemClock):
    """The machine's clock, set wrong."""

    def __init__(self, days: int) -> None:
        super().__init__()
        self._shift = timedelta(days=days)

    def now(self) -> datetime:
        return super().now() + self._shift


async def serve(days: int, urls: list[str]) -> None:
    """Run until SIGTERM."""
    home, clock, stop = find_home(), ShiftedClock(days), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    loaded = load_settings(home, os.environ)
    model = build_model(resolve_loaded(loaded), loaded.settings.model, home, clock)
    channels = [PollingChannel(url) for url in urls]
    async with daemon.timed(home, clock, model, *channels, hang_up=asyncio.Event()):
        await stop.wait()


def main() -> None:
    """Serve by the clock of the first argument."""
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2:]))
    exit_now(0)


if __name__ == "__main__":
    main()

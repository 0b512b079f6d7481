"""`python -m tests.harness.impatient_daemon URL TOKEN`: a real daemon in the home of GAIA_HOME
with Telegram at URL, which waits a second where another would wait for half a minute.
"""

from __future__ import annotations

import asyncio
import sys

from channels.telegram.api import Timing
from channels.telegram.channel import TelegramChannel
from gaia.app import daemon
from gaia.cli.main import exit_now
from gaia.clock import SystemClock
from gaia.paths import find_home
from gaia.settings.schema import TelegramSettings

TIMING = Timing(poll=1, poll_slack=0.5, read=1.0, first_pause=0.1, longest_pause=0.2)


def main() -> None:
    """Serve until SIGTERM."""
    url, token = sys.argv[1:]
    channel = TelegramChannel(TelegramSettings(base_url=url), token, SystemClock(), TIMING)
    asyncio.run(daemon.serve(find_home(), extra_channels=[channel]))
    exit_now(0)


if __name__ == "__main__":
    main()

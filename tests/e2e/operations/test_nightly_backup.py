"""The backup that a daemon makes by itself once it is the hour of the settings.

The hour strikes seconds after the start, since the test says what time zone the machine is
in. A daemon that was not ready by then is started for an hour that strikes later.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta

import pytest

from gaia.clock import SystemClock
from gaia.ops.backup.archives import archive_name, archives_in
from gaia.paths import Home
from tests.harness.databases import url_of
from tests.harness.processes import DaemonProcess, Finished

RunningDaemon = Callable[..., AbstractAsyncContextManager[DaemonProcess]]
RunGaia = Callable[..., Awaitable[Finished]]

HOUR = 12
IN_SECONDS = (6, 20, 80)
"""How soon the hour strikes, on machines that are ever slower."""


async def test_it_is_made_at_its_hour_and_the_old_ones_go(
    home: Home, running_daemon: RunningDaemon, run_gaia: RunGaia
) -> None:
    home.settings_file.write_text(
        "model: {provider: openai, name: m, base_url: 'http://127.0.0.1:9/v1'}\n"
        "web: {enabled: false}\n"
        f"backup: {{hour: {HOUR}, keep_days: 2, keep_weeks: 0}}\n"
    )
    clock = SystemClock()
    home.backups.mkdir()
    names = {
        days: archive_name(clock.now() - timedelta(days=days), nightly=True, encrypted=False)
        for days in (1, 9)
    }
    for name in names.values():
        (home.backups / name).touch()
    done = await run_gaia(home, "users", "add", "Ada")
    assert done.code == 0, "the first process takes longer to start"
    for seconds in IN_SECONDS:
        strikes_at = (clock.now() + timedelta(seconds=seconds)).replace(microsecond=0)
        async with running_daemon(home, environ={"TZ": zone_in_which(strikes_at)}) as daemon:
            if clock.now() > strikes_at - timedelta(seconds=2):
                continue
            async with asyncio.timeout(seconds + 30):
                await daemon.until_logged("job backup is done")
            assert await daemon.terminate() == 0
        break
    else:
        pytest.fail("no daemon was ready in time")
    kept, made = archives_in(home.backups)
    assert kept.path.name == names[1]
    assert made.is_nightly
    assert strikes_at <= made.taken_at < strikes_at + timedelta(seconds=30)
    verified = await run_gaia(home, "backup", "verify", str(made.path), "--json")
    assert verified.code == 0, verified
    told = json.loads(verified.stdout)
    assert (told["users"], told["untried"]) == (1, "")
    assert told["manifest"]["database"] == ("postgresql" if url_of(home) else "sqlite")
    listed = json.loads((await run_gaia(home, "jobs", "--json")).stdout)
    (job,) = (each for each in listed if each["name"] == "backup")
    assert (job["state"], job["error"]) == ("ok", None)


def zone_in_which(moment: datetime) -> str:
    """The `TZ` of a machine on which it is `HOUR` sharp at a moment, to the second."""
    noon = moment.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    behind = int((moment - noon).total_seconds())
    sign, rest = "-" if behind < 0 else "", abs(behind)
    return f"GAIA{sign}{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"

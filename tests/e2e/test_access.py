"""Letting people in, with processes: the code at the start, and two who approve at once."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from os import environ

import pytest

from gaia.clock import SystemClock
from gaia.core import pairing
from gaia.messages import Address, Inbound
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.pairings import new_code

SERVE = """
import asyncio
from gaia.cli.service import announce
from gaia.clock import SystemClock
from gaia.app.daemon import serve
from gaia.paths import find_home
from gaia.testing.fake_channel import FakeChannel

asyncio.run(serve(find_home(), extra_channels=[FakeChannel(SystemClock())], announce=announce))
"""
SETTINGS = """
web: {enabled: false}
model: {provider: openai, base_url: "http://127.0.0.1:9/v1"}
"""
SHOWN = re.compile(r"[A-Z2-9]{4}-[A-Z2-9]{4}")


@pytest.fixture
def home(home: Home) -> Home:
    home.settings_file.write_text(SETTINGS)
    return home


async def test_a_start_prints_a_code_for_the_owner_and_logs_none(home: Home) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SERVE,
        stderr=asyncio.subprocess.PIPE,
        env={**environ, "GAIA_HOME": str(home.root)},
    )
    assert process.stderr is not None
    told = ""
    try:
        while "To pair yourself" not in told:
            line = await process.stderr.readline()
            assert line, told
            told = line.decode()
    finally:
        process.send_signal(signal.SIGTERM)
        await process.communicate()
    code = SHOWN.search(told)
    assert code
    assert process.returncode == 0
    written = {f.name: f.read_bytes() for f in home.root.rglob("*") if f.is_file()}
    assert b"is ready" in written["gaia.log"]
    for spelling in (code[0], code[0].replace("-", "")):
        assert not [name for name, content in written.items() if spelling.encode() in content]


async def test_of_two_processes_that_approve_at_once_one_wins(home: Home, run_gaia) -> None:
    now, address = SystemClock().now(), Address("telegram", "7")
    database = await open_database(home)
    code = new_code()
    with database.writing() as session:
        inbound = Inbound(address, "7", "m1", "hello", now, sender_name="Eve")
        pairing.request(session, code, inbound, now)
    await database.close()

    ended = await asyncio.gather(
        *(run_gaia(home, "users", "approve", code.shown, "--name", f"Eve {n}") for n in "ab")
    )
    assert sorted(each.code for each in ended) == [0, 1]
    (lost,) = [each for each in ended if each.code]
    assert "no request has that code" in lost.stderr
    listed = await run_gaia(home, "users", "list")
    assert len(listed.stdout.splitlines()) == 2


async def test_link_says_where_the_code_goes_or_that_no_channel_is_on(home: Home, run_gaia) -> None:
    told = (await run_gaia(home, "chat", "-m", "/link")).stdout
    assert told.startswith("No other channel of mine is on")
    assert not SHOWN.search(told)
    home.settings_file.write_text(f"{SETTINGS}channels: {{telegram: {{enabled: true}}}}\n")
    told = (await run_gaia(home, "chat", "-m", "/link")).stdout
    assert told.startswith("Send me this code on Telegram: ")
    assert SHOWN.search(told)
    assert "I answer there once 'gaia serve' runs." in told

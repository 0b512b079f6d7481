"""`gaia setup` in a terminal window, and the gaia that comes of it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from gaia.paths import Home
from tests.harness.window import GAIA, window
from tests.servers.model_server import running_model_server
from tests.servers.telegram import running_telegram

MODEL_KEY = "canary-model-key-4711"
COLOUR = re.compile(rb"\x1b\[(1|3\d)m")


def environ(home: Home, **variables: str) -> Mapping[str, str]:
    """That of somebody at a terminal, on a machine without a service manager."""
    own = {"GAIA_HOME": str(home.root), "TERM": "xterm-256color", "PATH": str(home.root)}
    return {**os.environ, **own, "LOGNAME": "ada", **variables}


def files(home: Home) -> Mapping[str, bytes]:
    return {file.name: file.read_bytes() for file in (home.settings_file, home.env_file)}


async def test_from_nothing_to_an_answer_on_telegram(
    tmp_path: Path, running_daemon, run_gaia
) -> None:
    home = Home(tmp_path / "home")
    home.create()
    async with running_telegram() as telegram, running_model_server(api_key=MODEL_KEY) as models:
        home.settings_file.write_text(
            f"web: {{port: 0}}\nchannels: {{telegram: {{base_url: {telegram.url}}}}}\n"
        )

        async with window(*GAIA, "setup", environ=environ(home), lines=60) as first:
            await first.answer("Which one? [5]", "4")
            await first.answer("Look for Ollama", "n")
            await first.answer("Its address", models.openai_base_url)
            await first.answer("Its key", MODEL_KEY)
            await first.answer("Which model? [scripted]")
            await first.answer("Talk to gaia on Telegram?", "y")
            await first.answer("Its token", telegram.token)
            await first.answer("Talk to gaia on WhatsApp?")
            await first.answer("What should gaia call you? [Ada]")
            await first.answer("Your time zone")
            await first.answer("Start chatting now? [Y/n]", "")
            await first.shows("Hello, Ada.")
            first.type("\x04")
            assert await first.until_left() == 0
        assert COLOUR.search(first.bytes)
        for secret in (MODEL_KEY, telegram.token):
            assert secret.encode() not in first.bytes
        (said,) = (line for line in first.lines() if line.startswith("Your code: "))
        assert models.requests == ()
        written = files(home)

        plain = environ(home, NO_COLOR="1")
        async with window(*GAIA, "setup", environ=plain) as second:
            await second.answer("Change it? [y/N]", "y")
            await second.shows("Which one? [4]")
            second.type("\x03")
            assert await second.until_left() == 130
            await second.shows("Nothing was changed.")
        assert b"\x1b[" not in second.bytes.replace(b"\x1b[K", b"")
        assert files(home) == written

        async with running_daemon(home) as daemon:
            ada = telegram.person(100, "Ada")
            ada.writes(said.removeprefix("Your code: "))
            await telegram.until(lambda: len(telegram.texts(ada)) == 1)
            ada.writes("hello there")
            await telegram.until(lambda: len(telegram.texts(ada)) == 2)
            assert await daemon.terminate() == 0
        listed = await run_gaia(home, "users", "list")
        assert "telegram:100" in listed.stdout
        assert listed.stdout.count("owner") == 1
        logged = "".join(file.read_text() for file in home.logs.iterdir())
        for secret in (MODEL_KEY, telegram.token):
            assert secret not in logged + "\n".join(daemon.log)


ASKING = """
import sys, termios
from gaia.cli.console import ask_hidden

class Watched:
    def __getattr__(self, name):
        return getattr(sys.__stdout__, name)

    def write(self, text):
        shows = termios.tcgetattr(0)[3] & termios.ECHO
        return sys.__stdout__.write(f"{text} (what is typed shows)" if shows and text else text)

sys.stdout = sys.stderr = Watched()
sys.__stdout__.write(f"{len(ask_hidden('Its key'))} characters")
"""


async def test_a_key_that_is_pasted_as_soon_as_it_is_asked_for_does_not_show() -> None:
    async with window(sys.executable, "-c", ASKING, environ={**os.environ}) as terminal:
        await terminal.answer("Its key", MODEL_KEY)
        await terminal.shows(f"{len(MODEL_KEY)} characters")
        assert terminal.lines() == ["Its key:", f"{len(MODEL_KEY)} characters"]

"""`gaia setup` in this process, against scripted providers on loopback."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from gaia.cli.main import app
from gaia.cli.setup import Flags
from gaia.cli.setup.wizard import run
from gaia.paths import Home
from gaia.settings.load import load_settings
from gaia.settings.schema import Secrets, Settings
from tests.servers.model_server import ModelServer, running_model_server
from tests.servers.telegram import TelegramServer, running_telegram
from tests.servers.twilio import TwilioServer, running_twilio

MODEL_KEY = "canary-model-key-4711"
PROVIDERS = """\
# mine
channels:
  telegram:
    base_url: {telegram}  # for tests
  whatsapp:
    base_url: {twilio}
"""


class Shell:
    """Somebody with a shell. The home has a database, so that none has to be made."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.telegram_url = self.twilio_url = "http://127.0.0.1:9"

    async def walk(self, *answers: str, flags: Flags | None = None, **environ: str) -> str:
        """Answer the wizard's questions, which must be as many; returns what it says."""
        return _said(await self._ask(answers, flags, environ), 0)

    async def stop(self, *answers: str, **environ: str) -> str:
        """Answer some questions and leave at the next."""
        return _said(await self._ask(answers, None, environ), 130)

    async def call(self, *arguments: str, stdin: str = "", code: int = 0, **environ: str) -> str:
        """`gaia setup` with arguments; returns what it says."""
        return _said(await self.result(*arguments, stdin=stdin, **environ), code)

    async def done(self, *arguments: str, stdin: str = "", **environ: str) -> dict[str, Any]:
        """`gaia setup --yes --json`; returns what it tells a script."""
        said = await self.call("--yes", "--json", *arguments, stdin=stdin, **environ)
        told: dict[str, Any] = json.loads(said)
        return told

    async def result(self, *arguments: str, stdin: str = "", **environ: str) -> Result:
        return await asyncio.to_thread(
            CliRunner().invoke,
            app,
            ["setup", *arguments],
            input=stdin,
            env={"GAIA_HOME": str(self.home.root), **self._environ(environ)},
        )

    def knows_providers(self) -> None:
        """Have gaia.yaml lead to the scripted providers, with nothing else in it."""
        self.home.settings_file.write_text(
            PROVIDERS.format(telegram=self.telegram_url, twilio=self.twilio_url)
        )

    @property
    def settings(self) -> Settings:
        return load_settings(self.home, {}).settings

    @property
    def secrets(self) -> Secrets:
        return load_settings(self.home, {}).secrets

    def files(self) -> dict[str, bytes]:
        """What the owner's files hold."""
        files = (self.home.settings_file, self.home.env_file)
        return {file.name: file.read_bytes() for file in files if file.exists()}

    async def _ask(
        self, answers: Sequence[str], flags: Flags | None, environ: Mapping[str, str]
    ) -> Result:
        wizard, chosen = typer.Typer(), flags or Flags(service=False)
        wizard.command()(lambda: run(chosen, str(self.home.root), as_json=False))
        return await asyncio.to_thread(
            CliRunner().invoke,
            wizard,
            input="".join(f"{answer}\n" for answer in answers),
            env=self._environ(environ),
        )

    def _environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        return {"COLUMNS": "80", "LOGNAME": "ada_lovelace", **environ}


def _said(result: Result, code: int) -> str:
    assert result.exit_code == code, f"{result.exit_code}: {result.output} {result.exception!r}"
    return result.output


@pytest.fixture
def shell(tmp_path: Path, fresh_home: Home) -> Shell:
    return Shell(Home(shutil.copytree(fresh_home.root, tmp_path / "home")))


@pytest.fixture
async def telegram(shell: Shell) -> AsyncIterator[TelegramServer]:
    async with running_telegram() as telegram:
        shell.telegram_url = telegram.url
        shell.knows_providers()
        yield telegram


@pytest.fixture
async def twilio(shell: Shell) -> AsyncIterator[TwilioServer]:
    async with running_twilio() as twilio:
        shell.twilio_url = twilio.url
        shell.knows_providers()
        yield twilio


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with running_model_server(api_key=MODEL_KEY, keeps_open=False) as models:
        yield models

"""A canary in every secret, and a gaia whose providers fail and refuse: no canary is in what
it says, logs, stores or backs up."""

from __future__ import annotations

import base64
import json
import socket
import tarfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import httpx

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.settings.schema import Secrets
from gaia.settings.secrets import VARIABLES
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.harness.postgres import PostgresServer
from tests.harness.processes import DaemonProcess, Finished, talking
from tests.servers.model_server import ModelServer, Step, running_model_server
from tests.servers.serve import LOOPBACK
from tests.servers.telegram import TelegramServer, running_telegram
from tests.servers.twilio import TwilioServer, running_twilio

WORD = "xanthine"
DIGITS = "ca4a7e0"
ACCOUNT = "AC" + f"{DIGITS}1" * 4
SECRETS = {
    "gemini_api_key": f"AIza{WORD}-of-gemini",
    "openai_api_key": f"{WORD}/of+openai",
    "anthropic_api_key": f"sk-ant-{WORD}",
    "telegram_bot_token": f"7000000001:AA{WORD}-of-telegram-0123456789",
    "twilio_account_sid": ACCOUNT,
    "twilio_auth_token": f"{DIGITS}2" * 4,
    "backup_passphrase": f"{WORD} and other words",
}
DATABASE = "database_url"
"""It has a test of its own: with it gaia keeps everything elsewhere."""

REFUSED = {
    **SECRETS,
    "openai_api_key": f"{WORD}/of+yesterday",
    "telegram_bot_token": f"7000000001:AA{WORD}-of-yesterday-012345678",
    "twilio_auth_token": f"{DIGITS}3" * 4,
}
"""The same, but that three providers do not know theirs."""
TRACES = (WORD, DIGITS, base64.b64encode(ACCOUNT.encode())[:40].decode())
"""What says that a secret is there, a header of HTTP included."""

ON_TELEGRAM, ON_WHATSAPP = 100, "+4915100001000"
PUBLIC_URL = "https://gaia.example"
REPORTS = (
    "status",
    "doctor",
    "config show",
    "config diff",
    "config check",
    "logs --lines 10000",
    "audit",
    "costs",
    "jobs",
    "backup list",
    "outbox list",
    "users list",
    "service status",
)
CODES = {"doctor": 4, "service status": 3}
RunGaia = Callable[..., Awaitable[Finished]]
RunningDaemon = Callable[..., AbstractAsyncContextManager[DaemonProcess]]


@dataclass(frozen=True, slots=True)
class House:
    """A home with all channels, and where its servers listen."""

    home: Home
    model: ModelServer
    telegram: TelegramServer
    twilio: TwilioServer
    web_port: int
    metrics_port: int

    async def let_in(self) -> None:
        """Make Ada the owner, wherever she writes from."""
        database = await open_database(self.home)
        users = Users(database, SystemClock())
        ada = await users.create("ada", Role.OWNER, Address("terminal", "ada"))
        await users.link(ada, Address("telegram", str(ON_TELEGRAM)))
        await users.link(ada, Address("whatsapp", ON_WHATSAPP))
        await database.close()

    def write(
        self, secrets: Mapping[str, str], provider: str = "openai", currency: str = "EUR"
    ) -> None:
        """Write the settings, and the secrets beside them."""
        model = {"provider": provider, "name": "fake", "retries": 0}
        openai = provider == "openai"
        model["base_url"] = self.model.openai_base_url if openai else self.model.url
        telegram = {"enabled": True, "base_url": self.telegram.url}
        whatsapp = {
            "enabled": True,
            "number": self.twilio.number,
            "public_url": PUBLIC_URL,
            "base_url": self.twilio.url,
        }
        settings = {
            "model": model,
            "channels": {"telegram": telegram, "whatsapp": whatsapp},
            "sessions": {"settle_seconds": 0},
            "web": {"port": self.web_port},
            "metrics": {"enabled": True, "port": self.metrics_port},
            "logging": {"level": "DEBUG"},
            "costs": {"currency": currency},
        }
        lines = [f"{VARIABLES[name][0]}={secret!r}\n" for name, secret in secrets.items()]
        self.home.env_file.touch(mode=0o600)
        self.home.env_file.write_text("".join(lines))
        self.home.settings_file.write_text(json.dumps(settings))

    @property
    def pages(self) -> Sequence[str]:
        """What can be asked for on its ports."""
        web = [f"http://{LOOPBACK}:{self.web_port}/{page}" for page in ("healthz", "readyz")]
        return [*web, f"http://{LOOPBACK}:{self.metrics_port}/metrics"]


class Heard:
    """All that was said, by who said it."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def note(self, who: str, text: str) -> str:
        """Keep what was said, which is not nothing."""
        assert text, f"{who} says nothing"
        self._texts[f"{who} ({len(self._texts)})"] = text
        return text

    def told(self) -> Mapping[str, str]:
        """Where there is a secret, with what stands around it."""
        return {who: traces(text) for who, text in self._texts.items() if traces(text)}


def traces(text: str) -> str:
    """What stands around the first secret; empty if there is none."""
    found = [text.find(each) for each in TRACES if each in text]
    return text[max(0, min(found) - 80) : min(found) + 80] if found else ""


def test_no_secret_is_without_a_canary() -> None:
    assert {*SECRETS, DATABASE} == set(Secrets.model_fields)
    assert all(traces(secret) for secret in [*SECRETS.values(), *REFUSED.values()])


async def test_no_canary_is_anywhere_but_where_secrets_belong(
    home: Home, tmp_path: Path, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    heard = Heard()

    async def gaia(command: str, *, code: int = 0) -> str:
        finished = await run_gaia(home, *command.split(), "--json")
        assert finished.code == code, (command, finished)
        heard.note(f"{command}, stderr", finished.stderr + ".")
        return heard.note(command, finished.stdout)

    async with (
        running_model_server(api_key=SECRETS["openai_api_key"]) as model,
        running_telegram(SystemClock(), token=SECRETS["telegram_bot_token"]) as telegram,
        running_twilio(
            SystemClock(), account_sid=ACCOUNT, auth_token=SECRETS["twilio_auth_token"]
        ) as twilio,
    ):
        house = House(home, model, telegram, twilio, free_port(), free_port())
        twilio.calls(PUBLIC_URL, at=f"http://{LOOPBACK}:{house.web_port}")
        await house.let_in()
        house.write(SECRETS)
        async with running_daemon(home) as daemon, talking(home, "ada") as ada:
            here = telegram.person(ON_TELEGRAM, "Ada")
            there = twilio.person(ON_WHATSAPP, "Ada")
            here.writes("hello")
            there.writes("hello")
            await telegram.until(lambda: telegram.texts(here) == ["echo: hello"])
            await twilio.until(lambda: twilio.texts(there) == ["echo: hello"])
            heard.note("/status", await ada.ask("/status"))
            model.script(Step(status=400, times=None), api_key=SECRETS["openai_api_key"])
            heard.note("a failing provider", await ada.ask("What now?"))

            house.write(REFUSED)
            await daemon.until_logged("GAIA_TELEGRAM_BOT_TOKEN is")
            for provider in ("openai", "gemini", "anthropic"):
                house.write(REFUSED, provider)
                if provider != "openai":
                    await daemon.until_logged(f'is now "{provider}"')
                heard.note(f"a refusing {provider}", await ada.ask("And now?"))
            assert [each.status for each in model.requests[-3:]] == [401] * 3
            house.write(REFUSED, currency=SECRETS["telegram_bot_token"])
            await daemon.until_logged("the settings stay as they were")
            heard.note("/status", await ada.ask("/status"))
            await gaia("config check", code=78)
            await gaia("status")
            house.write(REFUSED)
            await daemon.until_logged("settings changed")

            for command in REPORTS:
                await gaia(command, code=CODES.get(command, 0))
            async with httpx.AsyncClient() as client:
                for address in house.pages:
                    heard.note(address, (await client.get(address)).text)
            made = json.loads(await gaia(f"backup create --no-encrypt --to {tmp_path}"))
            with_secrets = json.loads(
                await gaia(f"backup create --no-encrypt --with-secrets --to {tmp_path}")
            )
            await gaia(f"backup verify {with_secrets['path']}")
            heard.note("live files", "".join(telling_files(home)) + ".")
            assert await daemon.terminate() == 0
        heard.note("standard error", "\n".join(daemon.log))
        replies = [*telegram.texts(here), *twilio.texts(there), *ada.replies]
        heard.note("replies", "\n".join(replies))

    assert heard.told() == {}
    assert list(telling_files(home)) == []
    assert list(telling_members(Path(made["path"]))) == []
    assert list(telling_members(Path(with_secrets["path"]))) == [".env"]
    logged = "\n".join(daemon.log)
    assert "incorrect API key provided" not in logged, "a host may quote what it was asked"
    assert "HTTP Request" not in logged


def free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as free:
        return int(free.getsockname()[1])


def telling_files(home: Home) -> Iterator[str]:
    """The files of the home that hold a secret, but `.env`."""
    for file in sorted(home.root.rglob("*")):
        if file.is_file() and file != home.env_file and traces(file.read_bytes().decode("latin1")):
            yield str(file.relative_to(home.root))


def telling_members(archive: Path) -> Iterator[str]:
    """The files of a backup that hold a secret; `whole` for what is no file of it."""
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member)
            told = file.read() if file is not None else b""
            if traces(told.decode("latin1")) or traces(str(member.get_info())):
                yield member.name


async def test_the_password_of_a_database_is_nowhere_else(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon, postgres: PostgresServer
) -> None:
    heard = Heard()
    url = postgres.database().set(password=f"{WORD}/of+the@database")
    home.env_file.write_text(f"{VARIABLES[DATABASE][0]}={url.render_as_string(False)}\n")
    home.env_file.chmod(0o600)
    home.settings_file.write_text(
        f"model: {{provider: openai, name: fake, base_url: 'http://{LOOPBACK}:9/v1'}}\n"
        f"web: {{port: {free_port()}}}\n"
    )

    async def report() -> None:
        for command in (*REPORTS, "database show", "memory list", "backup create"):
            finished = await run_gaia(home, *command.split(), "--json")
            heard.note(command, f"{finished.stdout} {finished.stderr}")

    await report()
    async with running_daemon(home) as daemon:
        await report()
        postgres.kill()
        await report()
        postgres.restart()
        await daemon.terminate()
        heard.note("daemon", "\n".join(daemon.log))
    for file in home.root.rglob("*"):
        if file.is_file() and file != home.env_file:
            heard.note(file.name, f"{file.name} {file.read_bytes().decode(errors='replace')}")
    assert heard.told() == {}

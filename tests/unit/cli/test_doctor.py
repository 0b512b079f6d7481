"""`gaia doctor`, as it is called."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from typer.testing import CliRunner, Result

from gaia.cli.console import WaitingLine
from gaia.cli.doctor import Columns, summary, wants_colour
from gaia.cli.main import app
from gaia.findings import Check, Finding, failed, ok, warning
from gaia.ops.doctor.checks import Examined
from gaia.ops.mounts import MOUNTS
from gaia.paths import Home
from gaia.store.location import in_file
from tests.servers.serve import serving

SID = "AC" + "ca11" * 8
TWILIO_TOKEN = "ca4a4900" * 4
BOT_SECRET = "AAcanary-canary-canary-canary-canary"
MODEL_KEY = "canary-of-the-model"
SECRETS = {
    "OPENAI_API_KEY": MODEL_KEY,
    "GAIA_TELEGRAM_BOT_TOKEN": f"123456789:{BOT_SECRET}",
    "GAIA_TWILIO_ACCOUNT_SID": SID,
    "GAIA_TWILIO_AUTH_TOKEN": TWILIO_TOKEN,
}

NOWHERE = "http://127.0.0.1:1/v1"
"""A host that is not there: no test asks a real one."""

BOTH_CHANNELS = """\
model: {{base_url: {url}}}
channels:
  telegram:
    enabled: true
    base_url: {url}
  whatsapp:
    enabled: true
    number: "+14155550100"
    public_url: {url}
    base_url: {url}
"""

XTERM = {"TERM": "xterm"}
LONG = "nobody at all answers there, however long and however often it is asked"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    home.settings_file.write_text(f"model: {{base_url: {NOWHERE}}}\nweb: {{port: 0}}\n")
    home.settings_file.chmod(0o600)
    return home


FILE_SYSTEM = {"file system": "ok"} if MOUNTS.exists() else {}
"""What is said of the disk where gaia.db is."""


def run(home: Home, *arguments: str, **variables: str) -> Result:
    own = {"HOME": str(home.root.parent), "XDG_CONFIG_HOME": None}
    environ = {"GAIA_HOME": str(home.root), "COLUMNS": "80", **own, **variables}
    return CliRunner().invoke(app, ["doctor", *arguments], env=environ)


def outcomes(result: Result) -> Mapping[str, str]:
    found = json.loads(result.stdout)["findings"]
    return {finding["check"]: finding["outcome"] for finding in found}


def findings(result: Result, check: str) -> list[dict[str, str]]:
    return [each for each in json.loads(result.stdout)["findings"] if each["check"] == check]


def test_a_home_in_which_nothing_runs_yet(home: Home) -> None:
    result = run(home, "--json", OPENAI_API_KEY="x")
    assert result.exit_code == 0
    assert outcomes(result) == {
        "home": "ok",
        "permissions": "ok",
        "disk": "ok",
        **(FILE_SYSTEM if in_file(home) else {}),
        "versions": "ok",
        "time zone": "ok",
        "user time zones": "ok",
        "packages": "ok",
        "configuration": "ok",
        "database": "ok",
        "journals": "ok",
        "daemon": "warning",
        "leftovers": "ok",
        "service": "ok",
        "settings in use": "skipped",
        "backups": "ok",
        "memory index": "ok",
        "web port": "skipped",
        "model": "ok",
        "model host": "warning",
        "clock": "skipped",
    }
    assert json.loads(result.stdout)["ok"] is True


def test_a_gaia_that_others_wait_for_has_to_run(home: Home, tmp_path: Path) -> None:
    unit = tmp_path / "config" / "systemd" / "user" / "gaia.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    service = run(home, "--json", OPENAI_API_KEY="x", XDG_CONFIG_HOME=str(tmp_path / "config"))
    assert outcomes(service)["daemon"] == "failed"
    home.settings_file.write_text(BOTH_CHANNELS.format(url=NOWHERE))
    assert outcomes(run(home, "--json", OPENAI_API_KEY="x"))["daemon"] == "failed"


def test_without_a_home_nothing_is_made(tmp_path: Path) -> None:
    result = run(Home(tmp_path / "home"), "--json", OPENAI_API_KEY="x")
    found = outcomes(result)
    assert (result.exit_code, found["home"], found["database"]) == (4, "failed", "skipped")
    assert not (tmp_path / "home").exists()


def test_each_mistake_in_the_settings_is_told_with_its_line(home: Home) -> None:
    home.settings_file.write_text("web: {port: -1}\nnmae: x\n")
    result = run(home)
    assert result.exit_code == 4
    assert "line 1, column 13: web.port" in " ".join(result.stdout.split())
    assert "line 2, column 1: nmae" in " ".join(result.stdout.split())
    assert "skipped  model" in result.stdout
    assert "skipped  channels" in result.stdout


def test_warnings_of_the_settings_are_warnings(home: Home) -> None:
    home.env_file.write_text("OPENAI_API_KEY=x\n")
    home.env_file.chmod(0o644)
    (finding,) = findings(run(home, "--json"), "configuration")
    assert finding["outcome"] == "warning"
    assert f"chmod 600 {home.env_file}" in finding["detail"]


def test_fix_mends_what_is_open_says_so_and_leaves_nothing_to_do(home: Home) -> None:
    home.env_file.write_text("OPENAI_API_KEY=x\n")
    home.env_file.chmod(0o644)
    home.root.chmod(0o755)
    offered = run(home)
    assert offered.stdout.count("'gaia doctor --fix' fixes it.") == 2
    fixed = run(home, "--fix")
    assert f"{home.root} is private now" in " ".join(fixed.stdout.split())
    assert fixed.stdout.startswith("fixed    home ")
    assert fixed.stdout.endswith("2 warnings, 2 fixes made.\n")
    assert "fixed" not in run(home, "--fix").stdout


def test_a_model_without_a_key_or_weights_fails(home: Home) -> None:
    home.settings_file.write_text("model: {provider: embedded}\n")
    assert "gaia model pull" in run(home).stdout
    home.settings_file.write_text("model: {provider: gemini}\n")
    assert "GEMINI_API_KEY is not set" in " ".join(run(home).stdout.split())


def test_secrets_that_are_missing_are_told_with_the_line_that_needs_them(home: Home) -> None:
    home.settings_file.write_text(BOTH_CHANNELS.format(url=NOWHERE))
    result = run(home, "--json", OPENAI_API_KEY="x")
    details = [each["detail"] for each in findings(result, "whatsapp secrets")]
    assert len(details) == 2
    assert f"{home.settings_file}, line 7: channels.whatsapp.enabled" in details[0]
    found = outcomes(result)
    assert found["telegram token"] == "skipped"
    assert found["whatsapp account"] == found["whatsapp address"] == "skipped"


def test_lines_are_no_wider_than_the_terminal(home: Home) -> None:
    home.settings_file.write_text("model: {provider: gemini}\nweb: {prot: 1}\n")
    lines = run(home).stdout.replace(str(home.root), "/home/ada/.gaia").splitlines()
    assert max(map(len, lines)) <= 80


async def test_no_secret_is_shown_whoever_repeats_it(home: Home) -> None:
    async def repeat(request: Request) -> Response:
        told = f"{request.url} {dict(request.headers)} {SECRETS}"
        headers = {"location": f"/{TWILIO_TOKEN}"}
        return Response(told, 301 if "hooks" in request.url.path else 400, headers)

    async def whole() -> list[Result]:
        routes = [Route("/{path:path}", repeat, methods=["GET", "POST"])]
        async with serving(Starlette(routes=routes), keeps_open=False) as url:
            home.settings_file.write_text(BOTH_CHANNELS.format(url=url))
            return [
                await asyncio.to_thread(run, home, *arguments, **SECRETS)
                for arguments in ((), ("--json",))
            ]

    text, document = await whole()
    found = outcomes(document)
    assert {found[f"whatsapp {part}"] for part in ("account", "address")} == {"failed"}
    assert found["telegram token"] == found["model host"] == "failed"
    for secret in (SID, TWILIO_TOKEN, BOT_SECRET, MODEL_KEY):
        assert secret not in text.output + document.output


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


async def nothing() -> Sequence[Finding]:
    return []


def told(*findings: Finding, width: int = 60, is_coloured: bool = False) -> str:
    columns = Columns([Check("address", nothing)], width=width, is_coloured=is_coloured)
    return columns.told(Examined("address", findings))


def test_a_finding_is_a_line_and_its_remedy_stands_below() -> None:
    assert told(ok("is fine"), failed("is not", "Mend it.")).splitlines() == [
        "ok       address  is fine",
        "failed   address  is not",
        "         Mend it.",
    ]


def test_long_words_are_broken_at_blanks_under_their_column() -> None:
    assert told(failed(LONG, LONG)).splitlines() == [
        "failed   address  nobody at all answers there, however long",
        "                  and however often it is asked",
        "         nobody at all answers there, however long and",
        "         however often it is asked",
    ]


@pytest.mark.parametrize("width", [1, 20, 40, 80])
def test_an_address_is_never_broken(width: int) -> None:
    url = "https://gaia.example/" + "-very-long" * 10
    assert url in told(failed(f"see {url}", f"open {url}"), width=width)


def test_nothing_that_a_terminal_obeys_is_shown() -> None:
    shown = told(failed("a\x1b[2Jb\x07\nc", "d\x9b31me"))
    assert shown.splitlines() == ["failed   address  ab c", "         de"]


def test_the_outcome_alone_is_coloured_and_columns_stay() -> None:
    plain = told(warning("is odd", "Look."))
    coloured = told(warning("is odd", "Look."), is_coloured=True)
    assert coloured == plain.replace("warning", "\x1b[33mwarning\x1b[0m")


def test_the_last_line_counts_what_there_is_to_do() -> None:
    assert summary([Examined("a", [ok("")])]) == "\nEverything is ok."
    found = [Examined("a", [failed("", ""), failed("", "")]), Examined("b", [warning("")])]
    assert summary(found) == "\n2 failures, 1 warning."


def test_colours_are_for_terminals_that_nobody_wants_plain() -> None:
    assert wants_colour(Terminal(), XTERM)
    assert wants_colour(Terminal(), {**XTERM, "NO_COLOR": ""})
    assert not wants_colour(Terminal(), {**XTERM, "NO_COLOR": "1"})
    assert not wants_colour(Terminal(), {"TERM": "dumb"})
    assert not wants_colour(StringIO(), XTERM)


def test_what_is_waited_for_is_said_and_taken_away() -> None:
    terminal = Terminal()
    line = WaitingLine(terminal, XTERM)
    line.clear()
    assert terminal.getvalue() == ""
    line.say("address")
    assert terminal.getvalue() == "\r\x1b[Kchecking address ..."
    line.clear()
    line.clear()
    assert terminal.getvalue() == "\r\x1b[Kchecking address ...\r\x1b[K"


@pytest.mark.parametrize(
    ("stream", "environ"), [(StringIO(), XTERM), (Terminal(), {"TERM": "dumb"})]
)
def test_nothing_is_said_where_it_could_not_be_taken_away(
    stream: StringIO, environ: dict[str, str]
) -> None:
    line = WaitingLine(stream, environ)
    line.say("address")
    line.clear()
    assert stream.getvalue() == ""

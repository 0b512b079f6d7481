"""`gaia setup` without questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gaia.paths import Home
from tests.servers.model_server import ModelServer
from tests.servers.model_server.app import MODEL
from tests.servers.telegram import TelegramServer
from tests.servers.twilio import TwilioServer

KEY = "canary-model-key-4711"
WRONG_TOKEN = "123456789:AAcanary-canary-canary-canary-canary"
TOKEN = "GAIA_TELEGRAM_BOT_TOKEN"
TWILIO_TOKEN = "GAIA_TWILIO_AUTH_TOKEN"


async def test_without_a_terminal_the_flags_are_named(shell) -> None:
    said = await shell.call(code=2)
    assert "--yes --model gemini --telegram --name Ada" in " ".join(said.replace("│", "").split())
    assert shell.files() == {}


async def test_all_of_it_by_flags(
    shell, telegram: TelegramServer, twilio: TwilioServer, models: ModelServer, tmp_path: Path
) -> None:
    key_file = tmp_path / "key"
    key_file.write_text(f"{KEY}\n")
    flags = [
        *("--model", "openai", "--model-url", models.openai_base_url),
        *("--model-key-file", str(key_file), "--telegram", "--telegram-token-file", "-"),
        *("--whatsapp", "--whatsapp-number", twilio.number, "--twilio-account", twilio.account_sid),
        *("--public-url", "https://gaia.example.org", "--name", "Ada"),
    ]
    environ = {TWILIO_TOKEN: twilio.auth_token}
    done = await shell.done(*flags, stdin=telegram.token, **environ)
    assert done["model"] == {"provider": "openai", "name": MODEL}
    assert done["channels"] == ["telegram", "whatsapp"]
    assert done["telegram_bot"] == telegram.bot_username
    assert done["webhook"] == "https://gaia.example.org/hooks/whatsapp"
    assert done["owners"] == ["Ada"]
    assert done["written"] == [str(shell.home.env_file), str(shell.home.settings_file)]
    code = done["pairing_code"]
    assert done["pairing_links"]["whatsapp"] == f"https://wa.me/14155238886?text={code}"
    assert done["notes"] == []
    assert sorted(shell.secrets.values()) == sorted(
        [KEY, telegram.token, twilio.account_sid, twilio.auth_token]
    )
    before = shell.files()
    again = await shell.done(*flags, stdin=telegram.token, **environ)
    assert (again["written"], again["pairing_code"]) == ([], None)
    assert shell.files() == before
    for secret in (KEY, telegram.token, twilio.auth_token):
        assert secret not in json.dumps([done, again])


async def test_what_no_flag_names_stays_as_it_is(shell, telegram: TelegramServer) -> None:
    shell.home.env_file.write_text("# mine\nOPENAI_API_KEY=old\n")
    shell.home.env_file.chmod(0o600)
    await shell.done("--telegram", **{TOKEN: telegram.token, "OPENAI_API_KEY": "new"})
    settings, text = shell.settings, shell.home.env_file.read_text()
    assert settings.channels.telegram.enabled
    assert settings.model.provider == "auto"
    assert text.startswith("# mine\nOPENAI_API_KEY=old\n")
    assert b"# for tests" in shell.files()["gaia.yaml"]


async def test_a_key_that_differs_from_the_file_is_told_and_neither_is_shown(shell) -> None:
    shell.home.env_file.write_text("OPENAI_API_KEY=canary-old\n")
    shell.home.env_file.chmod(0o600)
    done = await shell.done(OPENAI_API_KEY="canary-new")
    assert "OPENAI_API_KEY differs between this shell and .env" in done["notes"][0]
    assert "canary" not in json.dumps(done)


async def test_keys_of_the_environment_stay_there_if_they_should(shell) -> None:
    flags = ("--model", "gemini", "--no-check")
    await shell.done(*flags, "--no-save-keys", GEMINI_API_KEY=KEY)
    assert not shell.home.env_file.exists()
    await shell.done(*flags, GEMINI_API_KEY=KEY)
    assert shell.secrets.values() == [KEY]


async def test_a_refused_token_ends_it_and_nothing_is_written(
    shell, telegram: TelegramServer
) -> None:
    before = shell.files()
    result = await shell.result("--yes", "--telegram", **{TOKEN: WRONG_TOKEN})
    assert str(result.exception).startswith("Telegram refuses the token: Unauthorized")
    assert result.exception.exit_code == 4
    assert "canary" not in f"{result.exception!r} {result.output}"
    assert shell.files() == before


async def test_what_cannot_be_tried_is_noted_and_kept(shell, unused_tcp_port: int) -> None:
    shell.telegram_url = f"http://127.0.0.1:{unused_tcp_port}"
    shell.knows_providers()
    done = await shell.done("--telegram", **{TOKEN: WRONG_TOKEN})
    assert "Telegram cannot be reached" in done["notes"][0]
    assert "canary" not in json.dumps(done)
    assert shell.secrets.values() == [WRONG_TOKEN]


async def test_nobody_is_asked_if_nothing_is_to_be_tried(shell, telegram: TelegramServer) -> None:
    done = await shell.done("--telegram", "--no-check", **{TOKEN: WRONG_TOKEN})
    assert done["notes"] == []
    assert done["telegram_bot"] is None
    assert done["pairing_code"] is not None


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--telegram"], "--telegram-token-file"),
        (["--whatsapp", "--whatsapp-number", "+14155238886"], "no public address"),
        (["--whatsapp"], "for --whatsapp-number: there is no number"),
        (["--whatsapp-number", "1 2"], "'1 2' is no number on WhatsApp"),
        (["--model", "gemini"], "GEMINI_API_KEY is not set"),
        (["--model-url", "here"], "'here' is no address of a model"),
        (
            ["--model-url", "http://localhost:1234/v1/chat/completions"],
            "did you mean http://localhost:1234/v1?",
        ),
        (["--model-key-file", "/dev/null"], "does not hold one secret"),
        (["--model-key-file", "/nowhere"], "cannot be read"),
        (["--model-key-file", "-", "--telegram-token-file", "-"], "holds one secret"),
        (["--model", "embedded", "--model-name", "mine"], "'mine'"),
        (["--name", "@ada"], "looks like a mention"),
        (["--name", ""], "has 0 characters"),
        (["--timezone", "Mars"], "there is no time zone called 'Mars'"),
    ],
)
async def test_flags_that_are_not_enough_say_what_is_missing(
    shell, flags: list[str], told: str
) -> None:
    result = await shell.result("--yes", *flags)
    assert result.exit_code == 2
    said = " ".join(f"{result.output} {result.exception}".replace("│", "").split())
    assert told in said
    assert shell.files() == {}


async def test_a_home_of_ones_own_is_made_private_and_told_of(shell, tmp_path: Path) -> None:
    elsewhere = Home(tmp_path / "else where")
    said = await shell.call("--yes", "--home", str(elsewhere.root), "--name", "Ada")
    assert f"export GAIA_HOME='{elsewhere.root}'" in said
    assert elsewhere.settings_file.read_text().startswith("# gaia's settings")
    assert elsewhere.root.stat().st_mode & 0o777 == 0o700


async def test_a_home_that_cannot_be_is_told(shell, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    result = await shell.result("--yes", "--home", str(file / "home"))
    assert "is not a folder" in str(result.exception)


async def test_a_service_is_written_and_what_is_left_to_do_is_told(shell, tmp_path: Path) -> None:
    units = tmp_path / "config"
    done = await shell.done("--service", PATH=str(tmp_path), XDG_CONFIG_HOME=str(units))
    (unit,) = units.rglob("*.service")
    assert str(unit) in done["service"]
    assert done["service"].startswith("systemd does not answer here")
    assert "gaia serve" in done["next"]

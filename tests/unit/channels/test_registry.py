from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import SecretStr

from channels.registry import build_channels
from channels.terminal import Greeting
from gaia.errors import SettingsError
from gaia.messages import Address
from gaia.ports import Channel, Hooked
from gaia.settings.schema import (
    ChannelsSettings,
    Secrets,
    TelegramSettings,
    TerminalSettings,
    WhatsAppSettings,
)
from gaia.testing.clock import FakeClock

TOKEN = "123456789:AAcanary-canary-canary-canary-canary"
ON = ChannelsSettings(telegram=TelegramSettings(enabled=True))
WHATSAPP = ChannelsSettings(
    whatsapp=WhatsAppSettings(
        enabled=True, number="+14155238886", public_url="https://gaia.example"
    )
)
OFF = ChannelsSettings(terminal=TerminalSettings(enabled=False))


class AnyoneIsWelcome:
    async def greet(self, address: Address) -> Greeting:
        return Greeting(address.sender, "Echo", embedded=False, created=False, conversation_turns=0)


def build(
    settings: ChannelsSettings, token: str | None = None, *, hosted: bool = False
) -> dict[str, Channel]:
    secrets = Secrets(telegram_bot_token=SecretStr(token) if token is not None else None)
    return build_channels(
        settings,
        secrets,
        terminal_login=AnyoneIsWelcome(),
        clock=FakeClock(),
        version="0",
        hosted=hosted,
    )


def test_the_channels_are_those_of_the_settings() -> None:
    assert list(build(ChannelsSettings())) == ["terminal"]
    assert list(build(OFF)) == []
    assert list(build(ON, TOKEN)) == ["terminal", "telegram"]


def test_a_token_may_have_blanks_around_it() -> None:
    assert "telegram" in build(ON, f" {TOKEN}\n")


def test_what_a_chat_hosts_has_the_terminal_alone() -> None:
    assert list(build(ON, TOKEN, hosted=True)) == ["terminal"]
    assert list(build(ON, hosted=True)) == ["terminal"]
    assert list(build(OFF, hosted=True)) == ["terminal"]


@pytest.mark.parametrize("token", [None, "", "  "])
def test_an_enabled_channel_without_a_token_is_a_mistake(token: str | None) -> None:
    with pytest.raises(SettingsError) as raised:
        build(ON, token)
    assert "GAIA_TELEGRAM_BOT_TOKEN is not set" in str(raised.value)
    assert raised.value.exit_code == 78


@pytest.mark.parametrize("token", ["canary", f"{TOKEN}!", f"bot{TOKEN}", "123456789:canary"])
def test_a_token_of_a_wrong_shape_is_a_mistake_that_does_not_show_it(token: str) -> None:
    with pytest.raises(SettingsError) as raised:
        build(ON, token)
    assert "GAIA_TELEGRAM_BOT_TOKEN" in str(raised.value)
    assert "canary" not in str(raised.value)


def test_whatsapp_is_built_with_its_account_and_its_token() -> None:
    secrets = Secrets(
        twilio_account_sid=SecretStr(f"AC{'0' * 32}"), twilio_auth_token=SecretStr("a" * 32)
    )
    built = build_channels(
        WHATSAPP,
        secrets,
        terminal_login=AnyoneIsWelcome(),
        clock=FakeClock(),
        version="0",
        hosted=False,
    )
    assert list(built) == ["terminal", "whatsapp"]
    assert isinstance(built["whatsapp"], Hooked)
    assert list(build(WHATSAPP, hosted=True)) == ["terminal"]


def test_whatsapp_without_its_secrets_is_a_mistake() -> None:
    with pytest.raises(SettingsError, match="GAIA_TWILIO_AUTH_TOKEN is not set"):
        build(WHATSAPP)


def test_a_channel_that_is_off_loads_no_library() -> None:
    code = "import sys, channels.registry; print({'telegram', 'twilio'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

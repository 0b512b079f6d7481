from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import SecretStr

from channels.registry import build_channels
from channels.terminal import Greeting
from gaia.errors import SettingsError
from gaia.messages import Address
from gaia.ports import Channel
from gaia.settings.schema import ChannelsSettings, Secrets, TelegramSettings, TerminalSettings
from gaia.testing.clock import FakeClock

TOKEN = "123456789:AAcanary-canary-canary-canary-canary"
ON = ChannelsSettings(telegram=TelegramSettings(enabled=True))
OFF = ChannelsSettings(terminal=TerminalSettings(enabled=False))


class AnyoneIsWelcome:
    async def greet(self, address: Address) -> Greeting:
        return Greeting(address.sender, "Echo", embedded=False, created=False, conversation_turns=0)


def build(
    settings: ChannelsSettings, token: str | None = None, *, hosted: bool = False
) -> dict[str, Channel]:
    secrets = Secrets(telegram_bot_token=SecretStr(token) if token is not None else None)
    return build_channels(
        settings, secrets, greeter=AnyoneIsWelcome(), clock=FakeClock(), version="0", hosted=hosted
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


def test_a_channel_that_is_off_loads_no_library() -> None:
    code = "import sys, channels.registry; print('telegram' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

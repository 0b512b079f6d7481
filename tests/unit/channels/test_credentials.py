"""The secrets of channels. That of Telegram is tried in test_registry as well."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from channels.credentials import TwilioCredentials, telegram_token, twilio_credentials
from gaia.errors import SettingsError
from gaia.settings.schema import Secrets

SID = "AC" + "0123456789abcdef" * 2
TOKEN = "fedcba9876543210" * 2


def twilio(sid: str | None, token: str | None) -> TwilioCredentials:
    return twilio_credentials(
        Secrets(
            twilio_account_sid=None if sid is None else SecretStr(sid),
            twilio_auth_token=None if token is None else SecretStr(token),
        )
    )


def test_both_of_twilio_are_taken_with_blanks_around_them() -> None:
    found = twilio(f" {SID}\n", f"{TOKEN} ")
    assert (found.account_sid, found.auth_token) == (SID, TOKEN)


def test_credentials_do_not_show_themselves() -> None:
    assert TOKEN not in repr(twilio(SID, TOKEN))


def test_all_that_is_missing_is_told_at_once() -> None:
    with pytest.raises(SettingsError) as raised:
        twilio(None, "  ")
    told = [str(mistake) for mistake in raised.value.mistakes]
    assert len(told) == 2
    assert "channels.whatsapp.enabled is true, and GAIA_TWILIO_ACCOUNT_SID is not set" in told[0]
    assert "GAIA_TWILIO_AUTH_TOKEN is not set" in told[1]


@pytest.mark.parametrize("token", ["canary", f"{TOKEN}0", f"{TOKEN[:-1]}x", SID, TOKEN[:-1] + "٣"])
def test_a_token_of_a_wrong_shape_is_told_and_not_shown(token: str) -> None:
    with pytest.raises(SettingsError) as raised:
        twilio(SID, token)
    (mistake,) = raised.value.mistakes
    assert "GAIA_TWILIO_AUTH_TOKEN holds does not look like one" in str(mistake)
    assert token not in str(mistake)


@pytest.mark.parametrize("sid", [TOKEN, f"SK{SID[2:]}", f"{SID}0"])
def test_the_id_of_something_else_than_an_account_is_told(sid: str) -> None:
    with pytest.raises(SettingsError, match="GAIA_TWILIO_ACCOUNT_SID"):
        twilio(sid, TOKEN)


def test_a_token_of_telegram_is_taken_as_it_is() -> None:
    token = "123456789:" + "A" * 35
    assert telegram_token(Secrets(telegram_bot_token=SecretStr(token))) == token

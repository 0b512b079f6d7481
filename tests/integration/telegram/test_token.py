"""Whether Telegram takes the token, as `gaia doctor` finds out."""

from __future__ import annotations

import pytest

from channels.telegram.doctor import look_at_token
from channels.telegram.timing import Timing
from gaia.findings import Finding, Outcome
from gaia.settings.schema import TelegramSettings
from gaia.testing.telegram import Fault, Hang, ServerError, TelegramServer, TooManyRequests

UNKNOWN = "7000000001:AAunknown-token-canary-canary-canary"
IMPATIENT = Timing(connect=0.1, read=0.1, write=0.1, pool=0.1)


async def found(telegram: TelegramServer, token: str) -> Finding:
    settings = TelegramSettings(base_url=telegram.url)
    (finding,) = await look_at_token(settings, token, IMPATIENT)
    assert token.partition(":")[2] not in finding.detail + finding.remedy
    return finding


async def test_a_token_that_is_taken_is_told_with_its_bot(telegram: TelegramServer) -> None:
    finding = await found(telegram, telegram.token)
    assert finding.outcome is Outcome.OK
    assert f"@{telegram.bot_username}" in finding.detail


async def test_a_token_that_is_refused_has_to_be_copied_anew(telegram: TelegramServer) -> None:
    finding = await found(telegram, UNKNOWN)
    assert finding.outcome is Outcome.FAILED
    assert "@BotFather" in finding.remedy


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (TooManyRequests(7), Outcome.WARNING),
        (ServerError(), Outcome.FAILED),
        (Hang(), Outcome.FAILED),
    ],
)
async def test_each_way_to_fail_is_told(
    telegram: TelegramServer, fault: Fault, outcome: Outcome
) -> None:
    telegram.faults = lambda request: fault
    finding = await found(telegram, telegram.token)
    assert finding.outcome is outcome
    assert finding.remedy

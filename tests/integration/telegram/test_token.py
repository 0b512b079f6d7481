"""Whether Telegram takes the token and brings updates, as `gaia doctor` finds out."""

from __future__ import annotations

import pytest

from channels.telegram.api import Timing
from channels.telegram.doctor import TIMING, look_at_token, look_at_updates
from gaia.findings import Finding, Outcome
from gaia.messages import Health
from gaia.settings.schema import TelegramSettings
from tests.servers.telegram import Fault, Hang, ServerError, TelegramServer, TooManyRequests

UNKNOWN = "7000000001:AAunknown-token-canary-canary-canary"
# Only where the answer does not come: a machine under load takes longer to answer.
IMPATIENT = Timing(read=0.1)


async def found(telegram: TelegramServer, token: str, timing: Timing = TIMING) -> Finding:
    settings = TelegramSettings(base_url=telegram.url)
    (finding,) = await look_at_token(settings, token, timing)
    assert token.partition(":")[2] not in finding.detail + finding.remedy
    return finding


async def test_a_token_that_is_taken_is_told_with_its_bot(telegram: TelegramServer) -> None:
    finding = await found(telegram, telegram.token)
    assert finding.outcome is Outcome.OK
    assert f"@{telegram.bot_username}" in finding.detail


async def test_a_token_that_is_refused_has_to_be_copied_again(telegram: TelegramServer) -> None:
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
    timing = IMPATIENT if isinstance(fault, Hang) else TIMING
    finding = await found(telegram, telegram.token, timing)
    assert finding.outcome is outcome
    assert finding.remedy


async def test_what_time_telegram_says_it_is_is_asked_for_by_the_way(
    telegram: TelegramServer,
) -> None:
    heard: list[tuple[str, str]] = []
    settings = TelegramSettings(base_url=telegram.url)
    await look_at_token(
        settings, telegram.token, heard=lambda host, date: heard.append((host, date))
    )
    assert [host for host, _ in heard] == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("webhook", "health", "outcome", "said"),
    [
        ("", None, Outcome.SKIPPED, "shows once gaia runs"),
        ("", Health(ok=True), Outcome.OK, "nobody else polls"),
        ("", Health(ok=False, detail="409"), Outcome.SKIPPED, "trouble with the channel"),
        ("https://b.example/x", None, Outcome.WARNING, "gaia removes it when it starts"),
        ("https://b.example/x", Health(ok=True), Outcome.FAILED, "Telegram calls that, not gaia"),
    ],
)
async def test_what_takes_the_updates_of_a_gaia_that_polls(
    telegram: TelegramServer, webhook: str, health: Health | None, outcome: Outcome, said: str
) -> None:
    telegram.world.updates.webhook_url = webhook
    settings = TelegramSettings(base_url=telegram.url)
    (finding,) = await look_at_updates(settings, telegram.token, health)
    assert finding.outcome is outcome
    assert said in finding.detail
    assert not telegram.requests("getUpdates")


@pytest.mark.parametrize(
    ("webhook", "runs", "outcome"),
    [
        ("https://gaia.example/hooks/telegram", False, Outcome.OK),
        ("https://b.example/x", True, Outcome.FAILED),
        ("", False, Outcome.WARNING),
    ],
)
async def test_whom_telegram_calls_for_a_gaia_with_a_webhook(
    telegram: TelegramServer, webhook: str, runs: bool, outcome: Outcome
) -> None:
    telegram.world.updates.webhook_url = webhook
    settings = TelegramSettings(
        base_url=telegram.url, mode="webhook", webhook_url="https://gaia.example/"
    )
    health = Health(ok=True) if runs else None
    (finding,) = await look_at_updates(settings, telegram.token, health)
    assert finding.outcome is outcome

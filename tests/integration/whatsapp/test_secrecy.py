"""Neither the token, nor a phone number, nor what people write is in any line of the log
of INFO on, whatever goes wrong; the token is in none at all."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gaia import logs
from gaia.errors import GaiaError
from gaia.messages import TurnEnded, TurnStarted
from gaia.settings.schema import LoggingSettings
from tests.servers.twilio import (
    CREATE_MESSAGE,
    BadGateway,
    CutAfterRead,
    Fault,
    MalformedJson,
    Refused,
    ServerError,
    TooManyRequests,
)

if TYPE_CHECKING:
    from conftest import BuildRig, Rig

Log = Callable[[], str]

ADA = "+4915112345678"
WORDS = "words-canary"
SID = f"SM{'0' * 32}"
FAULTS: tuple[Fault, ...] = (
    BadGateway(),
    CutAfterRead(),
    MalformedJson(),
    ServerError(),
    Refused(400, 21211, f"The number {ADA} with {WORDS} is not valid"),
    Refused(400, 63007, f"{WORDS}"),
    Refused(401, 20003, f"{WORDS}"),
    TooManyRequests(1),
)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """The log of a gaia that logs everything, and knows no secret to leave out."""
    logs.configure(LoggingSettings(level="DEBUG"), tmp_path, (), to_terminal=False)
    formatter = logging.Formatter("%(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.setFormatter(formatter)
    return (tmp_path / "gaia.log").read_text


async def test_no_line_of_the_log_has_the_token_or_words_or_numbers(
    log: Log, idle_rig: Rig
) -> None:
    rig, told = idle_rig, []
    ada = rig.twilio.person(ADA)
    async with rig.serving():
        await rig.until_well()
        for fault in FAULTS:
            rig.twilio.faults = lambda request, fault=fault: fault
            rig.channel.watch(TurnStarted(ADA, "t", (SID,)))
            try:
                await rig.send(ADA, WORDS)
            except GaiaError as exc:
                told.append(str(exc))
            ada.writes(WORDS)
            await rig.twilio.until_told()
            rig.clock.advance(400)
            await rig.until_ill("")
            rig.channel.watch(TurnEnded(ADA, "t"))
            told.append(rig.channel.health().detail)
        rig.twilio.no_more_faults()
        rig.core.store_is_broken, rig.twilio.attempts = True, 1
        ada.writes(WORDS)
        await rig.twilio.until_told()
    written = log()
    assert "Twilio is to call https://gaia.example/of/ada/hooks/whatsapp" in written
    for secret in (rig.twilio.auth_token, WORDS, ADA.removeprefix("+")):
        assert secret not in written
        assert not any(secret in each for each in told)
    assert len(rig.twilio.requests(CREATE_MESSAGE)) == len(FAULTS)


async def test_refused_credentials_are_not_told(log: Log, build_rig: BuildRig) -> None:
    rig = build_rig(auth_token="canary" * 5)
    async with rig.serving():
        await rig.until_ill("GAIA_TWILIO_AUTH_TOKEN")
        with pytest.raises(GaiaError) as raised:
            await rig.send(ADA)
    assert "canary" not in log()
    assert "canary" not in str(raised.value)
    assert "canary" not in rig.channel.health().detail

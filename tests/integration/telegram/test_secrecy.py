"""The token stands in the URLs of the Bot API. It is in no line of the log, whatever
goes wrong, with everything logged; nor are the words that people write, of INFO on."""

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
from tests.servers.telegram import (
    BadGateway,
    BadRequest,
    Blocked,
    CutAfterRead,
    Fault,
    MalformedJson,
    ServerError,
    TooManyRequests,
)

if TYPE_CHECKING:
    from conftest import Rig

Log = Callable[[], str]

ADA = 100
WORDS = "words-canary"
FAULTS: tuple[Fault, ...] = (
    BadGateway(),
    BadRequest("chat not found"),
    BadRequest(f'can\'t parse entities: Unsupported start tag "{WORDS}"'),
    Blocked(),
    CutAfterRead(),
    MalformedJson(),
    ServerError(),
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


async def test_no_line_of_the_log_has_the_token_or_words(log: Log, idle_rig: Rig) -> None:
    rig, errors = idle_rig, []
    ada = rig.telegram.person(ADA)
    async with rig.serving():
        await rig.until_well()
        for fault in FAULTS:
            rig.telegram.faults = lambda request, fault=fault: fault
            rig.channel.watch(TurnStarted(str(ADA), "t", ()))
            for text in (WORDS, f"<b>{WORDS}"):
                try:
                    await rig.send(ADA, text)
                except GaiaError as exc:
                    errors.append(str(exc))
            ada.writes(WORDS)
            rig.clock.advance(100)
            await rig.until_ill("")
            rig.channel.watch(TurnEnded(str(ADA), "t"))
            errors.append(rig.channel.health().detail)
        rig.telegram.inject_raw({"update_id": rig.telegram.next_update_id(), "message": WORDS})
        rig.telegram.no_more_faults()
        rig.clock.advance(100)
    written = log()
    secret = rig.telegram.token.partition(":")[2]
    assert "on Telegram as @gaia_test_bot" in written
    assert secret not in written
    assert WORDS not in written
    assert not any(secret in error or WORDS in error for error in errors)


async def test_a_refused_token_is_not_told(log: Log, unknown_rig: Rig) -> None:
    async with unknown_rig.serving():
        await unknown_rig.until_ill("GAIA_TELEGRAM_BOT_TOKEN")
        with pytest.raises(GaiaError) as raised:
            await unknown_rig.send(ADA)
    assert "canary" not in log()
    assert "canary" not in str(raised.value)
    assert "canary" not in unknown_rig.channel.health().detail

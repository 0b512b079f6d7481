from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest
from telegram.error import TelegramError

from channels.base.background import Background
from channels.base.http import ChatBackoff
from channels.base.intake import ATTEMPTS
from channels.telegram.api import Api, Json, Timing, describe
from channels.telegram.events import CHANNEL
from channels.telegram.intake import Intake
from channels.telegram.sender import SideEffects
from channels.telegram.words import Me
from gaia.errors import StoreError
from gaia.messages import Address, DeliveryReport, Inbound, Receipt, ReceiptKind, SentCopy
from gaia.testing.clock import FakeClock

TOKEN = "123456789:AAtoken-token-token-token-token-token"
DOCUMENT = {"file_id": "f", "file_unique_id": "u"}


class Core:
    """Fails at what it is told to fail at."""

    def __init__(self) -> None:
        self.received: list[str] = []
        self.fault: Exception | None = None

    async def receive(self, inbound: Inbound) -> Receipt:
        if self.fault is not None:
            raise self.fault
        self.received.append(inbound.text)
        return Receipt(ReceiptKind.ACCEPTED)

    def reachable(self, chat: str) -> None: ...

    async def moved(self, old_chat: str, new_chat: str) -> None: ...

    async def reported(self, report: DeliveryReport) -> None: ...

    async def file(self, outbox_id: int) -> bytes | None: ...

    async def on_their_way(self, since: datetime, until: datetime) -> Sequence[SentCopy]:
        raise AssertionError((since, until))

    async def until_asks(self) -> None: ...

    def expect(self, address: Address) -> None: ...


@pytest.fixture
def core() -> Core:
    return Core()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


class NamelessBot(SideEffects):
    """Fails when it is to ask what the bot is called."""

    def identify(self, tell: Callable[[Me], None]) -> None:
        raise ZeroDivisionError("canary")


@pytest.fixture
def intake(core: Core, clock: FakeClock) -> Intake:
    background = Background(CHANNEL, TelegramError, describe)
    api = Api(TOKEN, "http://127.0.0.1:9", Timing())
    return Intake(
        core, Me(4000, "gaia_bot"), NamelessBot(api, ChatBackoff(clock), background), clock
    )


def update(update_id: int = 1, **fields: object) -> Json:
    message: Json = {
        "message_id": 42,
        "date": 1767268800,
        "chat": {"id": 7, "type": "private", "first_name": "Ada"},
        "from": {"id": 7, "is_bot": False, "first_name": "Ada"},
        "text": "hello",
    }
    return {"update_id": update_id, "message": message | fields}


@pytest.mark.parametrize(
    "fields",
    [
        {"document": DOCUMENT | {"file_size": "canary"}},
        {"date": None},
        {"date": "canary"},
        {"text": {"canary": "canary"}},
        {"chat": "canary"},
        {"entities": ["canary"]},
        {"canary\ncanary": "canary", "date": None},
    ],
    ids=repr,
)
async def test_what_cannot_be_read_is_one_line_without_its_words(
    intake: Intake, core: Core, fields: Json, caplog: pytest.LogCaptureFixture
) -> None:
    await intake.take(update(5, **fields))
    await intake.take(update(6))
    assert core.received == ["hello"]
    (record,) = [each for each in caplog.records if "is set aside" in each.getMessage()]
    said = record.getMessage()
    assert said.startswith("update 5 is set aside: ")
    assert "message+message_id+date+chat+from+text" in said
    assert 'File "' in said
    assert "canary" not in said
    assert record.exc_info is None


async def test_a_failure_to_ask_for_the_bot_s_name_costs_no_message(
    intake: Intake, core: Core, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    clock.advance(60)
    mention = {"offset": 5, "length": 12, "type": "mention"}
    group = {"id": -7, "type": "group", "title": "Family"}
    text = "tea? @weather_bot @gaia_bot"
    named = [mention, {"offset": 18, "length": 9, "type": "mention"}]
    await intake.take(update(chat=group, text=text, entities=named))
    assert len(core.received) == 1
    assert "ZeroDivisionError" in caplog.text
    assert "canary" not in caplog.text


async def test_what_cannot_be_stored_is_to_come_again(intake: Intake, core: Core) -> None:
    core.fault = StoreError("the disk is full")
    for _ in range(2 * ATTEMPTS):
        with pytest.raises(StoreError):
            await intake.take(update())
    core.fault = None
    await intake.take(update())
    assert core.received == ["hello"]


async def test_what_the_core_itself_fails_at_is_set_aside_after_some_tries(
    intake: Intake, core: Core, caplog: pytest.LogCaptureFixture
) -> None:
    core.fault = ZeroDivisionError("canary")
    for _ in range(ATTEMPTS - 1):
        with pytest.raises(StoreError):
            await intake.take(update())
    await intake.take(update())
    assert "update 1 is set aside: ZeroDivisionError" in caplog.text
    assert "canary" not in caplog.text


async def test_what_has_no_id_that_can_be_one_is_set_aside(
    intake: Intake, core: Core, caplog: pytest.LogCaptureFixture
) -> None:
    await intake.take({"update_id": "canary", "message": 7})
    assert "update without an id is set aside" in caplog.text
    assert "canary" not in caplog.text

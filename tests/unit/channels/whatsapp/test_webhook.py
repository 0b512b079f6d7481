"""The webhook from a request to the core: what is asked for where, and what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlencode

import pytest

from channels.base.intake import ATTEMPTS
from channels.whatsapp.condition import WhatsAppCondition
from channels.whatsapp.files import OutgoingFiles
from channels.whatsapp.requests import Signatures
from channels.whatsapp.sender import SideEffects
from channels.whatsapp.translation import Me
from channels.whatsapp.webhook import TWIML, Handlers, Intake, Webhook
from gaia.errors import StoreError
from gaia.messages import (
    Address,
    DeliveryReport,
    DeliveryStage,
    HookAnswer,
    HookRequest,
    Inbound,
    OutboundFile,
    Receipt,
    ReceiptKind,
    SentCopy,
)
from gaia.testing.clock import FakeClock
from tests.servers.twilio.calls import signature

ACCOUNT, TOKEN = "AC" + "0b" * 16, "0123456789abcdef0123456789abcdef"
NUMBER, ADA = "+14155238886", "+4915112345678"
PUBLIC = "https://gaia.example.org"
SID = "SM" + "1c" * 16


class Core:
    """Answers as it is told to."""

    def __init__(self) -> None:
        self.received: list[Inbound] = []
        self.reports: list[DeliveryReport] = []
        self.reached: list[str] = []
        self.receipt = Receipt(ReceiptKind.ACCEPTED)
        self.fault: Exception | None = None

    async def receive(self, inbound: Inbound) -> Receipt:
        self._fail()
        self.received.append(inbound)
        return self.receipt

    def reachable(self, chat: str) -> None:
        assert self.received, "somebody is reachable whose message is not stored"
        self.reached.append(chat)

    async def moved(self, old_chat: str, new_chat: str) -> None:
        raise AssertionError(old_chat, new_chat)

    async def reported(self, report: DeliveryReport) -> None:
        self._fail()
        self.reports.append(report)

    async def file(self, outbox_id: int) -> bytes | None:
        self._fail()
        return b"%PDF-" if outbox_id == 7 else None

    async def on_their_way(self, since: datetime, until: datetime) -> Sequence[SentCopy]:
        raise AssertionError((since, until))

    async def until_asks(self) -> None: ...

    def expect(self, address: Address) -> None:
        raise AssertionError(address)

    def _fail(self) -> None:
        if self.fault is not None:
            raise self.fault


class Manners(SideEffects):
    """Keeps what it hears, and does nothing."""

    def __init__(self) -> None:
        self.heard: list[ReceiptKind] = []

    def received(self, inbound: Inbound, receipt: Receipt) -> None:
        self.heard.append(receipt.kind)


class Rig:
    """A webhook over a core, and Twilio in front of it."""

    def __init__(self, core: Core, clock: FakeClock) -> None:
        self.manners = Manners()
        signatures = Signatures(TOKEN, PUBLIC)
        self.condition = WhatsAppCondition(clock, address=signatures.address(""), stall_seconds=900)
        self.condition.begin()
        self.condition.ok()
        intake = Intake(core, Me(ACCOUNT, NUMBER), self.manners, self.condition, clock)
        self.files = OutgoingFiles(core.file, public_url=PUBLIC, auth_token=TOKEN, clock=clock)
        self.service: Handlers | None = Handlers(intake, self.files)
        self.checked: list[bytes] = []
        self._webhook = Webhook(signatures, ACCOUNT, self.condition, self._check, clock)

    async def calls(self, path: str = "", method: str = "POST", **values: str) -> HookAnswer:
        """Twilio calls, with these values beside the usual ones."""
        usual = {"MessageSid": SID, "AccountSid": ACCOUNT}
        form = list((usual | values).items())
        url = f"{PUBLIC}/hooks/whatsapp" + (f"/{path}" if path else "")
        shown = {
            "content-type": "application/x-www-form-urlencoded",
            "x-twilio-signature": signature(TOKEN, url, form),
        }
        return await self.asks(HookRequest(method, path, "", urlencode(form).encode(), shown))

    async def tells(self, body: str = "hello", **values: str) -> HookAnswer:
        """Twilio tells of a message."""
        usual = {"From": f"whatsapp:{ADA}", "To": f"whatsapp:{NUMBER}", "Body": body}
        return await self.calls(**(usual | values))

    async def asks(self, request: HookRequest) -> HookAnswer:
        return await self._webhook.hook(request, self.service)

    def _check(self, body: bytes) -> HookAnswer:
        self.checked.append(body)
        return HookAnswer(200, b"{}", "application/json")


@pytest.fixture
def core() -> Core:
    return Core()


@pytest.fixture
def rig(core: Core) -> Rig:
    return Rig(core, FakeClock())


async def test_a_message_is_answered_when_it_is_stored(rig: Rig, core: Core) -> None:
    answer = await rig.tells("hello")
    assert answer == TWIML
    assert (answer.status, answer.media_type) == (200, "text/xml")
    assert answer.body == b'<?xml version="1.0" encoding="UTF-8"?><Response/>'
    assert [(each.text, each.chat) for each in core.received] == [("hello", ADA)]
    assert core.reached == [ADA]


@pytest.mark.parametrize(
    ("kind", "reached"),
    [
        (ReceiptKind.DUPLICATE, [ADA]),
        (ReceiptKind.REFUSED, [ADA]),
        (ReceiptKind.DENIED, []),
    ],
)
async def test_who_wrote_can_be_reached_unless_they_are_strangers(
    rig: Rig, core: Core, kind: ReceiptKind, reached: list[str]
) -> None:
    core.receipt = Receipt(kind)
    assert await rig.tells() == TWIML
    assert core.reached == reached
    assert rig.manners.heard == [kind]


@pytest.mark.parametrize("path", ["", "status/7"])
async def test_what_cannot_be_stored_is_not_acknowledged(rig: Rig, core: Core, path: str) -> None:
    core.fault = StoreError("the disk is full")
    values = {"MessageStatus": "sent", "From": f"whatsapp:{ADA}", "To": f"whatsapp:{NUMBER}"}
    for _ in range(2 * ATTEMPTS):
        assert (await rig.calls(path, **values)).status == 503
    assert "cannot be stored" in rig.condition.health().detail
    core.fault = None
    assert await rig.calls(path, **values) == TWIML
    assert rig.condition.health().ok
    assert len(core.received) + len(core.reports) == 1


@pytest.mark.parametrize("path", ["", "status/7"])
async def test_what_the_core_fails_at_again_and_again_is_set_aside(
    rig: Rig, core: Core, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    core.fault = KeyError("canary")
    values = {"From": f"whatsapp:{ADA}", "To": f"whatsapp:{NUMBER}", "Body": "canary"}
    values |= {"MessageStatus": "sent", "ErrorMessage": "canary"}
    for _ in range(ATTEMPTS - 1):
        assert (await rig.calls(path, **values)).status == 503
    assert await rig.calls(path, **values) == TWIML
    assert f"what Twilio tells of {SID} is set aside: KeyError while reading Acc" in caplog.text
    assert "in receive" in caplog.text or "in reported" in caplog.text
    assert "canary" not in caplog.text
    assert ADA not in caplog.text


@pytest.mark.parametrize(
    ("status", "stage"),
    [("sent", DeliveryStage.SENT), ("delivered", DeliveryStage.DELIVERED)],
)
async def test_a_status_is_reported_of_its_chunk(
    rig: Rig, core: Core, status: str, stage: DeliveryStage
) -> None:
    assert await rig.calls("status/42", MessageStatus=status) == TWIML
    assert core.reports == [DeliveryReport(42, SID, stage)]


async def test_a_status_without_news_is_taken(rig: Rig, core: Core) -> None:
    assert await rig.calls("status/42", MessageStatus="queued") == TWIML
    assert core.reports == []


async def test_a_failure_that_only_the_owner_can_mend_is_told(rig: Rig, core: Core) -> None:
    assert await rig.calls("status/42", MessageStatus="failed", ErrorCode="63041") == TWIML
    assert [each.stage for each in core.reports] == [DeliveryStage.FAILED]
    assert "63041" in rig.condition.health().detail


async def test_a_question_that_failed_is_no_chunk_that_failed(
    rig: Rig, core: Core, caplog: pytest.LogCaptureFixture
) -> None:
    assert await rig.calls("asked/42", MessageStatus="delivered") == TWIML
    assert "could not be asked" not in caplog.text
    assert await rig.calls("asked/42", MessageStatus="undelivered", ErrorCode="63041") == TWIML
    (report,) = core.reports
    assert (report.outbox_id, report.stage, report.of_question) == (42, DeliveryStage.FAILED, True)
    assert "they could not be asked to write: Meta paused the template" in str(report.failure)
    assert "somebody could not be asked to write" in caplog.text
    assert "63041" in rig.condition.health().detail


@pytest.mark.parametrize(
    "path",
    [
        *("status", "status/", "status/0", "status/07", "status/x", "status/7/8", "status/-1"),
        *("asked/x", "other/7", "nothing", "check/7", "status/" + "9" * 19, "status/\u0667"),
    ],
)
async def test_there_is_nothing_elsewhere(rig: Rig, core: Core, path: str) -> None:
    assert (await rig.calls(path, MessageStatus="sent")).status == 404
    assert core.reports == []


@pytest.mark.parametrize("path", ["", "status/7", "check", "nothing"])
async def test_only_posts_are_taken(rig: Rig, path: str, caplog: pytest.LogCaptureFixture) -> None:
    assert (await rig.calls(path, method="GET")).status == 405
    assert "Twilio calls with GET: choose POST in its console" in caplog.text


@pytest.mark.parametrize("path", ["", "status/7", "asked/7", "check", "nothing", "media/7"])
async def test_what_is_not_signed_is_refused_wherever_it_asks(
    rig: Rig, core: Core, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    for service in (rig.service, None):
        rig.service = service
        answer = await rig.asks(HookRequest("POST", path, "", b"Body=canary", {}))
        assert (answer.status, answer.body) == (403, b"")
    assert "is refused: it is not signed" in caplog.text
    assert "canary" not in caplog.text
    assert caplog.text.count("is refused") == 1
    assert [*core.received, *core.reports, *rig.checked] == []


@pytest.mark.parametrize("path", ["", "status/7", "asked/7"])
@pytest.mark.parametrize("account", ["AC" + "0c" * 16, ""])
async def test_another_account_is_refused(
    rig: Rig, core: Core, path: str, account: str, caplog: pytest.LogCaptureFixture
) -> None:
    values = {"AccountSid": account, "MessageStatus": "sent"}
    assert (await rig.calls(path, **values)).status == 403
    assert "another account than GAIA_TWILIO_ACCOUNT_SID" in caplog.text
    assert [*core.received, *core.reports] == []


@pytest.mark.parametrize("path", ["", "status/7", "check"])
async def test_while_the_channel_does_not_serve_nothing_is_acknowledged(
    rig: Rig, path: str
) -> None:
    rig.service = None
    assert (await rig.calls(path)).status == 503
    assert (await rig.asks(HookRequest("GET", "media/7", "", b"", {}))).status == 503


async def test_a_round_trip_is_answered(rig: Rig) -> None:
    assert (await rig.calls("check", Nonce="n")).body == b"{}"
    assert [b"Nonce=n" in body for body in rig.checked] == [True]


async def test_a_message_says_that_the_webhook_reaches_gaia(rig: Rig) -> None:
    rig.condition.missed_calls()
    await rig.calls("check")
    # gaia itself names these addresses: they come also where the console has a wrong one.
    await rig.calls("status/7", MessageStatus="delivered")
    await rig.calls("asked/7", MessageStatus="delivered")
    assert not rig.condition.health().ok
    await rig.tells()
    assert rig.condition.health().ok


async def test_a_message_to_another_number_is_left_out_and_told(
    rig: Rig, core: Core, caplog: pytest.LogCaptureFixture
) -> None:
    assert await rig.tells(To="whatsapp:+15550001111") == TWIML
    assert core.received == []
    assert "another number on WhatsApp than channels.whatsapp.number" in caplog.text
    assert "+1555" not in caplog.text


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_file_is_had_by_its_own_address(rig: Rig, method: str) -> None:
    file = OutboundFile("report.pdf", "application/pdf", 5)
    path = rig.files.url(7, file).removeprefix(f"{PUBLIC}/hooks/whatsapp/")
    answer = await rig.asks(HookRequest(method, path, "", b"", {}))
    assert (answer.status, answer.body) == (200, b"%PDF-")
    assert (await rig.asks(HookRequest(method, path[:-1], "", b"", {}))).status == 403

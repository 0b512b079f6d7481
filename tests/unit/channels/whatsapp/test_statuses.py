from __future__ import annotations

import pytest

from channels.whatsapp.requests import Params
from channels.whatsapp.webhook import report_of
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    UnreachableError,
)
from gaia.messages import DeliveryReport, DeliveryStage

SID = "SM" + "0a" * 16


def reported(**values: str) -> DeliveryReport | None:
    return report_of(7, Params.of({"MessageSid": SID, **values}))


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("sent", DeliveryStage.SENT),
        ("delivered", DeliveryStage.DELIVERED),
        ("read", DeliveryStage.READ),
    ],
)
def test_a_stage_is_told(status: str, stage: DeliveryStage) -> None:
    assert reported(MessageStatus=status) == DeliveryReport(7, SID, stage)
    assert reported(SmsStatus=status) == DeliveryReport(7, SID, stage)


@pytest.mark.parametrize(
    "status", ["queued", "accepted", "scheduled", "sending", "received", "canceled", "", "Sent"]
)
def test_anything_else_is_no_news(status: str) -> None:
    assert reported(MessageStatus=status) is None


@pytest.mark.parametrize("status", ["failed", "undelivered"])
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("63016", UnreachableError),
        ("63018", RetryableSendError),
        ("21610", PermanentSendError),
        ("", RetryableSendError),
        ("-1", RetryableSendError),
        ("\N{ARABIC-INDIC DIGIT SEVEN}", RetryableSendError),
        ("9" * 5000, RetryableSendError),
    ],
)
def test_a_failure_says_what_is_to_become_of_it(
    status: str, code: str, kind: type[SendError]
) -> None:
    report = reported(MessageStatus=status, ErrorCode=code)
    assert report is not None
    assert report.stage is DeliveryStage.FAILED
    assert type(report.failure) is kind


@pytest.mark.parametrize("sid", ["", "x", "SM1", SID + "0", f"{SID}\n"])
def test_a_report_of_no_message_is_no_news(sid: str) -> None:
    assert report_of(7, Params.of({"MessageSid": sid, "MessageStatus": "delivered"})) is None

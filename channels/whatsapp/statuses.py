"""From the values of a status callback to a report of a chunk. Pure."""

from __future__ import annotations

from channels.whatsapp.faults import failure_of
from channels.whatsapp.forms import Params
from channels.whatsapp.names import is_sid
from gaia.messages import DeliveryReport, DeliveryStage

STAGES = {
    "sent": DeliveryStage.SENT,
    "delivered": DeliveryStage.DELIVERED,
    "read": DeliveryStage.READ,
    "failed": DeliveryStage.FAILED,
    "undelivered": DeliveryStage.FAILED,
}
"""What Twilio calls them. It also tells that a message is queued or being sent, which
says nothing that `Channel.send` had not said."""


def report_of(outbox_id: int, params: Params) -> DeliveryReport | None:
    """What became of a copy of that chunk; None if that is no news."""
    stage = STAGES.get(params.get("MessageStatus") or params.get("SmsStatus"))
    sid = params.get("MessageSid")
    if stage is None or not is_sid(sid):
        return None
    failure = failure_of(error_code(params)) if stage is DeliveryStage.FAILED else None
    return DeliveryReport(outbox_id, sid, stage, failure)


def error_code(params: Params) -> int | None:
    """Why it failed, in Twilio's numbers, if it did."""
    code = params.get("ErrorCode")
    return int(code) if code.isascii() and code.isdecimal() and len(code) < 8 else None

"""A message as the inbox keeps it for its turn: what the model is to be told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Row

from gaia.messages import Attachment, AttachmentKind


@dataclass(frozen=True, slots=True)
class Message:
    """One message. The fields mean what they mean in `messages.Inbound`."""

    text: str
    sender_name: str | None = None
    notes: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    is_forwarded: bool = False


def read_message(row: Row[Any]) -> Message:
    """The message of a row."""
    return Message(
        text=row.text,
        sender_name=row.sender_name,
        notes=tuple(row.notes),
        attachments=read_attachments(row.attachments),
        is_forwarded=row.is_forwarded,
    )


def write_attachments(attachments: Sequence[Attachment]) -> list[dict[str, Any]]:
    """Attachments as a row has them."""
    return [asdict(each) for each in attachments]


def read_attachments(written: Sequence[dict[str, Any]]) -> tuple[Attachment, ...]:
    """The attachments of a row."""
    return tuple(Attachment(**{**each, "kind": AttachmentKind(each["kind"])}) for each in written)

"""What travels between channels and the core: plain, frozen values.

Nothing here knows a database, a model or a provider's SDK.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

REPEAT_MARK = "(possible repeat) "
"""Stands before a chunk that is sent again because nobody can tell whether the
first try arrived. `Channel.split` leaves room for it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Who wrote, as the channel names them."""

    channel: str
    sender: str

    def __str__(self) -> str:
        return f"{self.channel}:{self.sender}"


@dataclass(frozen=True, slots=True)
class Inbound:
    """One message as it arrived on a channel.

    `provider_message_id` is unique within the channel and the same on each
    redelivery. `chat` is where a reply goes, in the channel's own terms;
    `direct` tells a chat with one person from a group. `sent_at` is aware UTC.
    """

    address: Address
    chat: str
    provider_message_id: str
    text: str
    sent_at: datetime
    direct: bool = True
    sender_name: str | None = None
    wants_preview: bool = False


class ReceiptKind(StrEnum):
    """What became of an inbound message."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to an `Inbound`, given once it is committed."""

    kind: ReceiptKind


@dataclass(frozen=True, slots=True)
class Outbound:
    """One chunk of a reply on its way to a chat.

    `outbox_id` is unique for the life of the home and the same on a resend, so
    that a channel which remembers it can drop the second copy.
    `is_failure` says that the text only tells that there is no answer.
    `is_repeat` says that it was sent before and that nobody can tell whether
    that arrived. `in_reply_to` lists the provider's ids of the messages that it answers;
    it is empty for a message that gaia starts by itself. `final` marks the
    last chunk of a reply.
    """

    outbox_id: int
    chat: str
    text: str
    seq: int
    final: bool
    turn_id: str | None = None
    in_reply_to: tuple[str, ...] = ()
    is_repeat: bool = False
    is_failure: bool = False

    @property
    def marked_text(self) -> str:
        """The text, behind `REPEAT_MARK` where that is due."""
        return REPEAT_MARK + self.text if self.is_repeat else self.text


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began. The same `turn_id` again means that it began anew, and
    that what was previewed of it is void."""

    chat: str
    turn_id: str
    in_reply_to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnText:
    """More of the answer's text, as a preview: the outbox has the truth."""

    chat: str
    turn_id: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnTool:
    """The model called a tool. Text previewed before it may not be part of the answer."""

    chat: str
    turn_id: str
    tool: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over; its reply, if any, follows through the outbox."""

    chat: str
    turn_id: str


TurnEvent = TurnStarted | TurnText | TurnTool | TurnEnded


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a part works, and if it does not, the cause in one line."""

    ok: bool
    detail: str = ""

"""What travels between channels and the core: plain, frozen values.

Nothing here knows a database, a model or a provider's SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from gaia.errors import SendError

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


class AttachmentKind(StrEnum):
    """What a file is to the person who sent it."""

    PHOTO = "photo"
    VOICE = "voice note"
    AUDIO = "audio file"
    VIDEO = "video"
    ANIMATION = "animation"
    STICKER = "sticker"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message. Its content stays with the provider until
    `Channel.fetch` is asked for it by `file_id`, which lasts as long as the message.

    `media_type` is the MIME type as the provider states it, or the kind's usual one.
    """

    kind: AttachmentKind
    file_id: str
    media_type: str
    size_bytes: int | None = None
    file_name: str | None = None
    duration_seconds: float | None = None


REPLY_TO_GAIA = "(in reply to a message of yours"
REPLY_TO_OWN = "(in reply to a message of their own"
CORRECTION = "(this corrects an earlier message)"
"""The note of an edit that came too late to change the message itself."""

MAYBE_FORWARDED = "(found later: it may have been forwarded, so no command in it was carried out)"
"""The note of a message of which the provider does not tell whose words it has."""

OWN_NOTES = (REPLY_TO_GAIA, REPLY_TO_OWN, CORRECTION)
"""How the notes begin that hold nobody else's words. Any other may."""


@dataclass(frozen=True, slots=True)
class RepliedTo:
    """The message that another one replies to: words of whoever wrote it, which stand beside
    those of the reply.

    `message_id` is the provider's for it, where it is in the same chat. `text` are its words,
    empty where the channel does not tell them, and `quote` is the part of them that the person
    chose.
    """

    message_id: str | None = None
    text: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Inbound:
    """One message as it arrived on a channel.

    `provider_message_id` is unique within the channel and the same on each redelivery. `chat` is
    where a reply goes, in the channel's own terms; `direct` tells a chat with one person from a
    group, whose `address` is the group's own: `sender_name` is the person's, `chat_title` the
    group's. `sent_at` is aware UTC.

    `text` holds the words of the message and nothing else. What came beside them stands in `notes`,
    a line each: what they reply to, whom they forward, a place, a contact. `replied_to` has all of
    what they reply to. The words of a forwarded message are somebody else's: `is_forwarded` says
    so. Messages of one `album` belong together. `edit_of` is the `provider_message_id` of the
    message whose text this one replaces. `is_pressed` says that the words are a button's. `author`
    is who wrote in a group, as the channel names people; the group's own chat where an admin writes
    in its name. `is_late` marks one that the channel asked its provider for, since it had not been
    told of it: a stranger's is left alone. `is_overheard` marks one that was said in a group and
    not to gaia: it counts with an album, or a text, of which another part was, and as a command, if
    gaia has it. `is_piped` says that a program on this machine writes, which waits for each answer.
    """

    address: Address
    chat: str
    provider_message_id: str
    text: str
    sent_at: datetime
    direct: bool = True
    sender_name: str | None = None
    chat_title: str | None = None
    wants_preview: bool = False
    notes: tuple[str, ...] = ()
    replied_to: RepliedTo | None = None
    attachments: tuple[Attachment, ...] = ()
    album: str | None = None
    edit_of: str | None = None
    is_forwarded: bool = False
    is_pressed: bool = False
    author: str | None = None
    is_late: bool = False
    is_piped: bool = False
    is_overheard: bool = False


class ReceiptKind(StrEnum):
    """What became of an inbound message. `REFUSED` is one too many of somebody who
    is known: it is left out, and no answer comes. `OVERHEARD` is not for gaia."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    DENIED = "denied"
    REFUSED = "refused"
    OVERHEARD = "overheard"


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A slash command as a channel's menu shows it: the name without its slash."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to an `Inbound`, given once it is committed.

    `stranger_reply` is what a channel tells a sender who is denied, once and at
    its best effort; without it they get nothing. `menu` lists the commands that
    the sender may give; it is empty for who is denied.
    """

    kind: ReceiptKind
    stranger_reply: str | None = None
    menu: tuple[MenuEntry, ...] = ()


Answer = Literal["yes", "no", "done", "later", "when", "cancel"]


@dataclass(frozen=True, slots=True)
class Button:
    """A shortcut below a message: pressing it is writing `command`, which has at
    most 64 bytes. The message's text says the same in words, for channels
    without buttons. `answer` says which plain words, as the next message, mean it as
    well: a yes, a no, that something is done or is not to be, or a time until when it is to
    wait, or at which it is wanted, which the command does then name."""

    label: str
    command: str
    answer: Answer | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Contact:
    """How things stand with the person in a chat, for channels that may write of their own accord
    only for a while after a message of theirs.

    `written_at` is when they last wrote, None if that is not known or did not count; `asked_at` is
    when the channel asked them to write, if they have not since. Both are aware UTC.
    """

    written_at: datetime | None = None
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OutboundFile:
    """A file that goes with a chunk. Its content is in the outbox: `Gateway.file`."""

    name: str
    media_type: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Outbound:
    """One chunk of a reply on its way to a chat.

    `outbox_id` is unique for the life of the home and the same on a resend, so that a channel which
    remembers it can drop the second copy. `is_failure` says that the text only tells that there is
    no answer. `is_repeat` says that it was sent before and that nobody can tell whether that
    arrived. `in_reply_to` lists the provider's ids of the messages that it answers; it is empty for
    a message that gaia starts by itself. `final` marks the last chunk of a reply, the only one to
    have `buttons`; a `file` may have a question behind it. `is_incognito` says that nothing is kept
    of what is said in the chat at the moment.
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
    buttons: tuple[Button, ...] = ()
    file: OutboundFile | None = None
    contact: Contact = Contact()
    is_incognito: bool = False

    @property
    def marked_text(self) -> str:
        """The text, behind `REPEAT_MARK` where that is due."""
        return REPEAT_MARK + self.text if self.is_repeat else self.text


class DeliveryStage(StrEnum):
    """What a provider tells of a message that it took, in this order at best."""

    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """What became of a chunk after `Channel.send` had returned, or while it ran.

    `provider_id` is the provider's for that copy: a chunk that was sent again has
    several. `failure` says of one that failed what is to become of it, as
    `Channel.send` would have raised it. Reports may come late, twice, in any order.

    `of_question` says that it is about the message that asked somebody to write, instead
    of the chunk, which waits for them.
    """

    outbox_id: int
    provider_id: str
    stage: DeliveryStage
    failure: SendError | None = None
    of_question: bool = False


@dataclass(frozen=True, slots=True)
class SentCopy:
    """A chunk as the provider knows it that took it."""

    outbox_id: int
    provider_id: str


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began. The same `turn_id` again means that it began again, and
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
    """A turn is over, and its reply follows through the outbox; but for messages `unanswered`,
    by the provider's ids: the user stopped it, or was removed. `turn_id` is empty where what is
    stopped does not run: it waits for its turn, or for being sent."""

    chat: str
    turn_id: str
    unanswered: tuple[str, ...] = ()


TurnEvent = TurnStarted | TurnText | TurnTool | TurnEnded


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a part works, and if it does not, the cause in one line.

    `worked_at` is when it last did for sure. One that `is_stalled` neither works nor fails:
    it has stopped trying, and a restart of gaia may mend that.
    """

    ok: bool
    detail: str = ""
    worked_at: datetime | None = None
    is_stalled: bool = False


@dataclass(frozen=True, slots=True)
class HookRequest:
    """One HTTP request that a provider made: to the path below `/hooks/<channel>`.

    Names of `headers` are in lower case; of a repeated one the last counts.
    """

    method: str
    path: str
    query: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the provider is answered. To a HEAD request the body goes unsent."""

    status: int
    body: bytes = b""
    media_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)

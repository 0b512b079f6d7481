"""The frames that `gaia chat` and the daemon exchange: one JSON object a WebSocket message.

A client says `hello` and is answered `welcome` or `refused`. From then on it
sends `message` and `delivered`, and gets `receipt`, `chunk` and the previews.
Fields may be added, since both sides ignore what they do not know; a field
that changes its meaning gets another name.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gaia.errors import WireError
from gaia.messages import MenuEntry

TERMINAL_PATH = "/local/chat"
"""Where the daemon's local web app serves the WebSocket."""

MESSAGE_CHARACTERS = 1_000_000
"""A longer message is not sent: as JSON it stays below the 16 MiB that uvicorn reads."""

Name = Annotated[str, Field(min_length=1, max_length=255)]


class Frame(BaseModel):
    """What all frames have in common."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class HelloFrame(Frame):
    """A client attaches.

    `client_id` is the same for the life of the client's process, across
    reconnects. `waiting` names its messages that are not yet answered, so that
    their replies come here.
    """

    kind: Literal["hello"] = "hello"
    user: Name
    client_id: Name
    interactive: bool
    version: str
    waiting: tuple[str, ...] = ()


class MessageFrame(Frame):
    """The user wrote. The id is the same when the message is sent again."""

    kind: Literal["message"] = "message"
    client_message_id: Name
    text: Annotated[str, Field(max_length=MESSAGE_CHARACTERS)]
    wants_preview: bool


class DeliveredFrame(Frame):
    """The client printed a chunk, now or before."""

    kind: Literal["delivered"] = "delivered"
    outbox_id: int


class WelcomeFrame(Frame):
    """The client is attached. `hosted` says that the daemon lives inside
    another client and ends with it."""

    kind: Literal["welcome"] = "welcome"
    user_name: str
    model: str
    embedded: bool
    new_user: bool
    conversation_turns: int
    version: str
    hosted: bool
    is_incognito: bool = False
    user_id: str = ""
    commands: tuple[MenuEntry, ...] = ()


class RefusedFrame(Frame):
    """The client is turned away; the connection ends."""

    kind: Literal["refused"] = "refused"
    reason: str


class ReceiptFrame(Frame):
    """What became of a message. `failed` means that it was not stored, `refused` that
    it was one too many."""

    kind: Literal["receipt"] = "receipt"
    client_message_id: str
    outcome: Literal["accepted", "denied", "refused", "failed"]


class FileFrame(Frame):
    """A file that goes with a chunk, for the client to write."""

    name: str
    content: Base64Bytes


class ChunkFrame(Frame):
    """A chunk of a reply: `gaia.messages.Outbound` without its chat."""

    kind: Literal["chunk"] = "chunk"
    outbox_id: int
    text: str
    seq: int
    final: bool
    turn_id: str | None
    in_reply_to: tuple[str, ...]
    is_failure: bool = False
    is_incognito: bool = False
    file: FileFrame | None = None


class TurnStartedFrame(Frame):
    """A preview begins, or begins again."""

    kind: Literal["turn_started"] = "turn_started"
    turn_id: str


class TurnTextFrame(Frame):
    """More of the answer's text."""

    kind: Literal["turn_text"] = "turn_text"
    turn_id: str
    text: str


class TurnToolFrame(Frame):
    """The model called a tool."""

    kind: Literal["turn_tool"] = "turn_tool"
    turn_id: str
    tool: str


class TurnEndedFrame(Frame):
    """The turn is over; its reply follows as chunks. The messages `unanswered` get none: the
    user stopped it, perhaps by another client, or was removed."""

    kind: Literal["turn_ended"] = "turn_ended"
    turn_id: str
    unanswered: tuple[str, ...] = ()


ClientFrame = HelloFrame | MessageFrame | DeliveredFrame
PreviewFrame = TurnStartedFrame | TurnTextFrame | TurnToolFrame | TurnEndedFrame
ServerFrame = WelcomeFrame | RefusedFrame | ReceiptFrame | ChunkFrame | PreviewFrame

FrameT = TypeVar("FrameT")

_client_frames: TypeAdapter[ClientFrame] = TypeAdapter(
    Annotated[ClientFrame, Field(discriminator="kind")]
)
_server_frames: TypeAdapter[ServerFrame] = TypeAdapter(
    Annotated[ServerFrame, Field(discriminator="kind")]
)


def encode(frame: ClientFrame | ServerFrame) -> str:
    """Return the frame as JSON."""
    return frame.model_dump_json()


def decode_client_frame(text: str) -> ClientFrame:
    """Read what a client sent.

    Raises:
        WireError: It is not a frame of a client.
    """
    return _decode(_client_frames, text, "client")


def decode_server_frame(text: str) -> ServerFrame:
    """Read what the daemon sent.

    Raises:
        WireError: It is not a frame of the daemon.
    """
    return _decode(_server_frames, text, "daemon")


def _decode(adapter: TypeAdapter[FrameT], text: str, sender: str) -> FrameT:
    try:
        return adapter.validate_json(text)
    except ValidationError as exc:
        mistakes = exc.errors(include_url=False, include_input=False, include_context=False)
        raise WireError(
            f"a frame from the terminal's {sender} cannot be read ({mistakes[0]['msg']}): "
            "restart the daemon and the client, so that both are of one version"
        ) from exc

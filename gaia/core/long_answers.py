"""Answers that are longer than a chat is to have: their beginning as messages, and all of it as a
file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gaia.core import sentences
from gaia.memory.transfer import export
from gaia.ports import Channel
from gaia.store.outbox import NewFile

LONGEST_MESSAGE = 5000
"""Characters; no channel that has a limit takes more in one message. To split a text takes
seconds where it is long."""

NAME = "answer"


def within_messages(
    channel: Channel, answer: str, most: int
) -> tuple[Sequence[str], NewFile | None]:
    """Split an answer into `most` messages at most. Of a longer one the last of them says so,
    with a file that has all of the answer where the channel takes files; in the place of one that
    shows nothing there, being invisible characters, stands that."""
    beginning = answer[: most * LONGEST_MESSAGE]
    chunks = channel.split(beginning) or channel.split(sentences.NOTHING_SHOWN)
    if len(chunks) <= most and len(beginning) < len(answer):
        chunks = channel.split(answer)
    if len(chunks) <= most:
        return chunks, None
    file = next((make(answer) for kind, make in FILES if channel.takes(kind)), None)
    last = sentences.REST_LEFT_OUT if file is None else sentences.REST_IN_FILE
    return [*chunks[: most - 1], last], file


def _as_text(answer: str) -> NewFile:
    return NewFile(f"{NAME}.txt", "text/plain", export.printable(answer).encode())


def _as_word(answer: str) -> NewFile:
    return NewFile(f"{NAME}.docx", export.MEDIA_TYPE, export.text_to_word(answer))


FILES: Sequence[tuple[str, Callable[[str], NewFile]]] = (
    ("text/plain", _as_text),
    (export.MEDIA_TYPE, _as_word),
)
"""The kinds of file that an answer can be; the first that a channel takes is sent."""

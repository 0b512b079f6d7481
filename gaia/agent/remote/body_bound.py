"""A bound on how much of a host's answer is read: a host that sends without end, by fault or on
purpose, costs a bounded piece of memory.

It is about bytes as they come over the network, of any client. Answers are asked for without
compression (`UNCOMPRESSED`), since a small one may unpack to one without end; of a host that
compresses all the same less is read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from gaia.errors import EndlessAnswerError

WHOLE_BYTES = 8_000_000
"""An answer that comes as one document."""

STREAM_BYTES = 32_000_000
"""An answer that comes in pieces: each word has 300 bytes around it, and the longest answers
of today's models 64,000 words."""

COMPRESSED_BYTES = 128_000
"""It may unpack to a thousand times that."""

UNCOMPRESSED = {"accept-encoding": "identity"}
"""The header of a client whose answers are bounded."""


def bound_body(response: Any) -> None:
    """Have the reading of a response's body raise `EndlessAnswerError` at the bound. `response`
    is one of httpx or of a library made like it, and is not read yet."""
    kind = response.headers.get("content-type", "")
    encoding = response.headers.get("content-encoding", "").strip().lower()
    most = STREAM_BYTES if "event-stream" in kind else WHOLE_BYTES
    if encoding not in ("", "identity"):
        most = COMPRESSED_BYTES
    kinds = type(response.stream).__mro__
    base = next(each for each in kinds if each.__name__ == "AsyncByteStream")
    response.stream = _bounded(base)(response.stream, most)


class _Bounded:
    """A body of which at most `most` bytes are read."""

    def __init__(self, stream: Any, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for block in self._stream:
            read += len(block)
            if read > self._most:
                raise EndlessAnswerError(
                    f"the model's host sent more than {self._most // 1000:,} kB for one answer, "
                    "and was not listened to any longer"
                )
            yield block

    async def aclose(self) -> None:
        await self._stream.aclose()


@cache
def _bounded(base: Any) -> Any:
    """A body as a library wants it, which asks for its own base class."""
    return type("Bounded", (_Bounded, base), {})

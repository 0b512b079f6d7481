"""Files that were fetched lately, in memory: a follow-up question needs them again."""

from __future__ import annotations

from collections import OrderedDict

Key = tuple[str, str]
"""A channel's name, and the file's id there."""


class FileCache:
    """Keeps up to `limit_bytes` of content, the most recently used."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._contents: OrderedDict[Key, bytes] = OrderedDict()
        self._held_bytes = 0

    def get(self, key: Key) -> bytes | None:
        """The content, if it is here still."""
        content = self._contents.get(key)
        if content is not None:
            self._contents.move_to_end(key)
        return content

    def put(self, key: Key, content: bytes) -> None:
        """Keep `content`, at the cost of what was not used for longest."""
        self._held_bytes += len(content) - len(self._contents.pop(key, b""))
        self._contents[key] = content
        while self._held_bytes > self._limit_bytes:
            _, dropped = self._contents.popitem(last=False)
            self._held_bytes -= len(dropped)

"""The text of an answer while it is being made, and what of it was printed for good."""

from __future__ import annotations

from gaia.cli.chat.control_characters import strip_controls
from gaia.cli.chat.markdown import finished_length


class Draft:
    """Collects previewed text and gives it away block by block.

    What was given away stands on the user's screen. The reply is the truth,
    and `rest` tells how much of it is still missing there.
    """

    def __init__(self) -> None:
        self._raw = ""
        self._printed = ""
        self._before_tool = ""

    @property
    def has_printed(self) -> bool:
        """Whether something stands on the screen."""
        return bool(self._before_tool or self._printed)

    @property
    def tail(self) -> str:
        """The text that was not given away yet."""
        return self._text()[len(self._printed) :]

    def add(self, text: str) -> None:
        """Take more text."""
        self._raw += text

    def take_finished(self) -> str:
        """Give away the blocks that are finished; empty if there are none."""
        tail = self.tail
        finished = tail[: finished_length(tail)]
        self._printed += finished
        return finished

    def take_aside(self) -> str:
        """Give away everything, since a tool was called: the answer may begin
        after it, or include what was said before."""
        tail = self.tail
        self._before_tool = self._text() if self._text().strip() else self._before_tool
        self._raw = self._printed = ""
        return tail.strip()

    def restart(self) -> None:
        """Begin anew: what was collected is void."""
        self._raw = self._printed = self._before_tool = ""

    def rest(self, reply: str) -> str | None:
        """What of `reply` is not on the screen yet; `None` if it does not go on
        from what stands there and has to be printed whole."""
        candidates = [reply.lstrip()]
        before = self._before_tool.strip()
        if before and candidates[0].startswith(before):
            candidates.insert(0, candidates[0][len(before) :].lstrip())
        for candidate in candidates:
            if candidate.startswith(self._printed):
                return candidate[len(self._printed) :]
        return None

    def is_begin_of(self, reply: str) -> bool:
        """Whether `reply` goes on from all that was collected."""
        rest = self.rest(reply)
        return rest is not None and rest.startswith(self.tail.rstrip())

    def _text(self) -> str:
        return strip_controls(self._raw).lstrip()

"""One answer on the screen while it is being made: finished blocks, live tail, status."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from channels.terminal_wire import (
    PreviewFrame,
    TurnEndedFrame,
    TurnStartedFrame,
    TurnTextFrame,
    TurnToolFrame,
)
from gaia.cli.chat.markdown import ReplyMarkdown, finished_length
from gaia.cli.console import strip_controls
from gaia.ports import Clock

TICK_SECONDS = 0.1

SPARE_LINES = 4
"""Lines of the window that the growing tail leaves free."""

SLOW_SECONDS = 5.0
"""After that, the user is told why an answer of the embedded model takes long."""


class Answer:
    """Prints an answer as it grows. A context manager: outside of it nothing is live.

    Blocks that are finished are printed for good; the tail and a status line
    are redrawn below them, and vanish in the end.
    """

    def __init__(self, console: Console, clock: Clock, *, embedded: bool) -> None:
        self._console = console
        self._clock = clock
        self._embedded = embedded
        self._began = clock.monotonic()
        self._doing = "thinking"
        self._stopping = False
        self._draft = Draft()
        self._live = Live(
            console=console,
            transient=True,
            auto_refresh=False,
            vertical_overflow="crop",
            get_renderable=self._render,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    async def tick(self) -> None:
        """Redraw what is live, until cancelled."""
        while True:
            self._print_finished()
            self._live.refresh()
            await self._clock.sleep(TICK_SECONDS)

    def preview(self, frame: PreviewFrame) -> None:
        """Take more of the turn. What is drawn waits for the next tick."""
        match frame:
            case TurnStartedFrame():
                if self._draft.has_printed:
                    self._note("(the answer starts again)")
                self._draft.restart()
                self._doing = "thinking"
            case TurnTextFrame():
                self._draft.add(frame.text)
                self._doing = "answering"
            case TurnToolFrame():
                if aside := self._draft.take_aside():
                    self._print_markdown(aside)
                self._doing = f"using {strip_controls(frame.tool)}"
            case TurnEndedFrame():
                if frame.unanswered and (aside := self._draft.take_aside()):
                    self._print_markdown(aside)
                self._doing = "finishing"

    def reply(self, text: str) -> None:
        """Print what of the reply is not on the screen yet, or all of it if it
        is not what was previewed. A text that was stopped stays as far as it came."""
        text = strip_controls(text)
        if self._stopping and not self._draft.is_begin_of(text):
            self._print_markdown(self._draft.take_aside())
            self._draft.restart()
        rest = self._draft.rest(text)
        if rest is None:
            self._note("(the answer in full)")
        self._draft.restart()
        self._print_markdown(text if rest is None else rest)

    def stopping(self) -> None:
        """Show that the user wants it to stop."""
        self._stopping = True

    def _print_finished(self) -> None:
        if finished := self._draft.take_finished().strip("\n"):
            self._print_markdown(finished)

    def _print_markdown(self, text: str) -> None:
        """Print above what is live, of which `text` is no part any more."""
        self._live.refresh()
        if text.strip():
            self._console.print(ReplyMarkdown(text))
            self._console.print()

    def _note(self, text: str) -> None:
        self._console.print(Text(text, style="dim"))

    def _render(self) -> RenderableType:
        status = Text(self._status(), style="dim", no_wrap=True, overflow="ellipsis")
        room = max(1, self._console.height - SPARE_LINES)
        tail = self._draft.tail
        if not tail.strip():
            return status
        return Group(ReplyMarkdown(tail, last_lines=room), "", status)

    def _status(self) -> str:
        seconds = self._clock.monotonic() - self._began
        if self._stopping:
            return f"stopping… {int(seconds)} s · Ctrl-C again returns to the prompt"
        status = f"{self._doing}… {int(seconds)} s · Ctrl-C stops"
        if self._embedded and self._doing == "thinking" and seconds >= SLOW_SECONDS:
            status += " · the model is starting; the next answer is faster"
        return status


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
        """Begin again: what was collected is void."""
        self._raw = self._printed = self._before_tool = ""

    def rest(self, reply: str) -> str | None:
        """The part of `reply` that is not on the screen yet; `None` if it does not go on
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

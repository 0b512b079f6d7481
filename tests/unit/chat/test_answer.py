from __future__ import annotations

import asyncio
import io

import pyte
import pytest
from rich.console import Console

from channels.terminal_wire import (
    TurnEndedFrame,
    TurnStartedFrame,
    TurnTextFrame,
    TurnToolFrame,
)
from gaia.cli.chat.answer import SLOW_SECONDS, TICK_SECONDS, Answer
from gaia.testing.clock import FakeClock


class Shown:
    """An answer in a terminal window, drawn when the test says so."""

    def __init__(self, *, embedded: bool = False) -> None:
        self.clock = FakeClock()
        self._file = io.StringIO()
        self.console = Console(
            file=self._file, width=70, height=12, force_terminal=True, color_system=None
        )
        self.answer = Answer(self.console, self.clock, embedded=embedded)

    async def tick(self) -> list[str]:
        """Draw once, and return what the window shows."""
        ticking = asyncio.create_task(self.answer.tick())
        await self.clock.until_sleeping()
        ticking.cancel()
        await asyncio.wait((ticking,))
        return self.screen()

    def screen(self) -> list[str]:
        """What the window shows, without its empty lines."""
        screen = pyte.Screen(self.console.width, self.console.height)
        pyte.Stream(screen).feed(self._file.getvalue().replace("\n", "\r\n"))
        return [line.rstrip() for line in screen.display if line.strip()]


def text(part: str) -> TurnTextFrame:
    return TurnTextFrame(turn_id="t", text=part)


async def test_the_status_tells_how_long_it_takes_and_how_to_stop_it() -> None:
    shown = Shown()
    with shown.answer:
        shown.clock.advance(12)
        assert await shown.tick() == ["thinking… 12 s · Ctrl-C stops"]
    assert shown.screen() == []


async def test_the_status_is_drawn_again_as_time_passes() -> None:
    shown = Shown()
    with shown.answer:
        ticking = asyncio.create_task(shown.answer.tick())
        for _ in range(11):
            await shown.clock.until_sleeping()
            shown.clock.advance(TICK_SECONDS)
        await shown.clock.until_sleeping()
        assert shown.screen() == ["thinking… 1 s · Ctrl-C stops"]
        ticking.cancel()
        await asyncio.wait((ticking,))


async def test_an_answer_of_the_embedded_model_explains_why_it_takes_long() -> None:
    shown = Shown(embedded=True)
    with shown.answer:
        assert "wakes up" not in (await shown.tick())[0]
        shown.clock.advance(SLOW_SECONDS)
        assert "the model wakes up" in (await shown.tick())[0]
        shown.answer.preview(text("Hi"))
        assert await shown.tick() == ["Hi", "answering… 5 s · Ctrl-C stops"]


async def test_finished_blocks_are_printed_once_and_the_tail_is_redrawn() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(TurnStartedFrame(turn_id="t"))
        shown.answer.preview(text("One.\n\nTw"))
        assert await shown.tick() == ["One.", "Tw", "answering… 0 s · Ctrl-C stops"]
        shown.answer.preview(text("o."))
        assert await shown.tick() == ["One.", "Two.", "answering… 0 s · Ctrl-C stops"]


async def test_the_reply_completes_what_is_on_the_screen() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("One.\n\nTw"))
        await shown.tick()
        shown.answer.preview(TurnEndedFrame(turn_id="t"))
        shown.answer.reply("One.\n\nTwo.")
        assert shown.screen() == ["One.", "Two.", "finishing… 0 s · Ctrl-C stops"]
    assert shown.screen() == ["One.", "Two."]


async def test_a_reply_that_is_not_what_was_previewed_is_printed_whole() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("One.\n\nTw"))
        await shown.tick()
        shown.answer.reply("Uno.\n\nDos.")
    assert shown.screen() == ["One.", "(the answer in full)", "Uno.", "Dos."]


async def test_what_was_said_before_a_tool_stays_and_the_tool_is_named() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("Let me look."))
        shown.answer.preview(TurnToolFrame(turn_id="t", tool="clock"))
        assert await shown.tick() == ["Let me look.", "using clock… 0 s · Ctrl-C stops"]
        shown.answer.reply("Let me look.\n\nIt is noon.")
    assert shown.screen() == ["Let me look.", "It is noon."]


async def test_a_turn_that_begins_anew_says_so() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("One.\n\nTw"))
        await shown.tick()
        shown.answer.preview(TurnStartedFrame(turn_id="t"))
        shown.answer.reply("One.\n\nTwo.")
    assert shown.screen() == ["One.", "(the answer begins anew)", "One.", "Two."]


async def test_a_text_that_was_stopped_stays_as_far_as_it_came() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("One.\n\nTwo, thr"))
        await shown.tick()
        shown.answer.stopping()
        assert "stopping…" in (await shown.tick())[-1]
        shown.answer.reply("Stopped.")
    assert shown.screen() == ["One.", "Two, thr", "Stopped."]


async def test_an_answer_that_ends_while_it_is_being_stopped_is_completed() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("One.\n\nTwo, thr"))
        await shown.tick()
        shown.answer.stopping()
        shown.answer.reply("One.\n\nTwo, three.")
    assert shown.screen() == ["One.", "Two, three."]


async def test_a_tail_that_is_higher_than_the_window_shows_its_end() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("```\n" + "\n".join(f"line {n}" for n in range(100))))
        lines = await shown.tick()
    assert lines[-2].strip() == "line 99"
    assert lines[0].strip() == "line 92"


@pytest.mark.parametrize("reply", ["", "  ", "\x1b[2J"])
async def test_an_empty_reply_prints_nothing(reply: str) -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.reply(reply)
    assert shown.screen() == []

from __future__ import annotations

import asyncio
import io
import itertools

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from channels.terminal_wire import (
    TurnEndedFrame,
    TurnStartedFrame,
    TurnTextFrame,
    TurnToolFrame,
)
from gaia.cli.chat.answer import (
    SLOW_SECONDS,
    TICK_SECONDS,
    Answer,
    Draft,
)
from gaia.testing.clock import FakeClock

ANSWER = """Here is a plan:

1. milk
2. bread

```python
print("hello")

print("again")
```

| a | b |
|---|---|
| 1 | 2 |

Bye."""


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
        assert "the model is starting" in (await shown.tick())[0]
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


async def test_a_turn_that_begins_again_says_so() -> None:
    shown = Shown()
    with shown.answer:
        shown.answer.preview(text("One.\n\nTw"))
        await shown.tick()
        shown.answer.preview(TurnStartedFrame(turn_id="t"))
        shown.answer.reply("One.\n\nTwo.")
    assert shown.screen() == ["One.", "(the answer starts again)", "One.", "Two."]


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


@given(st.lists(st.integers(0, len(ANSWER)), max_size=30))
def test_finished_blocks_and_rest_are_the_reply(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(ANSWER)]
    draft = Draft()
    shown = ""
    for begin, end in itertools.pairwise(places):
        draft.add(ANSWER[begin:end])
        shown += draft.take_finished()
    rest = draft.rest(ANSWER)
    assert rest is not None
    assert shown + rest == ANSWER


def test_a_reply_that_was_not_previewed_is_all_rest() -> None:
    assert Draft().rest("Hi.") == "Hi."


def test_space_around_a_preview_makes_no_difference() -> None:
    draft = Draft()
    draft.add("\n\n  One.\n\nTwo.\n")
    assert draft.take_finished() == "One.\n\n"
    assert draft.rest("One.\n\nTwo.") == "Two."
    assert draft.rest("\nOne.\n\nTwo.") == "Two."


def test_what_was_not_given_away_may_change() -> None:
    draft = Draft()
    draft.add("Hello wor")
    assert draft.rest("Goodbye.") == "Goodbye."


def test_a_reply_that_does_not_go_on_from_the_screen_is_printed_whole() -> None:
    draft = Draft()
    draft.add("One.\n\nTwo.")
    assert draft.take_finished() == "One.\n\n"
    assert draft.rest("Something else.") is None


def test_escape_sequences_that_come_in_pieces_are_removed() -> None:
    draft = Draft()
    for piece in ("\x1b", "[31", "mred\x1b[", "0m\n\nnext"):
        draft.add(piece)
    assert draft.take_finished() == "red\n\n"


def test_an_answer_after_a_tool_begins_after_what_was_said_before_it() -> None:
    draft = Draft()
    draft.add("Let me look.")
    assert draft.take_aside() == "Let me look."
    draft.add("It is noon.\n\nAnd")
    assert draft.take_finished() == "It is noon.\n\n"
    assert draft.rest("It is noon.\n\nAnd sunny.") == "And sunny."


def test_an_answer_may_include_what_was_said_before_a_tool() -> None:
    draft = Draft()
    draft.add("Let me look.")
    draft.take_aside()
    draft.add("It is")
    assert draft.rest("Let me look.\n\nIt is noon.") == "It is noon."


def test_a_turn_that_begins_again_voids_what_was_previewed() -> None:
    draft = Draft()
    draft.add("One.\n\nTwo.")
    draft.take_finished()
    draft.restart()
    assert not draft.has_printed
    assert draft.tail == ""
    assert draft.rest("One.") == "One."


def test_whether_a_reply_goes_on_from_the_draft() -> None:
    draft = Draft()
    draft.add("One.\n\nTwo, thr")
    draft.take_finished()
    assert draft.is_begin_of("One.\n\nTwo, three.")
    assert not draft.is_begin_of("Stopped.")

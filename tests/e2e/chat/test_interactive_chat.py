"""`gaia chat` as a person sees it, in a terminal window."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Daemon, Window

ENTER = "\r"
CTRL_C = "\x03"
CTRL_D = "\x04"


async def test_a_conversation_from_greeting_to_leaving(daemon: Daemon, window: Window) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.shows("Welcome back, Ada")
        await window.asks()
        window.type("\x1b[200~one\ntwo\x1b[201~" + ENTER)
        inbound = await core.next_message()
        assert (inbound.text, inbound.wants_preview) == ("one\ntwo", True)
        await window.shows("thinking…")
        daemon.preview(inbound, "First, **bold**.\n\n", "Then mo")
        await window.shows("Then mo")
        await window.shows("answering…")
        core.reply(inbound, "First, **bold**.\n\nThen more.\x1b[2J")
        await window.shows("Then more.")
        await window.asks()
        lines = window.lines()
        assert lines.count("First, bold.") == 1
        assert not [line for line in lines if "…" in line]
        window.type(CTRL_D)
        assert await window.until_left() == 0


async def test_ctrl_c_stops_the_answer_and_not_the_program(daemon: Daemon, window: Window) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        window.type(CTRL_C)
        await window.shows("Ctrl-D or /quit leaves the chat.")
        await window.asks()
        window.type("hello" + ENTER)
        inbound = await core.next_message()
        daemon.preview(inbound, "A long st")
        await window.shows("A long st")
        window.type(CTRL_C)
        stop = await core.next_message()
        assert stop.text == "/stop"
        await window.shows("stopping…")
        core.reply(stop, "Stopped.")
        await window.shows("Stopped.")
        await window.asks()
        assert "A long st" in window.lines()
        window.type("/quit" + ENTER)
        assert await window.until_left() == 0


async def test_an_answer_that_is_stopped_in_another_window_ends(
    daemon: Daemon, window: Window
) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        window.type("hello" + ENTER)
        inbound = await core.next_message()
        daemon.preview(inbound, "A long st")
        await window.shows("A long st")
        daemon.stop(inbound)
        await window.shows("The answer was stopped: by a /stop in another window")
        await window.asks()
        assert "A long st" in window.lines()
        window.type("/quit" + ENTER)
        assert await window.until_left() == 0


async def test_a_second_ctrl_c_returns_to_the_prompt_and_the_answer_is_shown_later(
    daemon: Daemon, window: Window
) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        window.type("hello" + ENTER)
        inbound = await core.next_message()
        await window.shows("thinking…")
        window.type(CTRL_C)
        await window.shows("Ctrl-C again returns to the prompt")
        window.type(CTRL_C)
        await window.asks()
        window.type("half typ")
        await window.asks("half typ")
        core.reply(inbound, "Better late.")
        await window.shows("(earlier reply)")
        await window.shows("Better late.")
        await window.asks("half typ")


async def test_what_is_typed_during_an_answer_is_there_for_the_next_prompt(
    daemon: Daemon, window: Window
) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        window.type("hello" + ENTER)
        inbound = await core.next_message()
        await window.shows("thinking…")
        window.type("next")
        core.reply(inbound, "Hi.")
        await window.asks("next")
        assert [line for line in window.lines() if "next" in line] == ["> next"]


async def test_a_message_that_is_sent_off_during_an_answer_follows_it(
    daemon: Daemon, window: Window
) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        window.type("hello" + ENTER)
        inbound = await core.next_message()
        await window.shows("thinking…")
        window.type("nixt\x7f\x7f\x7fext" + ENTER)
        core.reply(inbound, "Hi.")
        assert (await core.next_message()).text == "next"


async def test_ctrl_z_is_no_part_of_a_message(daemon: Daemon, window: Window) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        window.type("half")
        await window.asks("half")
        window.type("\x1a")
        window.type(" and half" + ENTER)
        assert (await core.next_message()).text == "half and half"


async def test_an_answer_arrives_although_the_daemon_was_restarted(
    daemon: Daemon, window: Window
) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        window.type("hello" + ENTER)
        inbound = await core.next_message()
        daemon.preview(inbound, "Half an ans")
        await window.shows("Half an ans")
    await window.shows("the connection to gaia is lost")
    async with daemon.running() as core:
        await window.shows("connected again")
        core.reply(inbound, "A whole answer.")
        await window.shows("A whole answer.")
        await window.asks()
    assert [each.text for each in daemon.state.received] == ["hello"]


async def test_a_message_that_was_not_stored_is_back_in_the_prompt(
    daemon: Daemon, window: Window
) -> None:
    async with daemon.running() as core:
        core.store_is_broken = True
        await window.open()
        await window.asks()
        window.type("precious words" + ENTER)
        await window.shows("It is back in the prompt")
        await window.asks("precious words")
        core.store_is_broken = False
        window.type(ENTER)
        inbound = await core.next_message()
        assert inbound.text == "precious words"


async def test_closing_the_window_ends_the_program(daemon: Daemon, window: Window) -> None:
    async with daemon.running() as core:
        await window.open()
        await window.asks()
        core.say("ada", "It is **time**.")
        await window.shows("It is time.")
        window.hang_up()
        assert await window.until_left() != 0
        await asyncio.sleep(0)
    assert not [line for line in window.lines() if "Traceback" in line]

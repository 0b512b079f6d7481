"""`gaia chat -m` and `gaia chat < file`, over a real socket."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gaia.cli.chat.plain import ChatInterruptedError
from gaia.errors import OutputError, RefusedError, StoreError
from gaia.memory.excerpts import quoted
from gaia.messages import OutboundFile, TurnEnded
from gaia.testing.clock import until

if TYPE_CHECKING:
    from conftest import Terminal, TerminalDaemon


class FullDisk(io.StringIO):
    """A file on a disk that is full."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def test_one_message_prints_its_reply_alone(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say("hello"))
        inbound = await core.next_message()
        assert (inbound.text, inbound.wants_preview) == ("hello", False)
        core.reply(inbound, "Hi, Ada.")
    assert terminal.stdout.getvalue() == "Hi, Ada.\n"
    assert terminal.stderr.getvalue() == ""
    assert [o.text for o in daemon.state.sent] == ["Hi, Ada."]


async def test_an_answer_that_is_stopped_elsewhere_is_not_waited_for(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core:
        saying = asyncio.create_task(terminal.say("hello"))
        inbound = await core.next_message()
        unanswered = (inbound.provider_message_id,)
        daemon.channel.watch(TurnEnded(inbound.chat, "t1", unanswered))
        with pytest.raises(RefusedError, match="the answer to 'hello' was stopped"):
            await saying


async def test_a_file_is_written_where_the_user_is_and_known_as_an_export(
    daemon: TerminalDaemon, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memories.txt").write_text("mine")
    file = OutboundFile("memories.txt", "text/plain", 4)
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say("/export"))
        core.reply(await core.next_message(), "Here.", file=file, content=b"\xfftea")
    written = tmp_path / "memories-2.txt"
    assert terminal.stdout.getvalue() == f"Here.\n\nThe file is `{written}`.\n"
    assert written.read_bytes() == b"\xfftea"
    assert written.stat().st_mode & 0o077 == 0
    assert (tmp_path / "memories.txt").read_text() == "mine"
    assert str(written) in terminal.home.exports_file.read_text()


async def test_lines_say_that_a_program_writes_them(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say("hello"))
        inbound = await core.next_message()
        assert inbound.is_piped
        core.reply(inbound, "Hi.")


async def test_a_reply_of_several_chunks_is_printed_to_its_end(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say("hello"))
        core.reply(await core.next_message(), "one", "two", "three")
    assert terminal.stdout.getvalue() == "one\ntwo\nthree\n"


async def test_what_came_before_goes_to_standard_error(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        core.say("ada", "It is time.")
        group.create_task(terminal.say("hello"))
        core.reply(await core.next_message(), "Hi.")
    assert terminal.stdout.getvalue() == "Hi.\n"
    assert terminal.stderr.getvalue() == "gaia: It is time.\n"


async def test_a_reply_that_its_asker_did_not_await_is_an_earlier_reply(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core:
        asking = asyncio.create_task(terminal.say("long question"))
        question = await core.next_message()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        core.reply(question, "long answer")
        daemon.clock.advance(60)
        async with asyncio.TaskGroup() as group:
            group.create_task(terminal.say("hello"))
            core.reply(await core.next_message(), "Hi.")
    assert terminal.stdout.getvalue() == "Hi.\n"
    assert terminal.stderr.getvalue() == "(earlier reply) long answer\n"


async def test_escape_sequences_do_not_reach_the_terminal(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say("hello"))
        core.reply(await core.next_message(), "\x1b]0;owned\x07\x1b[2Jclean")
    assert terminal.stdout.getvalue() == "clean\n"


async def test_words_in_quotes_are_printed_as_they_were_written(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        core.say("ada", f"A reminder: {quoted('*call* [Bob]')}")
        group.create_task(terminal.say("/memory"))
        core.reply(await core.next_message(), f"1. {quoted('[x] is 2*3 in `C:_a`')}\n`a\\[0]`")
    assert terminal.stdout.getvalue() == "1. “[x] is 2*3 in `C:_a`”\n`a\\[0]`\n"
    assert terminal.stderr.getvalue() == "gaia: A reminder: “*call* [Bob]”\n"


async def test_a_message_of_bytes_that_are_no_text_is_sent(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say(os.fsdecode(b"caf\xe9")))
        inbound = await core.next_message()
        core.reply(inbound, "ok")
    assert inbound.text == "caf?"


async def test_a_stranger_is_told_why_it_is_refused(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    daemon.users.strangers.add("ada")
    async with daemon.running():
        with pytest.raises(RefusedError, match="'ada' is no user"):
            await terminal.say("hello")
    assert daemon.state.received == []


async def test_a_denied_message_is_an_error(daemon: TerminalDaemon, terminal: Terminal) -> None:
    async with daemon.running() as core:
        core.denied_senders.add("ada")
        with pytest.raises(RefusedError, match="gaia users"):
            await terminal.say("hello")


async def test_one_message_too_many_is_an_error_that_says_so(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core:
        core.hasty_senders.add("ada")
        with pytest.raises(RefusedError, match="'hello' was left out: it was one too many"):
            await terminal.say("hello")


async def test_a_message_that_is_not_stored_is_an_error_that_says_so(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core:
        core.store_is_broken = True
        with pytest.raises(StoreError, match="'hello', so it was not taken"):
            await terminal.say("hello")
    assert terminal.stdout.getvalue() == ""


async def test_an_older_daemon_is_told_of(daemon: TerminalDaemon, terminal: Terminal) -> None:
    daemon.version = "0.0.9"
    async with daemon.running() as core, asyncio.TaskGroup() as group:
        group.create_task(terminal.say("hello"))
        core.reply(await core.next_message(), "Hi.")
    assert terminal.stdout.getvalue() == "Hi.\n"
    assert "the daemon is gaia 0.0.9" in terminal.stderr.getvalue()


async def test_each_line_is_a_message_sent_after_the_reply_to_the_former(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        os.write(writing, b"one\n\n   \ntwo\r\nthree")
        os.close(writing)
        async with daemon.running() as core, asyncio.TaskGroup() as group:
            group.create_task(terminal.read(stdin))
            for number, text in enumerate(("one", "two", "three")):
                inbound = await core.next_message()
                assert inbound.text == text
                assert len(terminal.stdout.getvalue().splitlines()) == number
                core.reply(inbound, f"echo {text}")
    assert terminal.stdout.getvalue() == "echo one\necho two\necho three\n"


async def test_what_comes_by_itself_is_shown_while_the_next_line_is_awaited(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        async with daemon.running() as core, asyncio.TaskGroup() as group:
            group.create_task(terminal.read(stdin))
            core.say("ada", "It is time.")
            os.write(writing, b"one\n")
            core.reply(await core.next_message(), "echo one")
            os.close(writing)
    assert terminal.stderr.getvalue() == "gaia: It is time.\n"
    assert terminal.stdout.getvalue() == "echo one\n"


async def test_a_reply_that_cannot_be_written_is_not_counted_as_printed(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    terminal.stdout = FullDisk()
    async with daemon.running() as core:
        asking = asyncio.create_task(terminal.say("hello"))
        core.reply(await core.next_message(), "Hi.")
        with pytest.raises(OutputError, match="No space left on device"):
            await asking
        assert core.state.sent == []


async def test_ctrl_c_stops_the_answer_and_leaves(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    async with daemon.running() as core:
        asking = asyncio.create_task(terminal.say("hello"))
        assert (await core.next_message()).text == "hello"
        core.say("ada", "It is time.")
        await until(lambda: bool(core.state.sent))
        os.kill(os.getpid(), signal.SIGINT)
        stop = await core.next_message()
        assert stop.text == "/stop"
        core.reply(stop, "Stopped.")
        with pytest.raises(ChatInterruptedError):
            await asking
    assert terminal.stdout.getvalue() == ""
    assert terminal.stderr.getvalue() == "gaia: It is time.\nStopped.\n"


async def test_a_second_ctrl_c_leaves_at_once(daemon: TerminalDaemon, terminal: Terminal) -> None:
    async with daemon.running() as core:
        asking = asyncio.create_task(terminal.say("hello"))
        await core.next_message()
        core.say("ada", "It is time.")
        await until(lambda: bool(core.state.sent))
        os.kill(os.getpid(), signal.SIGINT)
        await core.next_message()
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(ChatInterruptedError):
            await asking


async def test_no_input_is_no_message(daemon: TerminalDaemon, terminal: Terminal) -> None:
    with os.fdopen(os.open(os.devnull, os.O_RDONLY)) as stdin:
        async with daemon.running():
            await terminal.read(stdin)
    assert daemon.state.received == []
    assert terminal.stdout.getvalue() == ""


async def test_a_line_that_is_not_stored_ends_the_input(
    daemon: TerminalDaemon, terminal: Terminal
) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"one\ntwo\n")
    os.close(writing)
    with os.fdopen(reading) as stdin:
        async with daemon.running() as core:
            core.store_is_broken = True
            with pytest.raises(StoreError, match="'one'"):
                await terminal.read(stdin)

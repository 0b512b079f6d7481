from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from gaia.cli.chat.interactive import CommandCompleter, PrivateHistory, Prompt, hidden_typing
from gaia.messages import MenuEntry

ENTER = "\r"
ALT_ENTER = "\x1b\r"
CTRL_C = "\x03"
CTRL_D = "\x04"
CTRL_J = "\n"


@pytest.fixture
def keyboard() -> Iterator[PipeInput]:
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        yield keyboard


def ignore() -> None:
    """Nothing happens."""


async def typed(
    keyboard: PipeInput, keys: str, history_file: Path, default: str = ""
) -> str | None:
    keyboard.send_text(keys)
    return await Prompt(history_file, ignore).read(default)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("hello" + ENTER, "hello"),
        ("one" + ALT_ENTER + "two" + ENTER, "one\ntwo"),
        ("one" + CTRL_J + "two" + ENTER, "one\ntwo"),
        ("one\\" + ENTER + "two" + ENTER, "one\ntwo"),
        ("\x1b[200~one\r\ntwo\nthree\x1b[201~" + ENTER, "one\ntwo\nthree"),
        ("junk" + CTRL_C + "hello" + ENTER, "hello"),
        ("Grüße 你好" + ENTER, "Grüße 你好"),
        (CTRL_D, None),
    ],
)
async def test_what_keys_make_a_message(
    keyboard: PipeInput, tmp_path: Path, keys: str, message: str | None
) -> None:
    assert await typed(keyboard, keys, tmp_path / "history") == message


COMMANDS = (
    MenuEntry(name="remember", description="Keep it"),
    MenuEntry(name="remind", description="Remind you"),
    MenuEntry(name="status", description="How I am"),
)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("/st\t" + ENTER, "/status"),
        ("/STA\t" + ENTER, "/status"),
        ("/remi\t" + ENTER, "/remind"),
        ("/remember my st\t" + ENTER, "/remember my st"),
        ("st\t" + ENTER, "st"),
        ("/q\t" + ENTER, "/quit"),
    ],
)
async def test_tab_completes_a_command(
    keyboard: PipeInput, tmp_path: Path, keys: str, message: str
) -> None:
    prompt = Prompt(tmp_path / "history", ignore, commands=lambda: COMMANDS)
    keyboard.send_text(keys)
    assert await prompt.read() == message


def test_of_several_commands_each_is_offered_with_what_it_does() -> None:
    completer = CommandCompleter(lambda: COMMANDS)
    found = completer.get_completions(Document("/rem"), CompleteEvent())
    told = [(each.text, each.display_meta_text) for each in found]
    assert told == [("/remember", "Keep it"), ("/remind", "Remind you")]


async def test_a_message_that_was_not_taken_is_typed_already(
    keyboard: PipeInput, tmp_path: Path
) -> None:
    assert await typed(keyboard, "!" + ENTER, tmp_path / "history", "hello") == "hello!"


async def test_ctrl_c_with_nothing_typed_says_how_to_leave(
    keyboard: PipeInput, tmp_path: Path
) -> None:
    said = asyncio.Event()
    reading = asyncio.create_task(Prompt(tmp_path / "history", said.set).read())
    keyboard.send_text(CTRL_C)
    await said.wait()
    assert not reading.done()
    keyboard.send_text("still here" + ENTER)
    assert await reading == "still here"


async def test_history_is_kept_and_private(keyboard: PipeInput, tmp_path: Path) -> None:
    file = tmp_path / "history"
    await typed(keyboard, "first" + ENTER, file)
    await typed(keyboard, "one" + ALT_ENTER + "two" + ENTER, file)
    assert list(PrivateHistory(file).load_history_strings()) == ["one\ntwo", "first"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_history_that_cannot_be_kept_costs_no_message(
    keyboard: PipeInput, tmp_path: Path
) -> None:
    folder = tmp_path / "history"
    folder.mkdir()
    assert await typed(keyboard, "hello" + ENTER, folder) == "hello"
    file = tmp_path / "vanishing" / "history"
    file.parent.mkdir()
    prompt = Prompt(file, ignore)
    file.unlink()
    file.parent.rmdir()
    keyboard.send_text("hello" + ENTER)
    assert await prompt.read() == "hello"


async def test_what_is_printed_while_nobody_is_asked_is_printed_at_once(
    keyboard: PipeInput, tmp_path: Path
) -> None:
    printed: list[str] = []
    await Prompt(tmp_path / "history", ignore).print_above(lambda: printed.append("note"))
    assert printed == ["note"]


def test_typing_into_a_file_cannot_be_hidden_and_need_not(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file, hidden_typing(file.fileno()):
        file.write("visible")

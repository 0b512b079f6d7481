"""docs/memory.md says of the chat what is said in a chat."""

from __future__ import annotations

import re
from pathlib import Path

from gaia.commands.memory import VERBS
from gaia.commands.remember import memory_commands
from gaia.memory.search.preload import Room

DOCUMENT = Path(__file__).parents[3] / "docs/memory.md"
DATE = re.compile(r"\d{1,2} \w+ 20\d\d")


def examples() -> list[tuple[str, str]]:
    """What is said in the chat of the document, with the answers, in order."""
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.findall(r"^( *)```chat\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix(indent) for indent, block in blocks for line in block.splitlines()]
    told = "\n".join(lines) + "\n"
    return re.findall(r"^> (.+)\n((?:(?!> ).*\n)*)", told, re.MULTILINE)


async def test_the_examples_of_the_chat_are_answered_as_they_are(running_core):
    said = examples()
    assert len(said) == 14
    async with running_core() as core:
        for text, expected in said:
            answer = await core.say(text)
            assert DATE.sub("…", answer) == DATE.sub("…", expected.rstrip("\n")), text


def test_every_command_of_the_chat_is_told():
    text = DOCUMENT.read_text(encoding="utf-8")
    for command in memory_commands(None, lambda: None, lambda: True, lambda: Room(1), None, bool):
        assert f"/{command.name}" in text, command.name
    for verb in VERBS.keys() - {"help", "held"}:
        assert f"/memory {verb}" in text, verb

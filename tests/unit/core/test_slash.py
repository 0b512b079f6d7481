"""What is a slash command, and what only looks like one."""

from __future__ import annotations

import pytest

from gaia.core.slash import LONGEST_BESIDE_FILE, Reply, Slash, parse
from gaia.store.outbox import NewFile


@pytest.mark.parametrize(
    ("text", "slash"),
    [
        ("/help", Slash("help", "")),
        ("  /help \n", Slash("help", "")),
        ("/HELP", Slash("help", "")),
        ("/help@gaia_bot", Slash("help", "")),
        ("/forget@gaia_bot my  old address", Slash("forget", "my  old address")),
        ("/remember\nfirst line\nsecond line", Slash("remember", "first line\nsecond line")),
        ("/a1_b", Slash("a1_b", "")),
    ],
)
def test_commands(text: str, slash: Slash) -> None:
    assert parse(text) == slash


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "//help",
        "/ help",
        "/2",
        "/_x",
        "/etc/hosts",
        "/etc/hosts is a file",
        "/help.",
        "/help@",
        "/help@a@b",
        "/naïve",
        "see /help",
        "help",
    ],
)
def test_messages(text: str) -> None:
    assert parse(text) is None


def test_a_text_beside_a_file_is_short() -> None:
    file = NewFile("gaia.txt", "text/plain", b"")
    Reply("x" * LONGEST_BESIDE_FILE, file=file)
    Reply("x" * (LONGEST_BESIDE_FILE + 1))
    with pytest.raises(ValueError, match="a text of 501 characters is too long beside a file"):
        Reply("x" * (LONGEST_BESIDE_FILE + 1), file=file)

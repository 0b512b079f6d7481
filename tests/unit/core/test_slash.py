"""What is a slash command, and what only looks like one."""

from __future__ import annotations

import pytest

from gaia.core.slash import Slash, parse


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

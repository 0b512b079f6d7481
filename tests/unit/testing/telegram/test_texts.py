"""What Telegram finds in a text that a person writes."""

from __future__ import annotations

import pytest

from tests.servers.telegram.texts import RichText, as_kept


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/help", [("bot_command", "/help")]),
        ("/help@gaia_test_bot now", [("bot_command", "/help@gaia_test_bot")]),
        ("say /help.", [("bot_command", "/help")]),
        ("/etc/hosts", []),
        ("a/help", []),
        ("</b>", []),
        ("/", []),
        ("/héllo", []),
        ("hi @gaia_test_bot!", [("mention", "@gaia_test_bot")]),
        ("@@nobody", []),
        ("ada@example.org", [("email", "ada@example.org")]),
        ("see https://example.org/x?y=1.", [("url", "https://example.org/x?y=1")]),
        ("😀 #tag and #1", [("hashtag", "#tag")]),
        ("C#sharp", []),
    ],
)
def test_commands_mentions_and_links_are_found(text: str, found: list[tuple[str, str]]) -> None:
    rich = as_kept(RichText(text))
    assert [(each.kind, rich.part(each)) for each in rich.entities] == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [("  x\n\n", "x"), ("a\r\nb", "a\nb"), ("a\tb\x00c", "a b c"), ("\n ", "")],
)
def test_a_text_is_trimmed_and_cleaned(text: str, shown: str) -> None:
    assert as_kept(RichText(text)).text == shown

"""An answer as messages, where a channel shows nothing of it."""

from __future__ import annotations

from channels.telegram.channel import TelegramChannel
from gaia.core.long_answers import within_messages
from gaia.core.sentences import NOTHING_SHOWN
from gaia.settings.schema import TelegramSettings
from gaia.testing.clock import FakeClock


def test_an_answer_of_invisible_characters_says_so() -> None:
    channel = TelegramChannel(TelegramSettings(), "token", FakeClock())
    assert channel.split("\u200b\u2060") == []
    assert within_messages(channel, "\u200b\u2060", 3) == ([NOTHING_SHOWN], None)

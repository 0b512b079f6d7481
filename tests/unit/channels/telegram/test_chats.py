from __future__ import annotations

import pytest

from channels.telegram.events import ChatKey, edit_name, message_in, message_name


@pytest.mark.parametrize("text", ["7", "-100500", "-100500:3", "7:3"])
def test_a_chat_is_read_as_it_was_written(text: str) -> None:
    key = ChatKey.parse(text)
    assert key is not None
    assert str(key) == text
    assert key.is_group is text.startswith("-")


@pytest.mark.parametrize("text", ["", "ada", "7:", ":7", "7:-3", "7 ", "7:3:1", "--7"])
def test_what_is_no_chat_of_telegrams_is_told(text: str) -> None:
    assert ChatKey.parse(text) is None


def test_a_message_is_found_in_its_own_chat_alone() -> None:
    assert message_in(message_name(-5, 42), -5) == 42
    assert message_in(edit_name(-5, 42, 9), -5) == 42
    assert message_in(message_name(-5, 42), -6) is None
    assert message_in("callback:42", -5) is None

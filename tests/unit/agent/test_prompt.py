"""The prompt: frozen instructions, and a fenced context in the user's time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from gaia.agent.prompt import instructions, turn_context

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def test_instructions_name_the_person_and_the_channel() -> None:
    text = instructions(user="Ada", channel="terminal", own="")
    assert "the personal assistant of Ada. You talk over a terminal." in text
    assert "over a-new-one." in instructions(user="Ada", channel="a-new-one", own="")


def test_instructions_for_a_messenger_say_that_it_shows_markdown() -> None:
    text = instructions(user="Ada", channel="telegram", own="")
    assert "You talk over Telegram, which shows Markdown as formatting." in text


def test_instructions_for_a_group_tell_whose_name_stands_where() -> None:
    text = instructions(user="The Lovelaces", channel="telegram", in_group=True, own="")
    assert "the assistant of the group The Lovelaces, where several people write" in text
    assert "each message begins with its sender's name" in text
    assert "personal" not in text


def test_braces_are_text() -> None:
    text = instructions(user="{channel}", channel="x", own="Answer as {json}.")
    assert "assistant of {channel}." in text
    assert text.endswith("Answer as {json}.")


@pytest.mark.parametrize("own", ["", "  \n"])
def test_no_instructions_of_the_owner_leave_no_trace(own: str) -> None:
    assert instructions(user="Ada", channel="x", own=own) == instructions(
        user="Ada", channel="x", own=""
    )


@pytest.mark.parametrize(
    ("offset", "told"),
    [
        (timedelta(0), "Thursday 01 January 2026, 12:00 (UTC+00:00)"),
        (timedelta(hours=5, minutes=45), "Thursday 01 January 2026, 17:45 (UTC+05:45)"),
        (timedelta(hours=-3, minutes=-30), "Thursday 01 January 2026, 08:30 (UTC-03:30)"),
        (timedelta(hours=13), "Friday 02 January 2026, 01:00 (UTC+13:00)"),
    ],
)
def test_the_context_tells_the_local_time_in_a_fence(offset: timedelta, told: str) -> None:
    context = turn_context(sent_at=NOON.astimezone(timezone(offset)))
    assert context == f"<context>\nNow: {told}\n</context>"

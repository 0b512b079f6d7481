"""What somebody is told of what gaia made of a conversation that they left."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from gaia.commands.remember import MOST_LINES, ChatAnnouncements
from gaia.digest.write import Committed
from gaia.memory.memory import Memory
from tests.harness.memories import a_memory

FOUR = datetime(2026, 6, 3, 4, tzinfo=UTC)
WORDS = ChatAnnouncements(lambda: FOUR)
PORTO = a_memory(2, "Lives in Porto")


def committed(*learned: Memory, replaced=()) -> Committed:
    return Committed(learned=learned, replaced=replaced, episode=None)


def test_nothing_new_is_said_in_a_sentence_and_offers_nothing_to_undo():
    reply = WORDS.learned(committed())
    assert reply.text == "I read through our last conversation and found nothing new to keep."
    assert reply.buttons == ()


def test_what_is_new_and_what_it_replaces_is_told_once():
    old = a_memory(1, "Lives in *Lisbon*")
    other = a_memory(4, "Likes tea")
    reply = WORDS.learned(committed(PORTO, other, replaced=[(old, PORTO)]))
    assert reply.text.splitlines() == [
        "I read through our last conversation and keep:",
        "#2 “Lives in Porto”, replacing “Lives in \\*Lisbon\\*”",
        "#4 “Likes tea”",
        "/undo undoes it.",
    ]
    assert [button.command for button in reply.buttons] == ["/undo"]


def test_of_many_only_the_first_are_told():
    many = [a_memory(number, "Likes tea") for number in range(1, MOST_LINES + 4)]
    lines = WORDS.learned(committed(*many)).text.splitlines()
    assert len(lines) == MOST_LINES + 3
    assert lines[-2] == "and 3 more: /memory"


def test_what_is_not_sure_is_only_counted():
    reply = WORDS.learned(Committed(learned=(), replaced=(), episode=None, pending=2))
    assert reply.text.endswith("I am not sure of 2 more: /memory pending lists them.")


def test_what_could_not_be_read_is_tried_again_at_a_time_of_the_readers_zone():
    told = WORDS.unread(ZoneInfo("Europe/Lisbon")).text
    assert "It is kept, and I will try again at 05:00." in told

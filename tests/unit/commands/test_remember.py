"""What somebody is told of what gaia made of a conversation that they left."""

from __future__ import annotations

from gaia.commands.remember import MOST_LINES, ChatAnnouncements
from gaia.digest.write import Committed
from gaia.memory.memory import Memory
from tests.harness.memories import a_memory

PORTO = a_memory(2, "Lives in Porto")


def committed(*learned: Memory, replaced=()) -> Committed:
    return Committed(learned=learned, replaced=replaced, episode=None)


def test_nothing_new_is_said_in_a_sentence_and_offers_nothing_to_undo():
    reply = ChatAnnouncements().learned(committed())
    assert reply.text == "I read through our last conversation and found nothing new to keep."
    assert reply.buttons == ()


def test_what_is_new_and_what_it_replaces_is_told_once():
    old = a_memory(1, "Lives in *Lisbon*")
    gone = a_memory(3, "Has a dog")
    other = a_memory(4, "Likes tea")
    reply = ChatAnnouncements().learned(
        committed(PORTO, other, replaced=[(old, PORTO), (gone, None)])
    )
    assert reply.text.splitlines() == [
        "I read through our last conversation and keep:",
        "#2 “Lives in Porto”, replacing “Lives in \\*Lisbon\\*”",
        "“Has a dog” is no longer true",
        "#4 “Likes tea”",
        "/undo undoes it.",
    ]
    assert [button.command for button in reply.buttons] == ["/undo"]


def test_of_many_only_the_first_are_told():
    many = [a_memory(number, "Likes tea") for number in range(1, MOST_LINES + 4)]
    lines = ChatAnnouncements().learned(committed(*many)).text.splitlines()
    assert len(lines) == MOST_LINES + 3
    assert lines[-2] == "and 3 more: /memory"


def test_what_is_not_sure_is_only_counted():
    reply = ChatAnnouncements().learned(Committed(learned=(), replaced=(), episode=None, pending=2))
    assert reply.text.endswith("I am not sure of 2 more: /memory pending lists them.")

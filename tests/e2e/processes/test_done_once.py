"""What one process does for all is done once, whichever leads, and however often it is killed:
what people told is learned once, and what they wanted to be reminded of is said once.
"""

from __future__ import annotations

import asyncio
import signal

import pytest

from gaia.messages import REPEAT_MARK
from tests.harness.effort import rounds
from tests.harness.learning_model import LearningModel, Lesson

PEOPLE = range(1000, 1000 + rounds(4, thorough=30))
KILLS = rounds(2, thorough=20)
DUE = "UPDATE memories SET due_at = clock_timestamp() AT TIME ZONE 'UTC' WHERE due_at > now()"
UNREAD = "SELECT 1 FROM digests WHERE state != 'cleared'"
FACTS = "SELECT text FROM memories WHERE kind = 'fact' AND status = 'active' ORDER BY text"


def boat_of(person: int) -> str:
    return f"My boat is called Windhover {person}"


@pytest.mark.timeout(600)
async def test_digests_and_reminders_come_once_whoever_leads(made):
    reader = LearningModel(*(Lesson(boat_of(each), f"has a boat {each}") for each in PEOPLE))
    async with made(3, PEOPLE, reader) as cluster:
        await cluster.start()
        people = [cluster.telegram.person(number) for number in PEOPLE]

        def said_once(person, words: str) -> bool:
            """One copy is without a mark, or none: what was killed may not have sent it."""
            texts = [text for text in cluster.telegram.texts(person) if words in text]
            unmarked = sum(not text.startswith(REPEAT_MARK) for text in texts)
            return unmarked <= 1 and len({text.removeprefix(REPEAT_MARK) for text in texts}) == 1

        def all_have(words: str) -> bool:
            return all(
                any(words in text for text in cluster.telegram.texts(person)) for person in people
            )

        for person in people:
            person.writes(boat_of(person.chat_id))
        await cluster.telegram.until(lambda: all_have("echo: "))
        for person in people:
            person.writes("/remind in one hour feed the cat")
        await cluster.telegram.until(lambda: all_have("I will remind you"))
        for person in people:
            person.writes("/reset")
        cluster.execute(DUE)
        for _ in range(KILLS):
            await cluster.until(lambda: cluster.leader() is not None)
            leader = cluster.leader()
            leader.send(signal.SIGKILL)
            await leader.start()
            await asyncio.sleep(0.3)
        await cluster.until(lambda: all_have("Reminder: feed the cat"), seconds=90)
        await cluster.until(lambda: all_have("I read through our last conversation"), seconds=90)
        await cluster.until(lambda: cluster.rows(UNREAD) == [], seconds=90)
        for person in people:
            assert said_once(person, "Reminder: feed the cat")
            assert said_once(person, "I read through our last conversation")
        assert [text for (text,) in cluster.rows(FACTS)] == sorted(map(boat_of, PEOPLE))

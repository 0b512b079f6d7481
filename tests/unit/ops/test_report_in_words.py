"""The status report in words: all of it for the owner, little of it for a chat."""

from __future__ import annotations

import pytest

from gaia.ops.report import (
    DigestsStatus,
    MemoryStatus,
    PartStatus,
    QueueStatus,
    SettingsStatus,
    StatusReport,
    UsageStatus,
    WaitStatus,
)
from gaia.ops.status_text import duration, for_chat, for_owner
from gaia.testing.clock import START

MODEL = PartStatus(name="gemini-flash (gemini)", ok=True)
TERMINAL = PartStatus(name="terminal", ok=True)
MEMORY = MemoryStatus(enabled=True, memories=1_200, waiting=0, oldest_seconds=None, ok=True)
DIGESTS = DigestsStatus(enabled=True, waiting=0, failed=0, over_budget=0)
BROKEN = PartStatus(name="telegram", ok=False, detail="401 Unauthorized")


def report(**changes: object) -> StatusReport:
    whole = StatusReport(
        version="1.2",
        home="/home/ada/.gaia",
        pid=42,
        at=START,
        uptime_seconds=7_800,
        ready=True,
        model=MODEL,
        channels=(TERMINAL,),
        store=PartStatus(name="store", ok=True),
        settings=SettingsStatus(ok=True, loaded_at=START),
        memory=MEMORY,
        recall=PartStatus(name="recall", ok=True),
        forgetting=PartStatus(name="forgetting", ok=True),
        digests=DIGESTS,
        inbox=QueueStatus(waiting=0, dead=0, oldest_seconds=None),
        outbox=QueueStatus(waiting=2, dead=1, oldest_seconds=300),
        running_turns=1,
        users=2,
        usage_today=(
            UsageStatus(user="bob", model="gemini-flash", calls=3, tokens_in=40, tokens_out=5),
        ),
    )
    return whole.model_copy(update=changes)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h 0 min"),
        (7_800, "2 h 10 min"),
        (86_400, "1 d 0 h"),
        (349_200, "4 d 1 h"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_the_owner_reads_all_of_it() -> None:
    assert for_owner(report()).splitlines() == [
        "gaia 1.2, process 42, up 2 h 10 min",
        "home       /home/ada/.gaia",
        "model      gemini-flash (gemini), works",
        "channel    terminal, works",
        "inbox      0 waiting, 1 running",
        "outbox     2 waiting, the oldest for 5 min, 1 not delivered",
        "memory     1,200 memories",
        "learning   0 conversations to be read",
        "users      2",
        "today      bob: 3 calls of gemini-flash, 40 tokens in, 5 out",
    ]


def test_the_owner_reads_what_the_outbox_waits_for() -> None:
    causes = (
        WaitStatus(
            waiting=2,
            cause="the 24-hour window of WhatsApp is closed: what has not been sent waits "
            "until they write",
        ),
        WaitStatus(waiting=1, cause="flood"),
    )
    outbox = QueueStatus(waiting=3, dead=0, oldest_seconds=18_000, causes=causes)
    lines = for_owner(report(outbox=outbox)).splitlines()
    assert lines[5:9] == [
        "outbox     3 waiting, the oldest for 5 h 0 min",
        "           2 wait: the 24-hour window of WhatsApp is closed: what has not been",
        "             sent waits until they write",
        "           1 waits: flood",
    ]
    assert max(map(len, lines)) <= 80


def test_the_owner_reads_what_does_not_work_and_why() -> None:
    lines = for_owner(report(channels=(TERMINAL, BROKEN), ready=False)).splitlines()
    assert lines[0].endswith(", not ready")
    assert lines[4] == "channel    telegram, does not work: 401 Unauthorized"
    assert lines[-1] == "degraded   telegram, does not work: 401 Unauthorized"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"enabled": False, "detail": "off"}, "off"),
        ({"memories": 1, "waiting": 3}, "1 memory, 3 to be indexed"),
        ({"detail": "starting"}, "1,200 memories, starting"),
        (
            {"ok": False, "detail": "no key"},
            "1,200 memories, the index does not work: no key",
        ),
    ],
)
def test_memory_in_words(changes: dict[str, object], said: str) -> None:
    lines = for_owner(report(memory=MEMORY.model_copy(update=changes))).splitlines()
    assert f"memory     {said}" in lines


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"enabled": False}, "off"),
        ({"waiting": 1}, "1 conversation to be read"),
        ({"waiting": 2, "detail": "used up"}, "2 conversations to be read, used up"),
        ({"failed": 1, "detail": "no JSON"}, "0 conversations to be read, 1 could not be"),
    ],
)
def test_learning_in_words(changes: dict[str, object], said: str) -> None:
    lines = for_owner(report(digests=DIGESTS.model_copy(update=changes))).splitlines()
    assert f"learning   {said}" in lines


def test_a_conversation_that_cannot_be_read_is_told_to_everybody() -> None:
    failing = report(digests=DIGESTS.model_copy(update={"failed": 1, "detail": "no JSON"}))
    assert for_owner(failing).endswith("degraded   learning, does not work: no JSON")
    told = for_chat(failing, turns=1, waiting=0, to_be_read=2, unreadable=1).splitlines()
    assert told[-2:] == [
        "Learning: 2 conversations to be read, 1 could not be read yet.",
        "Not working: learning, does not work: no JSON",
    ]


def test_an_index_that_does_not_work_is_told_to_everybody() -> None:
    broken = report(memory=MEMORY.model_copy(update={"ok": False, "detail": "no key"}))
    assert for_owner(broken).endswith("degraded   memory index, does not work: no key")
    told = for_chat(broken, turns=1, waiting=0)
    assert told.endswith("Not working: memory index, does not work: no key")


def test_a_chat_reads_nothing_of_other_people_or_the_machine() -> None:
    text = for_chat(report(), turns=1, waiting=0)
    assert text.splitlines() == [
        "I'm up for 2 h 10 min, version 1.2.",
        "Model: gemini-flash (gemini), works",
        "Long-term memory: on",
        "This conversation: 1 turn, 0 waiting.",
    ]


def test_a_chat_reads_what_does_not_work_once() -> None:
    model = PartStatus(name="gemini-flash (gemini)", ok=False, detail="quota")
    text = for_chat(report(model=model, channels=(BROKEN,)), turns=2, waiting=1)
    assert text.count("quota") == 1
    assert text.splitlines()[-1] == "Not working: telegram, does not work: 401 Unauthorized"

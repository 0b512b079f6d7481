"""The status report in words for the owner, a line a subject."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.ops.report import (
    BackupStatus,
    ChannelStatus,
    JobStatus,
    LatencyStatus,
    PartStatus,
    QueueStatus,
    SettingsStatus,
    UsageStatus,
    WaitStatus,
)
from gaia.ops.status_text import Line, Own, Tone, for_chat, for_owner
from gaia.testing.clock import START
from tests.harness.reports import DIGESTS, MEMORY, MODEL, TERMINAL, WELL

BROKEN = ChannelStatus(
    name="telegram", ok=False, detail="401 Unauthorized", worked_at=START - timedelta(hours=3)
)
OWN = Own(turns=1, waiting=0)


def lines(subject: str, **changes: object) -> list[Line]:
    """The lines on a subject."""
    told = for_owner(WELL.model_copy(update=changes))
    return [line for line in told if line.subject == subject]


def words(subject: str, **changes: object) -> list[str]:
    return [line.text for line in lines(subject, **changes)]


def test_a_model_works_only_after_it_answered() -> None:
    untried = MODEL.model_copy(update={"was_tried": False})
    assert lines("model", model=untried)[0].text == "gemini-flash (gemini), not asked yet"
    assert told(model=untried)[1] == "Model: gemini-flash (gemini), not asked yet"
    lacking = untried.model_copy(update={"ok": False, "detail": "it is not installed"})
    assert lines("model", model=lacking)[0].text == (
        "gemini-flash (gemini), does not work: it is not installed"
    )


def tones(subject: str, **changes: object) -> set[Tone]:
    return {line.tone for line in lines(subject, **changes)}


def test_the_owner_reads_all_of_it_and_nothing_is_wrong() -> None:
    told = for_owner(WELL)
    assert [(line.subject, line.text) for line in told] == [
        ("gaia", f"{WELL.version}, process 42, up 2 h 10 min"),
        ("home", "/home/ada/.gaia"),
        ("settings", "in use for 2 h 0 min"),
        ("channels", "works"),
        ("model", "gemini-flash (gemini), works"),
        ("inbox", "0 waiting, 0 running"),
        ("outbox", "0 waiting"),
        ("memory", "1,200 memories"),
        ("learning", "0 conversations to be read"),
        ("backup", "none yet in /home/ada/.gaia/backups"),
        ("users", "2"),
    ]
    assert {line.tone for line in told} == {Tone.PLAIN}


def test_a_gaia_that_is_not_ready_says_so() -> None:
    assert words("gaia", ready=False)[0].endswith(", not ready")
    assert tones("gaia", ready=False) == {Tone.WARNING}


def test_a_mistake_in_the_settings_is_told_with_those_that_are_in_use() -> None:
    wrong = SettingsStatus(ok=False, detail="web.port is -1", loaded_at=START - timedelta(days=2))
    (line,) = lines("settings", settings=wrong)
    assert line.text == "those of 2 d 0 h ago are in use: web.port is -1"
    assert line.tone is Tone.BAD


def test_a_channel_says_when_it_last_really_worked() -> None:
    well = ChannelStatus(name="telegram", ok=True, worked_at=START - timedelta(seconds=12))
    assert words("channels", channels=(TERMINAL, well)) == ["works", "works, heard from 12 s ago"]
    (broken,) = lines("channels", channels=(BROKEN,))
    assert broken.text == "does not work: 401 Unauthorized, last heard from 3 h 0 min ago"
    assert (broken.name, broken.tone) == ("telegram", Tone.BAD)
    stalled = BROKEN.model_copy(update={"is_stalled": True, "worked_at": None})
    assert words("channels", channels=(stalled,))[0].endswith("a restart of gaia may help")


def test_the_model_says_how_it_did_today() -> None:
    assert words("model", model=MODEL.model_copy(update={"calls_today": 1})) == [
        "gemini-flash (gemini), works",
        "1 call today",
    ]
    busy = MODEL.model_copy(
        update={
            "calls_today": 1_200,
            "failed_today": 2,
            "latency": LatencyStatus(last=1.0, median=1.84, p95=75.0),
            "failed_at": START - timedelta(minutes=5),
            "cause": "HTTP 503",
        }
    )
    assert words("model", model=busy)[1:] == [
        "1,200 calls today, 2 failed; an answer takes 1.8 s, at times 1 min",
        "last failed 5 min ago: HTTP 503",
    ]
    assert tones("model", model=busy) == {Tone.PLAIN, Tone.WARNING}


def test_what_the_models_host_is_asked_without_is_told() -> None:
    lacking = MODEL.model_copy(update={"asked": "without tools, stream_options"})
    assert words("model", model=lacking)[1:] == [
        "asked without tools, stream_options: its host takes no more"
    ]


def test_a_model_that_does_not_work_says_why_once() -> None:
    down = MODEL.model_copy(
        update={"ok": False, "detail": "quota", "failed_at": START, "cause": "quota"}
    )
    assert words("model", model=down) == ["gemini-flash (gemini), does not work: quota"]
    assert tones("model", model=down) == {Tone.BAD}


def test_queues_say_what_waits_for_how_long_and_why() -> None:
    inbox = QueueStatus(waiting=1, dead=2, oldest_seconds=65)
    assert words("inbox", inbox=inbox) == [
        "1 waiting, the oldest for 1 min, 2 unanswered, 0 running"
    ]
    assert tones("inbox", inbox=inbox) == {Tone.WARNING}
    causes = (WaitStatus(waiting=2, cause="the window is closed"), WaitStatus(waiting=1, cause="x"))
    outbox = QueueStatus(waiting=3, dead=0, oldest_seconds=18_000, causes=causes)
    assert words("outbox", outbox=outbox) == [
        "3 waiting, the oldest for 5 h 0 min",
        "2 wait: the window is closed",
        "1 waits: x",
    ]


@pytest.mark.parametrize(
    ("changes", "said", "tone"),
    [
        ({"enabled": False, "detail": "off"}, "off", Tone.PLAIN),
        (
            {"memories": 1, "waiting": 3, "oldest_seconds": 60},
            "1 memory, 3 to be indexed for 1 min",
            Tone.PLAIN,
        ),
        ({"detail": "starting"}, "1,200 memories, starting", Tone.PLAIN),
        (
            {"ok": False, "detail": "no key"},
            "1,200 memories, the index does not work: no key",
            Tone.BAD,
        ),
    ],
)
def test_memory_in_words(changes: dict[str, object], said: str, tone: Tone) -> None:
    (line,) = lines("memory", memory=MEMORY.model_copy(update=changes))
    assert (line.text, line.tone) == (said, tone)


@pytest.mark.parametrize(
    ("changes", "said", "tone"),
    [
        ({"enabled": False}, "off", Tone.PLAIN),
        ({"waiting": 1}, "1 conversation to be read", Tone.PLAIN),
        ({"waiting": 2, "detail": "used up"}, "2 conversations to be read, used up", Tone.PLAIN),
        ({"failed": 1, "detail": "no JSON"}, "0 conversations to be read, no JSON", Tone.BAD),
    ],
)
def test_learning_in_words(changes: dict[str, object], said: str, tone: Tone) -> None:
    (line,) = lines("learning", digests=DIGESTS.model_copy(update=changes))
    assert (line.text, line.tone) == (said, tone)


def test_parts_that_work_without_a_word_are_told_when_they_do_not() -> None:
    assert lines("recall") == lines("forgetting") == []
    late = PartStatus(name="forgetting", ok=False, detail="files still hold it")
    assert words("forgetting", forgetting=late) == ["does not work: files still hold it"]
    assert tones("forgetting", forgetting=late) == {Tone.BAD}


def test_jobs_say_when_they_ran_whether_late_and_when_next() -> None:
    three_ago, in_21 = START - timedelta(hours=3), START + timedelta(hours=21)
    jobs = (
        JobStatus(name="upkeep", state="ok", started_at=three_ago, next_at=in_21),
        JobStatus(name="backup", state="failed", started_at=three_ago, error="disk full"),
        JobStatus(name="sweep", state="ok", started_at=three_ago, late_seconds=7_200),
        JobStatus(name="upkeep2", state="waits", late_seconds=600, next_at=START),
    )
    told = lines("jobs", jobs=jobs)
    assert [(line.name, line.text, line.tone) for line in told] == [
        ("upkeep", "ok, 3 h 0 min ago, next in 21 h 0 min", Tone.PLAIN),
        ("backup", "failed, 3 h 0 min ago: disk full", Tone.BAD),
        ("sweep", "ok, 3 h 0 min ago, 2 h 0 min late", Tone.PLAIN),
        ("upkeep2", "waits, 10 min late, due now", Tone.WARNING),
    ]


@pytest.mark.parametrize(
    ("enabled", "days", "said", "tone"),
    [
        (True, 1, "the last one 1 d 0 h ago", Tone.PLAIN),
        (True, None, "none yet in /b", Tone.PLAIN),
        (False, 9, "the last one 9 d 0 h ago, and none is made by itself", Tone.PLAIN),
        (False, None, "none, and none is made by itself", Tone.WARNING),
    ],
)
def test_the_last_backup(enabled: bool, days: int | None, said: str, tone: Tone) -> None:
    last_at = None if days is None else START - timedelta(days=days)
    (line,) = lines("backup", backup=BackupStatus(enabled=enabled, folder="/b", last_at=last_at))
    assert (line.text, line.tone) == (said, tone)


def test_what_each_user_used_today_stands_in_columns() -> None:
    used = (
        UsageStatus(user="ada", calls=12, tokens_in=34_000, tokens_out=500, cost=1.5),
        UsageStatus(user="bob", calls=1, tokens_in=4, tokens_out=5),
        UsageStatus(user="eve", calls=3, tokens_in=1, tokens_out=0, cost=0.001, unpriced=1),
        UsageStatus(user="kim", calls=3, tokens_in=1, tokens_out=0, cost=0.0),
    )
    told = lines("today", usage_today=used)
    assert [line.name for line in told] == ["ada", "bob", "eve", "kim"]
    assert [line.text for line in told] == [
        "12 calls  34,500 tokens                     1.50 EUR",
        "  1 call       9 tokens               cost not known",
        " 3 calls        1 token  less than 0.01 EUR and more",
        " 3 calls        1 token                     0.00 EUR",
    ]


def test_a_disk_that_is_no_place_for_the_database_is_a_warning() -> None:
    unsafe = PartStatus(name="file system", ok=False, detail="it lies on nfs4")
    (line,) = lines("file system", file_system=unsafe)
    assert (line.text, line.tone) == ("it lies on nfs4", Tone.WARNING)
    assert WELL.model_copy(update={"file_system": unsafe}).degraded == ()


def test_what_does_not_work_is_in_the_report_by_name() -> None:
    failed = JobStatus(name="backup", state="failed", error="disk full")
    report = WELL.model_copy(update={"channels": (BROKEN,), "jobs": (failed,)})
    assert [(part.name, part.detail) for part in report.degraded] == [
        ("telegram", "401 Unauthorized"),
        ("job backup", "disk full"),
    ]
    assert WELL.degraded == ()


def told(own: Own = OWN, **changes: object) -> list[str]:
    return for_chat(WELL.model_copy(update=changes), own).splitlines()


def test_a_chat_reads_nothing_of_other_people_or_the_machine() -> None:
    others = (UsageStatus(user="bob", calls=3, tokens_in=40, tokens_out=5),)
    assert told(usage_today=others) == [
        f"I have been up for 2 h 10 min, version {WELL.version}.",
        "Model: gemini-flash (gemini), works",
        "Long-term memory: on",
        "This conversation: 1 turn, 0 waiting.",
    ]


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (None, "Today you have used 34,500 tokens."),
        (0.0, "Today you have used 34,500 tokens."),
        (1.5, "Today you have used 34,500 tokens, 1.50 EUR."),
    ],
)
def test_what_one_used_oneself_is_told(cost: float | None, said: str) -> None:
    used = UsageStatus(user="ada", calls=2, tokens_in=34_000, tokens_out=500, cost=cost)
    assert told(Own(turns=1, waiting=0, used=used))[-1] == said


def test_what_does_not_work_is_told_once_and_with_its_cause() -> None:
    model = MODEL.model_copy(update={"ok": False, "detail": "quota"})
    broken = ChannelStatus(name="telegram", ok=False, detail="401 Unauthorized")
    lines = told(model=model, channels=(broken,))
    assert "\n".join(lines).count("quota") == 1
    assert lines[-1] == "Not working: telegram: 401 Unauthorized"
    index = MEMORY.model_copy(update={"ok": False, "detail": "no key"})
    assert told(memory=index)[-1] == "Not working: memory index: no key"


def test_conversations_that_could_not_be_read_are_told_to_who_had_them_alone() -> None:
    failing = DIGESTS.model_copy(update={"failed": 5, "detail": "5 conversations: no JSON"})
    assert not any("5" in line for line in told(digests=failing)[1:])
    theirs = Own(turns=1, waiting=0, to_be_read=2, unreadable=1)
    assert told(theirs, digests=failing)[-1] == (
        "Learning: 2 conversations to be read, 1 could not be read yet."
    )


def test_mistakes_in_the_settings_and_failed_jobs_are_told_to_owners_alone() -> None:
    wrong = SettingsStatus(ok=False, detail="web.port is -1", loaded_at=START)
    failed = JobStatus(name="backup", state="failed", error="disk full")
    assert not any("Not working" in line for line in told(settings=wrong, jobs=(failed,)))
    owner = Own(turns=1, waiting=0, is_owner=True)
    assert told(owner, settings=wrong, jobs=(failed,))[-2:] == [
        "Not working: settings: web.port is -1",
        "Not working: job backup: disk full",
    ]

"""The status as a person in a chat reads it."""

from __future__ import annotations

import pytest

from gaia.ops.report import ChannelStatus, JobStatus, SettingsStatus, UsageStatus
from gaia.ops.status_in_chat import Own, for_chat
from gaia.testing.clock import START
from tests.harness.reports import DIGESTS, MEMORY, MODEL, WELL

OWN = Own(turns=1, waiting=0)


def told(own: Own = OWN, **changes: object) -> list[str]:
    return for_chat(WELL.model_copy(update=changes), own).splitlines()


def test_a_chat_reads_nothing_of_other_people_or_the_machine() -> None:
    others = (UsageStatus(user="bob", calls=3, tokens_in=40, tokens_out=5),)
    assert told(usage_today=others) == [
        f"I'm up for 2 h 10 min, version {WELL.version}.",
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

"""Weather is drawn from its seed, and leaves a client what it needs to be right."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from gaia.messages import REPEAT_MARK
from tests.servers.twilio.callbacks import course_of
from tests.servers.twilio.faults import CREATE_MESSAGE, LIST_MESSAGES, Hang, RequestSeen
from tests.servers.twilio.messages import Message
from tests.servers.twilio.weather import TRANSIENT, Reports, Weather

ADA = "+4915112345678"


def request(text: str = "hello", operation: str = CREATE_MESSAGE) -> RequestSeen:
    return RequestSeen(operation, {"Body": text}, ADA, 1, 1)


def message(text: str = "hello") -> Message:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Message("SM" + "0" * 32, ADA, False, text, at, "queued")


def test_the_same_seed_is_the_same_weather() -> None:
    first, second = (Weather(random.Random(7), likelihood=0.5, hangs=3) for _ in range(2))
    requests = [request(f"{number}") for number in range(100)]

    assert [first(each) for each in requests] == [second(each) for each in requests]
    assert len(first.met) == 6


def test_a_text_is_uncertain_once_and_a_repeat_never() -> None:
    weather = Weather(random.Random(7), likelihood=1)
    for _ in range(100):
        weather(request())
        weather(request(REPEAT_MARK + "again"))

    assert weather.uncertain == {(ADA, "hello")}
    uncertain = ("ServerError", "CutAfterRead", "MalformedJson")
    assert sum(weather.met[f"CreateMessage {kind}"] for kind in uncertain) == 1


def test_no_more_requests_hang_than_may() -> None:
    weather = Weather(random.Random(7), likelihood=1, hangs=2)
    faults = [weather(request(f"{number}")) for number in range(100)]

    assert sum(isinstance(fault, Hang) for fault in faults) == 2


def test_requests_that_send_nothing_suffer_as_well() -> None:
    weather = Weather(random.Random(7), likelihood=1)
    for _ in range(50):
        weather(request(operation=LIST_MESSAGES))

    assert len(weather.met) == 5


def test_reports_of_all_kinds_come_from_the_seed() -> None:
    course = course_of(None, is_blocked=False)
    first, second = (Reports(random.Random(7), failing=0.2) for _ in range(2))
    messages = [message(f"{number}") for number in range(100)]

    assert [first(m, course) for m in messages] == [second(m, course) for m in messages]
    assert len(first.met) == 9


def test_a_text_fails_once_for_a_cause_that_passes() -> None:
    course = course_of(None, is_blocked=False)
    reports = Reports(random.Random(7), failing=1)

    failed = reports(message(), course)
    again = reports(message(REPEAT_MARK + "hello"), course)

    assert failed[-1].code == TRANSIENT
    assert not any(step.code for step in again)

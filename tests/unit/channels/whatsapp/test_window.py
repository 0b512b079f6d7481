from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from channels.whatsapp.api import Timing
from channels.whatsapp.sender import (
    ASKED,
    INVITATION,
    LONGEST_VALUE,
    WITHOUT_TEMPLATE,
    FreeText,
    InTemplate,
    Invite,
    Template,
    Wait,
    Way,
    way_of,
)
from gaia.messages import REPEAT_MARK, Contact, Outbound, OutboundFile

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
DAY = timedelta(hours=24)
TEMPLATE = Template(f"HX{'0' * 32}", "1")
BARE = Template(f"HX{'0' * 32}", "")
CLOSED = Contact(written_at=NOW - DAY)
ASKED_BEFORE = Contact(written_at=NOW - DAY, asked_at=NOW - timedelta(hours=1))
CHUNK = Outbound(outbox_id=1, chat="+491511", text="Tea at four.", seq=0, final=True)


def way(outbound: Outbound, template: Template | None = TEMPLATE) -> Way:
    return way_of(outbound, template, NOW, Timing().window)


@pytest.mark.parametrize(
    ("age", "is_open"),
    [
        (timedelta(0), True),
        (timedelta(hours=23, minutes=58, seconds=59), True),
        (timedelta(hours=23, minutes=59), False),
        (DAY, False),
        (timedelta(minutes=-5), True),
    ],
)
def test_free_text_goes_within_a_day_but_for_its_last_minute(
    age: timedelta, *, is_open: bool
) -> None:
    chunk = replace(CHUNK, contact=Contact(written_at=NOW - age))
    assert isinstance(way(chunk), FreeText) is is_open


def test_nobody_of_whom_nothing_is_known_is_written_to_freely() -> None:
    assert way(CHUNK, None) == Wait(WITHOUT_TEMPLATE)


def test_a_short_reply_goes_in_the_template() -> None:
    chunk = replace(CHUNK, contact=CLOSED)
    assert way(chunk) == InTemplate(TEMPLATE, {"1": "Tea at four."})


def test_a_short_reply_goes_in_the_template_after_they_were_asked_too() -> None:
    assert isinstance(way(replace(CHUNK, contact=ASKED_BEFORE)), InTemplate)


def test_the_mark_of_a_repeat_is_in_the_template() -> None:
    repeated = way(replace(CHUNK, contact=CLOSED, is_repeat=True))
    assert repeated == InTemplate(TEMPLATE, {"1": f"{REPEAT_MARK}Tea at four."})


@pytest.mark.parametrize(
    "chunk",
    [
        replace(CHUNK, text="x" * (LONGEST_VALUE + 1)),
        replace(CHUNK, seq=1),
        replace(CHUNK, final=False),
        replace(CHUNK, file=OutboundFile("memories.pdf", "application/pdf", 10)),
        replace(CHUNK, text=" \n "),
    ],
    ids=["long", "not the first", "not the last", "with a file", "blank"],
)
def test_what_does_not_fit_asks_once(chunk: Outbound) -> None:
    assert way(replace(chunk, contact=CLOSED)) == Invite(TEMPLATE)
    assert way(replace(chunk, contact=ASKED_BEFORE)) == Wait(ASKED)


def test_a_template_without_a_variable_can_only_ask() -> None:
    assert way(replace(CHUNK, contact=CLOSED), BARE) == Invite(BARE)
    assert BARE.asking() == {}
    assert TEMPLATE.asking() == {"1": INVITATION}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("one\ntwo\n\n  three", "one · two · three"),
        ("a      b\tc", "a b c"),
        ("\r\n• tea\r\n• milk\n", "• tea · • milk"),
        ("x" * LONGEST_VALUE, "x" * LONGEST_VALUE),
    ],
)
def test_a_variable_has_neither_line_breaks_nor_runs_of_spaces(text: str, value: str) -> None:
    assert TEMPLATE.carrying(text) == {"1": value}

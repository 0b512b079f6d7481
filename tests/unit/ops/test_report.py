"""A report made of an object: its attributes by their names, and what differs by hand."""

from __future__ import annotations

import pytest

from gaia.messages import Health
from gaia.ops.report import ChannelStatus, LatencyStatus, Report


def test_report_has_the_attributes_of_its_source() -> None:
    told = ChannelStatus.of(Health(ok=False, detail="no network", is_stalled=True), name="telegram")
    assert told == ChannelStatus(name="telegram", ok=False, detail="no network", is_stalled=True)


def test_what_is_given_counts_and_not_the_attribute() -> None:
    told = ChannelStatus.of(Health(ok=False, detail="no network"), name="telegram", detail="off")
    assert told.detail == "off"


def test_attribute_that_is_missing_is_no_default() -> None:
    with pytest.raises(AttributeError, match="last"):
        LatencyStatus.of(Health(ok=True))


def test_field_may_be_called_as_the_source_is() -> None:
    class Told(Report):
        source: str

    assert Told.of(object(), source="user").source == "user"

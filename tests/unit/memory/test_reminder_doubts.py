"""Words of a reminder that leave something open."""

from __future__ import annotations

import pytest

from gaia.memory.reminders.doubts import CONDITION


@pytest.mark.parametrize(
    ("task", "depends"),
    [
        ("cut the grass unless it rains", True),
        ("call Tom if he has not called by 5", True),
        ("if it is sunny to water the plants", True),
        ("den Rasen, falls es nicht regnet", True),
        ("tondre sauf s'il pleut", True),
        ("cortar el césped si no llueve", True),
        ("ask Bob if he is coming", False),
        ("check the oven", False),
    ],
)
def test_what_depends_on_something_is_known(task: str, *, depends: bool) -> None:
    assert bool(CONDITION.search(task)) == depends

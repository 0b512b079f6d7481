from __future__ import annotations

import pytest

from gaia.ops.status_text import counted_turns


@pytest.mark.parametrize(("turns", "said"), [(0, "0 turns"), (1, "1 turn"), (2, "2 turns")])
def test_turns_are_counted_in_words(turns: int, said: str) -> None:
    assert counted_turns(turns) == said

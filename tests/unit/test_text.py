"""Texts cut to what a line has room for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gaia.text import cut, one_line


@given(st.text(), st.integers(1, 20))
def test_what_is_cut_is_never_longer_than_it_may_be(text: str, longest: int) -> None:
    shown = cut(text, longest)
    assert len(shown) <= longest
    assert shown == text or shown.endswith("…")


def test_what_fits_stays_as_it_is() -> None:
    assert cut("four", 4) == "four"
    assert cut("four and more", 5) == "four…"


def test_a_line_has_its_words_one_space_apart() -> None:
    assert one_line(" Ada\n  Lovelace ") == "Ada Lovelace"
    assert one_line("Ada\nLovelace", 4) == "Ada…"

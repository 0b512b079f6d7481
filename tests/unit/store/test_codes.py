"""Pairing codes: what is one, however it is written, and what is kept of it."""

import pytest

from gaia.store import codes
from gaia.store.codes import ALPHABET, new_code, read_code


async def test_a_code_is_read_however_it_is_written() -> None:
    code = new_code()
    plain = code.shown.replace("-", "")
    for text in (
        code.shown,
        code.shown.lower(),
        plain,
        f"  {plain[:4]} {plain[4:].lower()}\n",
        f"{plain[:4]} - {plain[4:]}",
        code.shown.replace("-", "\u2013"),
    ):
        assert read_code(text) == plain


async def test_a_code_is_known_by_its_hash_alone() -> None:
    code, other = new_code(), new_code()
    plain = code.shown.replace("-", "")
    assert codes.is_of(plain, code.salt, code.code_hash)
    assert not codes.is_of(plain, code.salt, other.code_hash)
    assert not codes.is_of(plain, other.salt, code.code_hash)
    assert code.salt != other.salt
    assert plain not in repr(code)
    assert code.shown not in repr(code)


def test_no_character_is_taken_for_another() -> None:
    assert len(set(ALPHABET)) == len(ALPHABET) == 31
    assert not set("01OIL") & set(ALPHABET)


@pytest.mark.parametrize(
    "text",
    ["Thursday", "23456789", "ABCD-EFG2 now", "ABC-DEFG2", "ABCD-EFG0", "ABCD-EFG", "", "/start"],
)
def test_words_numbers_and_the_rest_are_no_codes(text: str) -> None:
    assert read_code(text) is None


async def test_every_new_code_can_be_read_back() -> None:
    for _ in range(50):
        assert read_code((new_code()).shown) is not None

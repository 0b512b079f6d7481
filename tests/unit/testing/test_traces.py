"""The search for words in files: what it finds, and how they may be spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.traces import files_with


@pytest.mark.parametrize(
    "content",
    [b"the Blue pot", b"THE BLUE POT", b'{"said": "\\u00fcber blue"}', b"b\0l\0u\0e\0"],
)
def test_a_word_is_found_in_any_case_and_spelling(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "gaia.db-wal").write_bytes(b"\0\1" + content + b"\xff")
    (tmp_path / "other").write_bytes(b"the green pot")
    assert files_with(tmp_path, "blue") == ["deep/er/gaia.db-wal"]


def test_words_of_any_script_are_found_as_text_and_as_json(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("Grün")
    (tmp_path / "b").write_text('{"said": "gr\\u00fcn"}')
    (tmp_path / "grün.txt").write_text("")
    assert files_with(tmp_path, "grün", "rot") == ["a", "b", "grün.txt"]
    assert files_with(tmp_path, "rot") == []

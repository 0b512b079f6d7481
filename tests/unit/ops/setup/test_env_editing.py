"""An owner's `.env`, edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.ops.setup.env_editing import variables_in, with_variables
from gaia.settings.secrets import find_secrets


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "OPENAI_API_KEY=new\n"),
        ("# mine", "# mine\nOPENAI_API_KEY=new\n"),
        ("OPENAI_API_KEY=old # c\nX='1\n2'\n", "OPENAI_API_KEY=new\nX='1\n2'\n"),
        ("\n\nexport OPENAI_API_KEY='old'\r\nX=1\r\n", "\n\nexport OPENAI_API_KEY=new\r\nX=1\r\n"),
        ("OPENAI_API_KEY=1\nOPENAI_API_KEY=2", "OPENAI_API_KEY=1\nOPENAI_API_KEY=new"),
    ],
)
def test_a_variable_goes_where_it_stood(before: str, after: str) -> None:
    assert with_variables(before, {"OPENAI_API_KEY": "new"}) == after


LINES = st.lists(
    st.sampled_from(
        ["# note", "", "OTHER=1", "export MORE='a # b'", 'LONG="x\ny"', "OPENAI_API_KEY"]
    )
    | st.builds("OPENAI_API_KEY={}".format, st.sampled_from(["", "old", "'o # ld'", "old # c"]))
)
KEY = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1)


@settings(deadline=None)
@given(LINES, KEY)
def test_the_new_value_is_read_as_it_is_and_all_others_stay(lines: list[str], key: str) -> None:
    before = "\n".join(lines)
    after = with_variables(before, {"OPENAI_API_KEY": key})
    kept = {name: value for name, value in variables_in(before).items() if name != "OPENAI_API_KEY"}
    assert variables_in(after) == {**kept, "OPENAI_API_KEY": key}
    assert before.count("# note") == after.count("# note")


def test_gaia_reads_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(with_variables("", {"OPENAI_API_KEY": "it's#1"}), encoding="utf-8")
    file.chmod(0o600)
    found = find_secrets(file, {})
    assert found.secrets.values() == ["it's#1"]
    assert (found.mistakes, found.warnings) == ([], [])

"""What is written, and what is not."""

from __future__ import annotations

from pathlib import Path
from stat import S_IMODE

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from gaia.errors import HomeError, SettingsError
from gaia.ops.setup.answers import (
    Answers,
    Changes,
    ModelAnswer,
    TelegramAnswer,
    WhatsAppAnswer,
    plan,
)
from gaia.ops.setup.files import variables_in, with_variables, write
from gaia.paths import Home
from gaia.settings.load import load_settings
from gaia.settings.secrets import find_secrets

ALL = Answers(
    ModelAnswer("openai", "scripted", "http://127.0.0.1:1/v1", SecretStr("canary-key")),
    TelegramAnswer(True, SecretStr("123456:canary-token")),
    WhatsAppAnswer(
        True, "+14155238886", "https://gaia.example.org", SecretStr("AC1"), SecretStr("canary-auth")
    ),
)
LINES = st.lists(
    st.sampled_from(
        ["# note", "", "OTHER=1", "export MORE='a # b'", 'LONG="x\ny"', "OPENAI_API_KEY"]
    )
    | st.builds("OPENAI_API_KEY={}".format, st.sampled_from(["", "old", "'o # ld'", "old # c"]))
)
KEY = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


def answer(home: Home, answers: Answers) -> list[str]:
    changes = plan(answers, load_settings(home, {}))
    return [file.name for file in write(home, changes, {})]


def test_all_answers_are_found_again_where_gaia_looks_for_them(home: Home) -> None:
    assert answer(home, ALL) == [".env", "gaia.yaml"]
    loaded = load_settings(home, {})
    channels, model = loaded.settings.channels, loaded.settings.model
    assert (model.provider, model.name, model.base_url) == (
        *("openai", "scripted"),
        "http://127.0.0.1:1/v1",
    )
    assert channels.telegram.enabled
    assert (channels.whatsapp.number, channels.whatsapp.public_url) == (
        *("+14155238886", "https://gaia.example.org"),
    )
    assert sorted(loaded.secrets.values()) == sorted(
        ["canary-key", "123456:canary-token", "AC1", "canary-auth"]
    )
    assert loaded.warnings == ()


def test_the_files_are_their_owners_alone_and_gaia_yaml_has_no_secret(home: Home) -> None:
    answer(home, ALL)
    for file in (home.settings_file, home.env_file):
        assert S_IMODE(file.stat().st_mode) == 0o600
    text = home.settings_file.read_text()
    assert "canary" not in text
    assert "canary" not in repr(plan(ALL, load_settings(home, {})))
    assert "# Who serves it: auto, gemini" in text


def test_the_same_answers_again_change_nothing(home: Home) -> None:
    answer(home, ALL)
    before = {file: file.stat() for file in home.root.iterdir()}
    assert answer(home, ALL) == []
    assert {file: file.stat() for file in home.root.iterdir()} == before


def test_without_a_secret_no_env_file_is_made(home: Home) -> None:
    assert answer(home, Answers(ModelAnswer("embedded"))) == ["gaia.yaml"]
    assert not home.env_file.exists()


def test_other_lines_stay_and_a_file_that_is_a_link_stays_one(home: Home, tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles.yaml"
    elsewhere.write_text("\ufeff# mine\r\nweb: {port: 1}\r\n", newline="")
    home.settings_file.symlink_to(elsewhere)
    assert answer(home, Answers(telegram=TelegramAnswer(True))) == ["gaia.yaml"]
    assert home.settings_file.is_symlink()
    text = elsewhere.read_bytes().decode()
    assert text.startswith("\ufeff# mine\r\nweb: {port: 1}\r\n\r\n")
    assert text.count("\n") == text.count("\r\n")
    assert load_settings(home, {}).settings.channels.telegram.enabled


def test_what_would_be_a_mistake_is_told_and_not_written(home: Home) -> None:
    home.settings_file.write_text("web: {enabled: false}\n")
    with pytest.raises(SettingsError, match=r"web\.enabled is false") as caught:
        answer(home, ALL)
    assert all(str(home.root / "gaia.yaml") == each.file for each in caught.value.mistakes)
    assert [file.name for file in home.root.iterdir() if file.is_file()] == ["gaia.yaml"]
    assert home.settings_file.read_text() == "web: {enabled: false}\n"


def test_a_home_that_cannot_be_written_to_is_told_and_nothing_is_left_behind(home: Home) -> None:
    home.env_file.mkdir()
    with pytest.raises(HomeError, match=r"\.env"):
        write(home, Changes(variables={"OPENAI_API_KEY": "canary"}), {})
    assert not home.settings_file.exists()


def test_an_env_file_that_others_may_read_is_closed(home: Home) -> None:
    home.env_file.write_text("OPENAI_API_KEY=canary\n")
    home.env_file.chmod(0o644)
    answer(home, Answers())
    assert S_IMODE(home.env_file.stat().st_mode) == 0o600
    assert home.env_file.read_text() == "OPENAI_API_KEY=canary\n"


def test_what_holds_already_is_not_written_again_however_it_is_written(home: Home) -> None:
    text = "model: {provider: 'openai'}\n"
    home.settings_file.write_text(text)
    assert answer(home, Answers(ModelAnswer("openai"), TelegramAnswer(enabled=False))) == []
    assert home.settings_file.read_text() == text


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

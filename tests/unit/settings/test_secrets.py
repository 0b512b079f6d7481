"""Secrets: where they are found, and that none is ever shown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import SecretStr

from gaia.errors import SettingsError
from gaia.mistakes import Mistake
from gaia.paths import Home
from gaia.settings.load import load_settings
from gaia.settings.schema import Secrets, Settings
from gaia.settings.secrets import FoundSecrets, find_secrets, is_secret, variable_for
from tests.harness.effort import rounds

MistakesOf = Callable[[str], tuple[Mistake, ...]]
GEMINI_KEY = "AIza" + "x" * 35


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def write_env(env_file: Path, text: str) -> Path:
    env_file.write_text(text, encoding="utf-8")
    env_file.chmod(0o600)
    return env_file


def gemini_key(found: FoundSecrets) -> str | None:
    secret = found.secrets.gemini_api_key
    return secret.get_secret_value() if secret else None


def test_without_a_file_and_variables_there_are_none(env_file: Path) -> None:
    assert find_secrets(env_file, {}).secrets == Secrets()


def test_each_provider_has_its_variable(env_file: Path) -> None:
    variables = ("GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")
    found = find_secrets(env_file, {name: name.lower() for name in variables})
    for name in variables:
        secret = getattr(found.secrets, name.lower())
        assert secret.get_secret_value() == name.lower()
        assert found.sources[name] == "environment"


def test_the_file_is_read_with_quotes_export_and_comments(env_file: Path) -> None:
    write_env(env_file, "# keys\nexport GEMINI_API_KEY='a$b'\nOPENAI_API_KEY=\"c\" # mine\n")
    found = find_secrets(env_file, {})
    assert gemini_key(found) == "a$b"
    assert found.sources == {"GEMINI_API_KEY": str(env_file), "OPENAI_API_KEY": str(env_file)}
    assert found.warnings == []


def test_the_environment_wins_over_the_file(env_file: Path) -> None:
    write_env(env_file, "GEMINI_API_KEY=file\n")
    assert gemini_key(find_secrets(env_file, {"GEMINI_API_KEY": "environment"})) == "environment"
    assert gemini_key(find_secrets(env_file, {"GOOGLE_API_KEY": "environment"})) == "environment"


def test_an_empty_variable_switches_the_key_of_the_file_off(env_file: Path) -> None:
    write_env(env_file, "GEMINI_API_KEY=file\n")
    assert gemini_key(find_secrets(env_file, {"GEMINI_API_KEY": ""})) is None


def test_google_api_key_is_the_second_name_for_gemini(env_file: Path) -> None:
    found = find_secrets(env_file, {"GOOGLE_API_KEY": "google"})
    assert (gemini_key(found), found.sources) == ("google", {"GOOGLE_API_KEY": "environment"})
    both = {"GOOGLE_API_KEY": "google", "GEMINI_API_KEY": "gemini"}
    assert gemini_key(find_secrets(env_file, both)) == "gemini"
    assert gemini_key(find_secrets(env_file, {**both, "GEMINI_API_KEY": " "})) == "google"


def test_the_environment_of_the_process_stays_as_it_is(env_file: Path) -> None:
    write_env(env_file, "GEMINI_API_KEY=file\nOTHER=x\n")
    before = dict(os.environ)
    find_secrets(env_file, os.environ)
    assert dict(os.environ) == before


def test_a_file_that_others_may_read_is_warned_of(env_file: Path) -> None:
    write_env(env_file, "GEMINI_API_KEY=file\n").chmod(0o640)
    (warning,) = find_secrets(env_file, {}).warnings
    assert f"chmod 600 {env_file}" in warning


def test_a_misspelt_name_is_warned_of(env_file: Path) -> None:
    write_env(env_file, "\nGEMINI_API_KY=hunter2\nUNRELATED=x\n")
    (warning,) = find_secrets(env_file, {}).warnings
    assert "line 2: gaia does not read GEMINI_API_KY; did you mean GEMINI_API_KEY?" in warning
    assert "hunter2" not in warning


def test_a_secret_that_a_comment_cuts_off_is_warned_of(env_file: Path) -> None:
    write_env(env_file, "\nGAIA_BACKUP_PASSPHRASE=correct horse #1 battery\n")
    found = find_secrets(env_file, {})
    (warning,) = found.warnings
    assert f"{env_file}, line 2: GAIA_BACKUP_PASSPHRASE ends before '#'" in warning
    assert "put the value in quotes" in warning
    assert "correct" not in warning


@pytest.mark.parametrize(
    "line",
    [
        "GEMINI_API_KEY=key # mine",
        "GEMINI_API_KEY=key #",
        "GEMINI_API_KEY=key#1",
        "GEMINI_API_KEY='key' #mine",
        'GEMINI_API_KEY="key #1"',
        "UNRELATED=key #1",
        "# GEMINI_API_KEY=key #1",
    ],
)
def test_what_is_meant_as_a_comment_is_not(env_file: Path, line: str) -> None:
    assert find_secrets(write_env(env_file, f"{line}\n"), {}).warnings == []


def test_a_secret_that_stands_there_twice_is_warned_of(env_file: Path) -> None:
    write_env(env_file, "GEMINI_API_KEY=old\nGEMINI_API_KEY=new\nGEMINI_API_KEY=new\n")
    found = find_secrets(env_file, {})
    assert gemini_key(found) == "new"
    assert found.warnings == [
        f"{env_file}, line 2: GEMINI_API_KEY stands here again with another value, which "
        "counts: keep one of the two"
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("OPENAI_KEY", "OPENAI_API_KEY"),
        ("OPENAI_TOKEN", "OPENAI_API_KEY"),
        ("OPENAI_APIKEY", "OPENAI_API_KEY"),
        ("GAIA_OPENAI_API_KEY", "OPENAI_API_KEY"),
        ("CLAUDE_API_KEY", "ANTHROPIC_API_KEY"),
        ("ANTHROPIC_KEY", "ANTHROPIC_API_KEY"),
        ("gemini_key", "GEMINI_API_KEY"),
        ("GOOGLE_GEMINI_KEY", "GOOGLE_API_KEY"),
        ("TELEGRAM_TOKEN", "GAIA_TELEGRAM_BOT_TOKEN"),
        ("TELEGRAM_BOT_TOKEN", "GAIA_TELEGRAM_BOT_TOKEN"),
        ("TWILIO_SID", "GAIA_TWILIO_ACCOUNT_SID"),
        ("TWILIO_TOKEN", "GAIA_TWILIO_AUTH_TOKEN"),
        ("BACKUP_PASSWORD", "GAIA_BACKUP_PASSPHRASE"),
    ],
)
def test_a_near_miss_is_warned_of_with_the_name_that_is_meant(
    env_file: Path, name: str, meant: str
) -> None:
    (warning,) = find_secrets(write_env(env_file, f"{name}=hunter2\n"), {}).warnings
    assert f"gaia does not read {name}; did you mean {meant}?" in warning


@pytest.mark.parametrize(
    "name",
    ["OPENAI_BASE_URL", "GOOGLE_CLOUD_PROJECT", "TELEGRAM_CHAT_ID", "GITHUB_TOKEN", "MONKEY"],
)
def test_what_is_for_others_is_not_warned_of(env_file: Path, name: str) -> None:
    assert find_secrets(write_env(env_file, f"{name}=x\n"), {}).warnings == []


@pytest.mark.parametrize("text", ["A=1\n\n\nhunter2\n", "A=1\n\n\n'hunter2=x\n"])
def test_a_line_without_a_value_is_a_mistake(env_file: Path, text: str) -> None:
    (mistake,) = find_secrets(write_env(env_file, text), {}).mistakes
    assert mistake.line == 4
    assert "hunter2" not in str(mistake)


@pytest.mark.parametrize("value", ["hunter2 hunter2", "hunter2\u00e9", "hunter2\nx"])
def test_a_value_that_is_no_key_is_a_mistake_and_not_shown(env_file: Path, value: str) -> None:
    (mistake,) = find_secrets(env_file, {"OPENAI_API_KEY": value}).mistakes
    assert mistake.key == "OPENAI_API_KEY"
    assert "hunter2" not in str(mistake)


def test_a_file_that_cannot_be_read_is_a_mistake(env_file: Path) -> None:
    env_file.mkdir()
    (mistake,) = find_secrets(env_file, {}).mistakes
    assert "cannot be read: Is a directory" in str(mistake)


def test_a_file_that_is_not_utf8_is_a_mistake(env_file: Path) -> None:
    env_file.write_bytes(b"A=\xff\n")
    (mistake,) = find_secrets(env_file, {}).mistakes
    assert "it is not UTF-8" in str(mistake)


def test_secrets_do_not_show_when_printed(home: Home) -> None:
    loaded = load_settings(home, {"GEMINI_API_KEY": GEMINI_KEY})
    assert GEMINI_KEY not in repr(loaded)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("gemini_api_key: {}", "gemini_api_key"),
        ("model: {{name: {}}}", "model.name"),
        ("model: {{api_key: {}}}", "model.api_key"),
        (
            "memory: {{llm: {{provider: x, config: {{apikey: {}}}}}}}",
            "memory.llm.config.apikey",
        ),
        (
            "memory: {{llm: {{provider: x, config: {{list: [a, {}]}}}}}}",
            "memory.llm.config.list.1",
        ),
    ],
)
def test_a_secret_in_gaia_yaml_is_refused_and_not_shown(
    mistakes_of: MistakesOf, home: Home, text: str, key: str
) -> None:
    (mistake,) = mistakes_of(text.format(GEMINI_KEY))
    assert (mistake.key, mistake.problem) == (key, "looks like a secret")
    assert mistake.remedy == f"Put it in {home.env_file} as GEMINI_API_KEY=..."
    assert GEMINI_KEY not in str(mistake)


@pytest.mark.parametrize(
    "text",
    [
        "memory: {vector_store: {provider: pgvector, config: {password: 12345678}}}",
        "model: {base_url: 'http://me:12345678@host/v1'}",
        "model: {base_url: ['http://me:12345678@host/v1']}",
    ],
)
def test_passwords_are_secrets_too(write_and_fail: Callable[[str], str], text: str) -> None:
    message = write_and_fail(text)
    assert "looks like a secret" in message
    assert "12345678" not in message


@pytest.fixture
def write_and_fail(home: Home) -> Callable[[str], str]:
    def load(text: str) -> str:
        home.settings_file.write_text(text)
        with pytest.raises(SettingsError) as caught:
            load_settings(home, {})
        return str(caught.value)

    return load


YAML_VALUES = st.recursive(
    st.sampled_from([GEMINI_KEY, f"x {GEMINI_KEY} y", "a", "", 1, None, True]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*Settings.model_fields, GEMINI_KEY, "llm"]), inner)
    ),
    max_leaves=8,
)


@given(value=YAML_VALUES, cut=st.integers(0, 200))
@hypothesis_settings(
    deadline=None,
    max_examples=rounds(25, thorough=150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_wherever_a_key_stands_no_message_shows_it(home: Home, value: object, cut: int) -> None:
    text = yaml.safe_dump({"model": value}) + f"*{GEMINI_KEY}"
    home.settings_file.write_text(text[: len(text) - cut])
    try:
        loaded = load_settings(home, {})
    except SettingsError as exc:
        told = f"{exc} {exc.mistakes!r}"
    else:
        told = repr(loaded)
    assert GEMINI_KEY not in told


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("sk-ant-" + "a" * 20, "ANTHROPIC_API_KEY"),
        ("sk-proj-" + "a" * 20, "OPENAI_API_KEY"),
        (GEMINI_KEY, "GEMINI_API_KEY"),
        ("123456789:" + "A" * 35, "GAIA_TELEGRAM_BOT_TOKEN"),
        ("ghp_" + "a" * 36, ""),
    ],
)
def test_keys_are_known_by_their_shape(text: str, variable: str) -> None:
    assert is_secret((), text)
    assert variable_for(text) == variable


@pytest.mark.parametrize("text", ["gpt-5", "http://127.0.0.1:11434/v1", "risk-averse", "qwen3:8b"])
def test_ordinary_values_are_no_secrets(text: str) -> None:
    assert not is_secret(("model", "name"), text)
    assert not is_secret(("max_tokens",), text)


def test_a_log_leaves_out_every_secret_that_is_set() -> None:
    every = {name: f"key-of-{name}" for name in Secrets.model_fields}
    assert set(Secrets.model_validate(every).values()) == set(every.values())
    assert Secrets().values() == []


def test_a_passphrase_may_be_made_of_words(tmp_path: Path) -> None:
    found = find_secrets(
        tmp_path / ".env", {"GAIA_BACKUP_PASSPHRASE": "ein schöner Satz", "OPENAI_API_KEY": "a b"}
    )
    assert found.secrets.backup_passphrase == SecretStr("ein schöner Satz")
    assert [mistake.key for mistake in found.mistakes] == ["OPENAI_API_KEY"]

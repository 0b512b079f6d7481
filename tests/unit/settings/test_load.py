"""gaia.yaml: what is taken from it, and how its mistakes are told."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from gaia.errors import SettingsError
from gaia.mistakes import Mistake
from gaia.paths import Home
from gaia.settings.keys import MOST_MISTAKES
from gaia.settings.load import load_settings
from gaia.settings.schema import Settings
from gaia.settings.watch import Watch
from gaia.testing.clock import FakeClock
from tests.harness.effort import rounds

WriteYaml = Callable[[str], Home]
MistakesOf = Callable[[str], tuple[Mistake, ...]]


def test_without_a_file_the_defaults_hold(home: Home) -> None:
    assert load_settings(home, {}).settings == Settings()


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null\n", "{}\n", "\ufeff"])
def test_an_empty_file_means_the_defaults(write_yaml: WriteYaml, text: str) -> None:
    assert load_settings(write_yaml(text), {}).settings == Settings()


def test_a_key_without_a_value_keeps_its_default(write_yaml: WriteYaml) -> None:
    home = write_yaml("model:\n  name:\nsessions:\n")
    assert load_settings(home, {}).settings == Settings()


def test_an_option_of_a_component_may_be_null(write_yaml: WriteYaml) -> None:
    home = write_yaml("memory: {llm: {provider: openai, config: {top_k: null}}}")
    assert load_settings(home, {}).settings.memory.llm.config == {"top_k": None}


def test_values_and_their_lines_are_read(write_yaml: WriteYaml) -> None:
    loaded = load_settings(
        write_yaml("""\
            model:
              provider: openai
              base_url: http://127.0.0.1:9/v1

            sessions: {window_turns: 3}
            """),
        {},
    )
    assert loaded.settings.model.provider == "openai"
    assert loaded.settings.sessions.window_turns == 3
    assert loaded.lines["model.base_url"] == 3
    assert loaded.lines["sessions.window_turns"] == 5


def test_a_whole_number_serves_where_a_fraction_may_stand(write_yaml: WriteYaml) -> None:
    home = write_yaml("model: {timeout_seconds: 5}")
    assert load_settings(home, {}).settings.model.timeout_seconds == 5.0


@pytest.mark.parametrize(
    ("text", "line", "column", "key", "problem", "remedy"),
    [
        (
            "model:\n  provider: gemni\n",
            *(2, 13, "model.provider", 'is "gemni"'),
            "Allowed: auto, gemini, openai, anthropic, embedded. Did you mean gemini?",
        ),
        (
            "logging: {level: info}",
            *(1, 18, "logging.level", 'is "info"'),
            "Allowed: DEBUG, INFO, WARNING, ERROR. Did you mean INFO?",
        ),
        (
            "sessions:\n  window_turns: 0\n",
            *(2, 17, "sessions.window_turns", "is 0"),
            "Allowed: a whole number from 1 to 1000",
        ),
        (
            "model:\n  retries: '3'\n",
            *(2, 12, "model.retries", 'is "3"'),
            "Allowed: a whole number from 0 to 10",
        ),
        (
            "model:\n  timeout_seconds: .inf\n",
            *(2, 20, "model.timeout_seconds", "is Infinity"),
            "Allowed: a number above 0 to 3600",
        ),
        (
            "web:\n  enabled: 1\n",
            *(2, 12, "web.enabled", "is 1"),
            "Allowed: true or false",
        ),
        (
            "web:\n  host: 127.0.0.1:80\n",
            *(2, 9, "web.host", 'is "127.0.0.1:80"'),
            "Allowed: an IP address or a host name, without a port",
        ),
        (
            "model:\n  base_url: ollama\n",
            *(2, 13, "model.base_url", 'is "ollama"'),
            "Allowed: empty, or an address such as http://127.0.0.1:11434/v1",
        ),
        (
            "model:\n  base_url: http://localhost:8080/v1/chat/completions\n",
            *(2, 13, "model.base_url", 'is "http://localhost:8080/v1/chat/completions"'),
            "Set it to http://localhost:8080/v1",
        ),
        (
            "model: gemini\n",
            *(1, 8, "model", 'is "gemini"'),
            "Allowed: a block of keys, indented below it",
        ),
        (
            "model: [gemini]\n",
            *(1, 8, "model", "is a list"),
            "Allowed: a block of keys, indented below it",
        ),
        (
            "model:\n  nmae: x\n",
            *(2, 3, "model.nmae", "is not a setting"),
            "Did you mean model.name?",
        ),
        (
            "window_turns: 3\n",
            *(1, 1, "window_turns", "is not a setting"),
            "Did you mean sessions.window_turns?",
        ),
        (
            "telephone: 3\n",
            *(1, 1, "telephone", "is not a setting"),
            "Remove it",
        ),
        (
            "memory:\n  llm: {config: {}}\n",
            *(2, 3, "memory.llm.provider", "is missing"),
            "Add it: a provider's name",
        ),
        (
            "model:\n  embedded: {context_tokens: 2048, max_reply_tokens: 2000}\n",
            *(2, 13, "model.embedded"),
            "does not fit: max_reply_tokens is more than half of context_tokens",
            "Change one of the two",
        ),
    ],
)
def test_a_mistake_names_place_key_value_and_remedy(
    mistakes_of: MistakesOf,
    text: str,
    line: int,
    column: int,
    key: str,
    problem: str,
    remedy: str,
) -> None:
    (mistake,) = mistakes_of(text)
    assert (mistake.line, mistake.column, mistake.key) == (line, column, key)
    assert mistake.problem == problem
    assert mistake.remedy == remedy


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(
    home: Home, write_yaml: WriteYaml
) -> None:
    write_yaml("web: {port: -1}\nnmae: x\nmodel: {retries: 11}\n")
    home.env_file.write_text("no value here\n")
    with pytest.raises(SettingsError) as caught:
        load_settings(home, {})
    assert [mistake.key for mistake in caught.value.mistakes] == [
        "web.port",
        "nmae",
        "model.retries",
        "",
    ]
    assert str(caught.value).splitlines()[0] == "4 mistakes in the configuration:"
    for mistake in caught.value.mistakes:
        assert str(mistake) in str(caught.value)
    assert caught.value.exit_code == 78


@pytest.mark.parametrize(
    "address",
    ["http://x:port/v1", "ftp://x/", "http://", "http://x/v1?a=b", "http://x/ y", "http://[x/"],
)
def test_what_is_no_address_is_refused(mistakes_of: MistakesOf, address: str) -> None:
    (mistake,) = mistakes_of(f"model: {{base_url: '{address}'}}")
    assert mistake.key == "model.base_url"


@pytest.mark.parametrize("host", ["0.0.0.0", "::1", "localhost", "gaia.example.org"])
def test_hosts_are_accepted(write_yaml: WriteYaml, host: str) -> None:
    assert load_settings(write_yaml(f"web: {{host: '{host}'}}"), {}).settings.web.host == host


def test_a_long_value_is_cut_in_the_message(mistakes_of: MistakesOf) -> None:
    (mistake,) = mistakes_of(f"model: {{provider: {'x' * 500}}}")
    assert len(mistake.problem) < 80


def test_a_file_that_is_not_utf8_is_refused(home: Home) -> None:
    home.settings_file.write_bytes(b"model: {name: caf\xe9}")
    with pytest.raises(
        SettingsError, match=r"gaia\.yaml: the file cannot be read: it is not UTF-8"
    ):
        load_settings(home, {})


def test_a_file_that_cannot_be_read_is_refused(home: Home) -> None:
    home.settings_file.mkdir()
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        load_settings(home, {})


def test_a_dangling_link_is_refused(home: Home) -> None:
    home.settings_file.symlink_to(home.root / "gone.yaml")
    with pytest.raises(SettingsError, match="links to a file that does not exist"):
        load_settings(home, {})


def test_a_setting_without_effect_is_warned_of(write_yaml: WriteYaml) -> None:
    home = write_yaml("model: {provider: embedded, base_url: 'http://x/v1', api_version: v1}")
    warnings = load_settings(home, {}).warnings
    assert [warning.split()[0] for warning in warnings] == ["model.base_url", "model.api_version"]


WHATSAPP = """
    channels:
      whatsapp: {{enabled: true, number: "+14155238886", public_url: "{url}"}}
    web:
      enabled: {web}
"""


def test_whatsapp_needs_the_web_server(mistakes_of: MistakesOf) -> None:
    (mistake,) = mistakes_of(WHATSAPP.format(url="https://gaia.example", web="false"))
    assert "web.enabled is false, and channels.whatsapp.enabled is true" in str(mistake)


@pytest.mark.parametrize("path", ["/hooks/whatsapp", "/hooks/", "/hooks", "/gaia/hooks/whatsapp/"])
def test_the_address_in_twilios_console_is_no_public_address(
    mistakes_of: MistakesOf, path: str
) -> None:
    url = f"https://gaia.example{path}"
    mistakes = mistakes_of(WHATSAPP.format(url=url, web="true"))
    assert any("without /hooks and what follows it" in str(each) for each in mistakes)


@pytest.mark.parametrize(
    ("url", "is_warned_of"),
    [
        ("http://gaia.example", True),
        ("http://192.168.1.5:8642", True),
        ("https://gaia.example", False),
        ("http://localhost:8642", False),
        ("http://127.0.0.1:8642", False),
    ],
)
def test_a_public_address_that_others_can_read_is_warned_of(
    write_yaml: WriteYaml, url: str, *, is_warned_of: bool
) -> None:
    home = write_yaml(WHATSAPP.format(url=url, web="true"))
    warnings = load_settings(home, {}).warnings
    assert any("public_url is not https" in each for each in warnings) is is_warned_of


@given(text=st.text(max_size=60))
@hypothesis_settings(
    deadline=None,
    max_examples=rounds(25, thorough=150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_text_is_settings_or_a_settings_error(home: Home, text: str) -> None:
    home.settings_file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with suppress(SettingsError):
        load_settings(home, {})


def test_a_file_that_is_too_large_is_told_at_once(home: Home) -> None:
    home.settings_file.write_text("".join(f"wrong_{number}: 1\n" for number in range(60_000)))
    started = time.monotonic()
    with pytest.raises(SettingsError, match="it has more than 128 kB"):
        load_settings(home, {})
    assert time.monotonic() - started < 1


def test_of_thousands_of_mistakes_the_first_are_told(home: Home) -> None:
    home.settings_file.write_text("".join(f"wrong_{number}: 1\n" for number in range(5_000)))
    with pytest.raises(SettingsError, match="4,900 more settings are wrong") as failure:
        load_settings(home, {})
    assert len(failure.value.mistakes) == MOST_MISTAKES + 1


@pytest.mark.parametrize("name", [".env", "gaia.yaml"])
def test_a_pipe_that_nobody_writes_into_is_not_waited_for(home: Home, name: str) -> None:
    os.mkfifo(home.root / name)
    with pytest.raises(SettingsError, match="it is a pipe or a device, and no file"):
        load_settings(home, {})
    Watch([home.root / name], FakeClock())


@pytest.mark.parametrize("last", ["", "sessions: {window_turns: *a9}\n", "<<: *a9\n"])
def test_anchors_that_explode_are_refused_at_once(home: Home, last: str) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for number in range(1, 10):
        lines.append(f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]")
    home.settings_file.write_text("\n".join([*lines, last]))
    began = time.monotonic()
    with pytest.raises(SettingsError):
        load_settings(home, {})
    assert time.monotonic() - began < 5


def test_a_device_without_end_is_not_read(home: Home) -> None:
    home.settings_file.symlink_to("/dev/zero")
    with pytest.raises(SettingsError, match="it is a pipe or a device"):
        load_settings(home, {})

"""`gaia config`, as it is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from gaia.cli.config import app
from gaia.errors import SettingsError
from gaia.settings.keys import all_keys

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def run(home: Path, *arguments: str, **variables: str) -> Result:
    environ = {"GAIA_HOME": str(home), **dict.fromkeys(KEYS), **variables}
    return CliRunner().invoke(app, arguments, env=environ)


@pytest.fixture
def bad_home(tmp_path: Path) -> Path:
    (tmp_path / "gaia.yaml").write_text("web: {port: -1}\nnmae: x\n")
    return tmp_path


def test_path_is_printed_whether_or_not_the_file_exists(tmp_path: Path) -> None:
    assert run(tmp_path, "path").stdout == f"{tmp_path / 'gaia.yaml'}\n"


def test_check_of_a_good_file_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text("web: {port: 0}\n")
    result = run(tmp_path, "check")
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'gaia.yaml'} is fine.\n")


def test_check_without_a_file_says_that_the_defaults_hold(tmp_path: Path) -> None:
    result = run(tmp_path, "check")
    assert result.exit_code == 0
    assert "the defaults apply" in result.stdout


def test_check_of_a_bad_file_tells_all_mistakes_and_exits_with_78(bad_home: Path) -> None:
    result = run(bad_home, "check")
    assert (result.exit_code, result.stdout) == (78, "")
    assert "line 1, column 13: web.port is -1" in result.stderr
    assert "line 2, column 1: nmae is not a setting" in result.stderr


def test_check_as_json_has_each_mistake_apart(bad_home: Path) -> None:
    result = run(bad_home, "check", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["ok"]) == (78, False)
    assert [mistake["key"] for mistake in found["mistakes"]] == ["web.port", "nmae"]


def test_check_as_json_of_a_good_file_is_ok(tmp_path: Path) -> None:
    result = run(tmp_path, "check", "--json")
    assert json.loads(result.stdout) == {"ok": True, "mistakes": [], "warnings": []}


def test_check_warns_of_a_models_address_without_a_path(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text("model: {base_url: 'http://localhost:11434'}\n")
    result = run(tmp_path, "check")
    assert result.exit_code == 0
    assert "most hosts of OpenAI's protocol want http://localhost:11434/v1" in result.stderr


def test_check_finds_that_no_embedded_model_has_the_name(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text("model: {name: llama3}\n")
    result = run(tmp_path, "check")
    assert result.exit_code == 78
    assert "model.name is 'llama3'" in result.stderr
    assert run(tmp_path, "check", OPENAI_API_KEY="x").exit_code == 0


def test_check_finds_that_the_named_provider_has_no_key(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text("model: {provider: gemini}\n")
    result = run(tmp_path, "check")
    assert result.exit_code == 78
    assert "GEMINI_API_KEY is not set" in result.stderr


def test_check_finds_what_enabled_channels_miss_with_the_line_that_enables_them(
    tmp_path: Path,
) -> None:
    file = tmp_path / "gaia.yaml"
    file.write_text(
        "model: {provider: gemini}\nchannels:\n  telegram:\n    enabled: true\n"
        '  whatsapp: {enabled: true, number: "+14155550100", public_url: "https://a.example"}\n'
    )
    result = run(tmp_path, "check")
    assert result.exit_code == 78
    assert "4 mistakes in the configuration" in result.stderr
    assert "GEMINI_API_KEY is not set" in result.stderr
    assert f"{file}, line 4: channels.telegram.enabled is true" in result.stderr
    assert "line 5: channels.whatsapp.enabled" in result.stderr
    found = json.loads(run(tmp_path, "check", "--json").stdout)
    assert [mistake["line"] for mistake in found["mistakes"]] == [1, 4, 5, 5]


def test_check_is_content_with_secrets_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text("channels: {telegram: {enabled: true}}\n")
    token = f"123456789:{'A' * 35}"
    assert run(tmp_path, "check").exit_code == 78
    assert run(tmp_path, "check", GAIA_TELEGRAM_BOT_TOKEN=token).exit_code == 0


@pytest.mark.parametrize(
    ("memory", "key", "meant"),
    [
        ("embedder: {provider: opanai}", "memory.embedder.provider", "openai"),
        ("embedder: {provider: Ollama}", "memory.embedder.provider", "ollama"),
        ("vector_store: {provider: quadrant}", "memory.vector_store.provider", "qdrant"),
        ("vector_store: {provider: chromadb}", "memory.vector_store.provider", "chroma"),
        ("llm: {provider: antropic}", "memory.llm.provider", "anthropic"),
    ],
)
def test_check_finds_providers_that_there_are_not(
    tmp_path: Path, memory: str, key: str, meant: str
) -> None:
    (tmp_path / "gaia.yaml").write_text(f"memory:\n  {memory}\n")
    result = run(tmp_path, "check")
    assert result.exit_code == 78
    assert f"line 2: {key} is " in result.stderr
    assert f"Did you mean {meant}?" in result.stderr
    assert not (tmp_path / "memory").exists()


@pytest.mark.parametrize("text", ["model: {provider: openai}\n", "web: {port: -1}\n"])
def test_check_warns_of_a_near_miss_beside_a_mistake(tmp_path: Path, text: str) -> None:
    (tmp_path / "gaia.yaml").write_text(text)
    (tmp_path / ".env").write_text("OPENAI_KEY=hunter2\n")
    (tmp_path / ".env").chmod(0o600)
    result = run(tmp_path, "check")
    assert result.exit_code == 78
    assert "does not read OPENAI_KEY; did you mean OPENAI_API_KEY?" in result.stderr
    (warning,) = json.loads(run(tmp_path, "check", "--json").stdout)["warnings"]
    assert "OPENAI_KEY" in warning
    assert "hunter2" not in result.stderr


def test_check_takes_each_provider_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text(
        "memory: {llm: {provider: openai}, embedder: {provider: ollama},"
        " vector_store: {provider: qdrant}}\n"
    )
    assert run(tmp_path, "check").exit_code == 0


def test_options_of_a_store_that_nobody_names_are_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text(
        "memory: {vector_store: {provider: auto, config: {path: there}}}\n"
    )
    result = run(tmp_path, "check")
    assert result.exit_code == 78
    assert "vector_store.config has options, and provider is auto: name one" in result.stderr


@pytest.mark.parametrize(
    "other", ["web: {port: -1}", "nmae: x", "web: 3", "model: {name: llama3}", ""]
)
def test_check_finds_a_missing_backup_folder_beside_another_mistake(
    tmp_path: Path, other: str
) -> None:
    text = "backup:\n  folder: /nowhere/at/all\n"
    (tmp_path / "gaia.yaml").write_text(f"{text}{other}\n")
    result = run(tmp_path, "check")
    assert result.exit_code == 78
    assert "line 2: backup.folder is '/nowhere/at/all', and there is no such" in result.stderr
    if other:
        assert other.split(":")[0] in result.stderr.replace("backup.folder", "")
    (tmp_path / "copies").mkdir()
    (tmp_path / "gaia.yaml").write_text("backup: {folder: copies}\n")
    assert run(tmp_path, "check").exit_code == 0


def test_show_tells_each_key_with_its_source(tmp_path: Path) -> None:
    (tmp_path / "gaia.yaml").write_text("web:\n  port: 0\n")
    lines = run(tmp_path, "show").stdout.splitlines()
    rows = {row[0]: row[1:] for row in map(str.split, lines)}
    assert rows["web.port"] == ["0", "gaia.yaml:2"]
    assert rows["web.host"] == ['"127.0.0.1"', "default"]
    assert rows.keys() >= {str(key) for key in all_keys()}


@pytest.mark.parametrize("arguments", [("show",), ("show", "--json")])
def test_show_tells_that_a_secret_is_set_and_not_what_it_is(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / ".env").write_text("GEMINI_API_KEY=hunter2\n")
    result = run(tmp_path, *arguments, OPENAI_API_KEY="hunter2")
    assert result.exit_code == 0
    assert "hunter2" not in result.output
    assert "GEMINI_API_KEY" in result.stdout


def test_show_as_json_has_values_sources_and_warnings(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=hunter2\n")
    (tmp_path / ".env").chmod(0o644)
    shown = json.loads(run(tmp_path, "show", "--json").stdout)
    assert shown["settings"]["web.port"] == {"value": 8642, "source": "default"}
    assert shown["secrets"]["OPENAI_API_KEY"] == {"set": True, "source": str(tmp_path / ".env")}
    assert shown["secrets"]["GEMINI_API_KEY"] == {"set": False, "source": None}
    assert "chmod 600" in shown["warnings"][0]


def test_show_of_bad_settings_fails_with_the_mistakes(bad_home: Path) -> None:
    assert isinstance(run(bad_home, "show").exception, SettingsError)


def test_the_printed_defaults_can_be_used_as_they_are(tmp_path: Path) -> None:
    printed = run(tmp_path, "show", "--defaults").stdout
    assert yaml.safe_load(printed)["web"]["port"] == 8642
    (tmp_path / "gaia.yaml").write_text(printed)
    assert run(tmp_path, "check").exit_code == 0

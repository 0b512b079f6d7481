"""What YAML makes of values without quotes, explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.errors import SettingsError
from gaia.paths import Home
from gaia.settings.load import LoadedSettings, load_settings


def load(folder: Path, text: str) -> LoadedSettings:
    (folder / "gaia.yaml").write_text(text, encoding="utf-8")
    return load_settings(Home(folder), {})


@pytest.mark.parametrize(
    ("text", "told", "remedy"),
    [
        ("model: {name: NO}", "is NO. YAML reads the word for false", '"NO"'),
        ("model: {name: on}", "is on. YAML reads the word for true", '"on"'),
        ("model: {name: 4.5}", "is 4.5. YAML reads the number 4.5", '"4.5"'),
        ("model: {name: 1}", "is 1. YAML reads the number 1", '"1"'),
        ("model: {name: 1e3}", "", ""),
        ("model: {name: 0x1F}", "is 0x1F. YAML reads the number 31", '"0x1F"'),
        ("model: {name: 010}", "is 010. YAML reads the number 8, counted by eights", '"010"'),
        ("model: {name: 3:30}", "YAML reads the number 210, counted by sixties", '"3:30"'),
        (
            "channels: {whatsapp: {number: +14155238886}}",
            "is +14155238886. YAML reads the number 14155238886",
            '"+14155238886"',
        ),
        ("backup: {folder: 2026}", "YAML reads the number 2026", '"2026"'),
        ("backup: {hour: 08}", "is 08, and YAML reads text", "without a leading 0"),
        ("web: {port: 09}", "is 09, and YAML reads text", "without a leading 0"),
        ("backup: {hour: 3:30}", "is 3:30, and YAML reads the number 210", "or a colon"),
    ],
)
def test_a_value_that_does_not_fit_tells_what_yaml_made_of_it(
    tmp_path: Path, text: str, told: str, remedy: str
) -> None:
    if not told:
        assert load(tmp_path, text).warnings == ()
        return
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text)
    (mistake,) = caught.value.mistakes
    assert told in f"{mistake.problem}. {mistake.remedy}"
    assert remedy in mistake.remedy


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("limits: {drain_seconds: 3:30.5}", "is 3:30.5, and YAML reads the number 210.5"),
        ("web: {port: 0_10}", "web.port is 0_10, and YAML reads the number 8, counted by eights"),
        ("web: {port: 010}", "web.port is 010, and YAML reads the number 8, counted by eights"),
        ("web:\n  port: 22:10", "line 2: web.port is 22:10, and YAML reads the number 1330"),
        ("model:\n  name: ${MODEL}", "model.name holds ${MODEL}, which nobody replaces"),
        ("model:\n  name: $MODEL", "model.name holds $MODEL"),
        ("backup:\n  folder: '%HOME%/copies'", "backup.folder holds %HOME%"),
        (
            "model:\n  instructions: Speak of C # and nothing else",
            "model.instructions ends before '#'",
        ),
        ("model:\n  name: gemini #3", "model.name ends before '#'"),
    ],
)
def test_what_silently_became_something_else_is_warned_of(
    tmp_path: Path, text: str, told: str
) -> None:
    (warning,) = load(tmp_path, text).warnings
    assert told in warning


@pytest.mark.parametrize(
    "text",
    [
        "web: {port: 8080}",
        "backup: {hour: 0}",
        "limits: {message_characters: 20_000}",
        "model:\n  name: gemini # the fast one",
        "model:\n  name: gemini#3",
        "model:\n  instructions: 'Speak of C # and nothing else'",
        "model:\n  instructions: Pay in $ or at 5% interest",
        "model:\n  instructions: |\n    # Rules\n    None.\n",
        "\ufeffweb:\n  port: 8080 #x",
    ],
)
def test_what_is_meant_as_it_is_read_is_left_alone(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text).warnings == ()

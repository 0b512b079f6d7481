"""Changes of settings: all are found, each says when it counts, and no secret is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.paths import Home
from gaia.settings.changes import EFFECTS, Change, differences, effect_of
from gaia.settings.keys import all_keys
from gaia.settings.load import LoadedSettings, load_settings

KEYS = tuple(str(key) for key in all_keys())


def loaded(home: Home, text: str = "", **environ: str) -> LoadedSettings:
    home.root.mkdir(exist_ok=True)
    home.settings_file.write_text(text)
    return load_settings(home, environ)


@pytest.mark.parametrize("key", KEYS)
def test_each_setting_says_when_a_change_of_it_counts(key: str) -> None:
    assert effect_of(key)


@pytest.mark.parametrize("key", EFFECTS)
def test_no_effect_is_told_of_a_setting_that_there_is_not(key: str) -> None:
    assert [each for each in KEYS if f"{each}.".startswith(f"{key}.")]


def test_of_an_unknown_key_nothing_is_told() -> None:
    with pytest.raises(KeyError):
        effect_of("unknown.key")


def test_what_differs_is_told_in_the_order_of_the_schema(home: Home) -> None:
    before = loaded(home, "web: {port: 1}\n")
    after = loaded(home, "web: {port: 2}\nmodel: {name: other}\n")
    assert differences(before, after) == [
        Change("model.name", "", "other", EFFECTS["model"]),
        Change("web.port", 1, 2, EFFECTS["web"]),
    ]


def test_comments_and_defaults_written_out_are_no_change(home: Home) -> None:
    assert not differences(loaded(home), loaded(home, "web: {port: 8642}  # as ever\n"))


def test_of_secrets_only_their_presence_is_told(home: Home) -> None:
    without, one, two = (
        loaded(home),
        loaded(home, OPENAI_API_KEY="canary-one"),
        loaded(home, OPENAI_API_KEY="canary-two"),
    )
    for before, after, words in (
        (without, one, "set"),
        (one, two, "set to another value"),
        (two, without, "not set"),
    ):
        (change,) = differences(before, after)
        assert (change.key, change.after, change.is_secret) == ("OPENAI_API_KEY", words, True)
        assert "canary" not in repr(change)


def test_the_documentation_tells_each_effect() -> None:
    text = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text(encoding="utf-8")
    for key, effect in EFFECTS.items():
        assert f"| `{key}` | {effect} |" in text, key

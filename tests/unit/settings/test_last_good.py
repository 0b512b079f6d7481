"""The last good settings: kept whole, and used when gaia.yaml has a mistake."""

from __future__ import annotations

import pytest

from gaia.errors import HomeError, SettingsError
from gaia.files import UNFINISHED
from gaia.paths import Home
from gaia.settings import load
from gaia.settings.load import load_settings

BROKEN = "model: {name: 3, provider: gemni}\n"


@pytest.fixture
def home(home: Home) -> Home:
    home.create()
    return home


def write(home: Home, text: str) -> None:
    home.settings_file.write_text(text)


def mistakes(home: Home) -> SettingsError:
    with pytest.raises(SettingsError) as raised:
        load_settings(home, {})
    return raised.value


def test_the_last_good_file_stands_in_for_a_broken_one(home: Home) -> None:
    write(home, "model: {name: good}  # a comment\n")
    load.keep(home, load_settings(home, {}))
    write(home, BROKEN)

    loaded = load.load_last_good(home, mistakes(home), {})

    assert loaded.settings.model.name == "good"
    assert loaded.problem == (
        "gaia.yaml, line 1 has 2 mistakes, the first: model.name is 3. "
        "The last good settings hold; 'gaia config check' tells more"
    )
    assert home.last_good_settings_file.read_text() == "model: {name: good}  # a comment\n"
    assert home.last_good_settings_file.stat().st_mode & 0o077 == 0


def test_without_a_last_good_file_the_mistakes_are_raised(home: Home) -> None:
    write(home, BROKEN)
    error = mistakes(home)
    with pytest.raises(SettingsError) as raised:
        load.load_last_good(home, error, {})
    assert raised.value is error


def test_a_last_good_file_that_is_not_good_any_more_is_of_no_use(home: Home) -> None:
    home.last_good_settings_file.write_text("unknown: 1\n")
    write(home, BROKEN)
    error = mistakes(home)
    with pytest.raises(SettingsError) as raised:
        load.load_last_good(home, error, {})
    assert raised.value is error


def test_what_is_wrong_in_env_is_not_mended_by_an_older_gaia_yaml(home: Home) -> None:
    load.keep(home, load_settings(home, {}))
    home.env_file.write_text("OPENAI_API_KEY\n")
    home.env_file.chmod(0o600)
    with pytest.raises(SettingsError, match="the line has no value"):
        load.load_last_good(home, mistakes(home), {})


def test_the_same_text_is_not_written_again(home: Home) -> None:
    write(home, "model: {name: good}\n")
    load.keep(home, load_settings(home, {}))
    before = home.last_good_settings_file.stat()
    load.keep(home, load_settings(home, {}))
    assert home.last_good_settings_file.stat() == before


def test_what_cannot_be_written_leaves_the_one_before(home: Home) -> None:
    write(home, "model: {name: good}\n")
    load.keep(home, load_settings(home, {}))
    file = home.last_good_settings_file
    file.with_name(f"{file.name}{UNFINISHED}").mkdir()
    write(home, "model: {name: better}\n")
    with pytest.raises(HomeError, match=r"cannot be kept .*free some space"):
        load.keep(home, load_settings(home, {}))
    assert "good" in home.last_good_settings_file.read_text()

"""A home of the test's own, and a way to write its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from gaia.errors import SettingsError
from gaia.mistakes import Mistake
from gaia.paths import Home
from gaia.settings.load import load_settings

WriteYaml = Callable[[str], Home]
MistakesOf = Callable[[str], tuple[Mistake, ...]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def write_yaml(home: Home) -> WriteYaml:
    """Write gaia.yaml and return its home."""

    def write(text: str) -> Home:
        home.settings_file.write_text(dedent(text), encoding="utf-8")
        return home

    return write


@pytest.fixture
def mistakes_of(write_yaml: WriteYaml) -> MistakesOf:
    """Load a gaia.yaml that is wrong and return what is wrong with it."""

    def load(text: str) -> tuple[Mistake, ...]:
        with pytest.raises(SettingsError) as caught:
            load_settings(write_yaml(text), {})
        return caught.value.mistakes

    return load

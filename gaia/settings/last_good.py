"""The last good gaia.yaml, kept beside it: gaia starts with that when gaia.yaml has a mistake."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gaia.errors import HomeError, SettingsError
from gaia.files import rewrite
from gaia.paths import Home
from gaia.settings.load import LoadedSettings, load_settings


def keep(home: Home, loaded: LoadedSettings) -> None:
    """Keep the text that these settings were read from, whole or not at all.

    Raises:
        HomeError: It cannot be written.
    """
    file = home.last_good_settings_file
    try:
        if file.exists() and file.read_text(encoding="utf-8") == loaded.text:
            return
        rewrite(file, loaded.text.encode())
    except (OSError, UnicodeDecodeError) as exc:
        raise HomeError(
            f"the last good settings cannot be kept as {str(file)!r} ({exc}): "
            "make the home writable by this user, and free some space"
        ) from exc


def load_last_good(
    home: Home, error: SettingsError, environ: Mapping[str, str] = os.environ
) -> LoadedSettings:
    """The settings of the last good gaia.yaml, in place of the present one, whose mistakes
    `error` tells.

    Raises:
        SettingsError: `error`, if there are none, or `.env` is what is wrong.
    """
    file = home.last_good_settings_file
    if not file.exists():
        raise error
    try:
        loaded = load_settings(home, environ, file=file)
    except SettingsError:
        raise error from None
    return replace(loaded, problem=problem_of(error, home.settings_file))


def problem_of(error: SettingsError, file: Path) -> str:
    """The mistakes in a line, for status pages."""
    first = error.mistakes[0] if error.mistakes else None
    if first is None:
        return f"{file.name} is not used: {error}"
    count = len(error.mistakes)
    counted = "a mistake" if count == 1 else f"{count} mistakes, the first"
    place = f", line {first.line}" if first.line else ""
    about = f"{first.key} {first.problem}".strip()
    return (
        f"{Path(first.file).name}{place} has {counted}: {about}. "
        "The last good settings hold; 'gaia config check' tells more"
    )

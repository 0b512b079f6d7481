"""The configuration files that come with gaia: the commented default, and examples."""

from __future__ import annotations

from pathlib import Path

import gaia


def config_folder() -> Path:
    """The folder of these files: in the package when gaia was installed from a wheel,
    at the top of the checkout otherwise."""
    package = Path(gaia.__file__).parent
    installed = package / "config"
    return installed if installed.is_dir() else package.parent / "config"


def default_settings_file() -> Path:
    """gaia.yaml with every key, its default and what it means."""
    return config_folder() / "gaia.yaml"

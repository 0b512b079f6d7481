"""Where gaia's tables are: in gaia.db, or in a PostgreSQL database that the settings name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gaia.errors import SettingsError
from gaia.extras import POSTGRESQL
from gaia.files import read_bounded
from gaia.paths import Home
from gaia.settings.urls import read_database_url

if TYPE_CHECKING:
    from sqlalchemy import URL

VARIABLE = "GAIA_DATABASE_URL"
MARKS = (b"database", VARIABLE.encode())
"""What stands in a file that may name a database."""

LARGEST_BYTES = 1024 * 1024


def database_url(home: Home, environ: Mapping[str, str] = os.environ) -> URL | None:
    """The PostgreSQL database of a home; None for its gaia.db.

    Raises:
        SettingsError: The settings may name one, and something in them is wrong.
    """
    url = url_of(_address(home, environ))
    if url is not None and not POSTGRESQL.is_installed:
        raise SettingsError(
            "the database is PostgreSQL's, and its driver is not installed: "
            f"{POSTGRESQL.install_line}"
        )
    return url


def in_file(home: Home) -> bool:
    """Whether a home's tables are in its gaia.db. Where its settings cannot be read, they are:
    what is wrong with those is told by who needs them."""
    try:
        return database_url(home) is None
    except SettingsError:
        return True


def there_is_one(home: Home) -> bool:
    """Whether a home has a database, as far as can be told without asking one."""
    return home.database.exists() or bool(_address(home, os.environ))


def url_of(text: str) -> URL | None:
    """The address as SQLAlchemy has it, with the driver that gaia uses; None for an empty one.

    Raises:
        HiddenError: It is none of a PostgreSQL database.
    """
    return read_database_url(text) if text else None


def _address(home: Home, environ: Mapping[str, str]) -> str:
    """What names the database. Where a secret does, what is wrong in gaia.yaml does not matter.

    Raises:
        SettingsError: Something in the settings is wrong.
    """
    if VARIABLE not in environ and not any(map(_is_marked, (home.settings_file, home.env_file))):
        # Most homes: their settings need not be read for this.
        return ""
    from gaia.settings.secrets import find_secrets

    found = find_secrets(home.env_file, environ)
    if found.secrets.database_url is not None and not found.mistakes:
        return found.secrets.database_url.get_secret_value()
    from gaia.settings.load import load_settings

    return load_settings(home, environ).settings.database.url


def _is_marked(file: Path) -> bool:
    try:
        content = read_bounded(file, LARGEST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # Whatever is wrong with it is told by who reads the settings.
        return True
    return any(mark in content for mark in MARKS)

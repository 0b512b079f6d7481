"""Which database a home's is, whatever else its settings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.errors import SettingsError
from gaia.paths import Home
from gaia.store.location import VARIABLE, database_url, in_file

URL = "postgresql://gaia@db.example.org/gaia"


@pytest.fixture
def broken_home(tmp_path: Path) -> Home:
    """One whose gaia.yaml names a database, and has a mistake."""
    home = Home(tmp_path)
    home.settings_file.write_text(f"database: {{url: '{URL}'}}\ncosts: {{currency: ''}}\n")
    return home


def test_a_mistake_in_the_settings_hides_no_database_that_a_secret_names(broken_home: Home) -> None:
    another = "postgresql://gaia@db.example.org/another"
    named = database_url(broken_home, {VARIABLE: another})
    broken_home.env_file.write_text(f"{VARIABLE}={another}\n")
    for url in (named, database_url(broken_home, {})):
        assert (url is not None, url and url.database) == (True, "another")
    assert not in_file(broken_home)


def test_where_the_settings_alone_name_it_they_have_to_be_right(broken_home: Home) -> None:
    for environ in ({}, {VARIABLE: ""}):
        with pytest.raises(SettingsError, match=r"costs\.currency"):
            database_url(broken_home, environ)
    broken_home.env_file.write_text(f"{VARIABLE}={URL} \nno value\n")
    with pytest.raises(SettingsError, match="no value"):
        database_url(broken_home, {})


def test_an_address_that_cannot_be_read_is_one_mistake_without_its_password(tmp_path: Path) -> None:
    home, wrong = Home(tmp_path), f"{URL}?password=hunter2&ssl_mode=require"
    home.env_file.write_text(f"{VARIABLE}={wrong}\n")
    home.env_file.chmod(0o600)
    for environ in ({}, {VARIABLE: wrong}):
        with pytest.raises(
            SettingsError, match=f"{VARIABLE} has the option 'ssl_mode'.*Write it a"
        ) as told:
            database_url(home, environ)
        assert "hunter2" not in str(told.value)
    home.env_file.unlink()
    home.settings_file.write_text(f"database: {{url: '{wrong}'}}\n")
    with pytest.raises(
        SettingsError, match=r"database\.url has the option 'ssl_mode'.*Allowed"
    ) as told:
        database_url(home, {})
    assert "hunter2" not in str(told.value)

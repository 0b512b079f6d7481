from __future__ import annotations

import os
import pwd
import sys
from pathlib import Path

import pytest

from gaia.errors import ServiceError
from gaia.ops.service.unit import (
    Scope,
    command_here,
    home_in,
    home_of,
    system_unit,
    user_unit,
)
from gaia.paths import Home
from gaia.settings.schema import BackupSettings, LimitsSettings, Settings

SETTINGS = Settings(limits=LimitsSettings(drain_seconds=90))
NOBODY = "nobody"


def test_the_command_is_this_installation() -> None:
    program, *_ = command_here()
    assert Path(program).parent == Path(sys.executable).parent
    assert os.access(program, os.X_OK)


def test_a_home_is_named_where_it_is_not_the_usual_one(tmp_path: Path) -> None:
    assert user_unit(Home(Path.home() / ".gaia"), SETTINGS).home is None
    assert user_unit(Home(tmp_path), SETTINGS).home == tmp_path
    assert system_unit(home_of(NOBODY), SETTINGS, NOBODY).home is None
    assert system_unit(Home(tmp_path), SETTINGS, NOBODY).home == tmp_path


@pytest.mark.parametrize("name", ["home", "my home", "100 %", "a'b", 'a"b', "a\\b"])
def test_the_home_that_a_unit_names_is_read_back(tmp_path: Path, name: str) -> None:
    home = Home(tmp_path / name)
    assert home_in(user_unit(home, SETTINGS).text, Scope.USER) == home.root
    assert home_in(system_unit(home, SETTINGS, NOBODY).text, Scope.SYSTEM) == home.root


def test_a_unit_that_names_no_home_has_that_of_its_user() -> None:
    usual = Home(Path.home() / ".gaia")
    assert home_in(user_unit(usual, SETTINGS).text, Scope.USER) == usual.root
    theirs = home_of(NOBODY)
    assert home_in(system_unit(theirs, SETTINGS, NOBODY).text, Scope.SYSTEM) == theirs.root
    assert home_in("User=no-such-user\n", Scope.SYSTEM) == Path("/")


def test_the_time_to_end_fits_the_drain(tmp_path: Path) -> None:
    assert user_unit(Home(tmp_path), SETTINGS).stop_seconds == 110


def test_a_system_service_may_write_to_its_home_and_its_backups_alone(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert system_unit(home, Settings(), NOBODY).writable == [home.root]
    inside = Settings(backup=BackupSettings(folder="copies"))
    assert system_unit(home, inside, NOBODY).writable == [home.root]
    outside = Settings(backup=BackupSettings(folder="/srv/copies"))
    assert system_unit(home, outside, NOBODY).writable == [home.root, Path("/srv/copies")]


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("~/copies", Path(pwd.getpwnam(NOBODY).pw_dir, "copies")),
        ("~root/copies", Path(pwd.getpwnam("root").pw_dir, "copies")),
        ("../copies", Path("/srv/copies")),
    ],
)
def test_a_system_service_may_write_where_its_own_user_finds_the_folder(
    folder: str, found: Path
) -> None:
    settings = Settings(backup=BackupSettings(folder=folder))
    home = Home(Path("/srv/home"))
    assert system_unit(home, settings, NOBODY).writable == [home.root, found]


def test_a_socket_outside_the_home_is_found_by_others(tmp_path: Path) -> None:
    assert system_unit(Home(Path("/srv/gaia")), Settings(), NOBODY).is_tmp_private
    unit = system_unit(Home(Path("/srv") / ("x" * 100)), Settings(), NOBODY)
    assert not unit.is_tmp_private
    assert Path("/tmp") in unit.writable


def test_what_lies_in_a_persons_folder_stays_visible() -> None:
    unit = system_unit(Home(Path("/home/ada/.gaia")), Settings(), NOBODY)
    assert "ProtectHome=read-only" in unit.text
    assert "ReadWritePaths=-/home/ada/.gaia" in unit.text


def test_gaia_does_not_run_as_root_nor_as_nobody_knows_who() -> None:
    with pytest.raises(ServiceError, match="root"):
        home_of("root")
    with pytest.raises(ServiceError, match="useradd"):
        home_of("no-such-user")

"""`gaia service`, as it is called, on a machine where systemd does not run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.service import app
from gaia.errors import ServiceError, SettingsError
from gaia.ops.service.unit import is_as_written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Holds a `systemctl` that reaches nobody."""
    (tmp_path / "systemctl").write_text("#!/bin/sh\necho offline\nexit 1\n")
    (tmp_path / "systemctl").chmod(0o755)
    return tmp_path


def run(folder: Path, *arguments: str, **variables: str) -> Result:
    environ = {
        "GAIA_HOME": str(folder / "home"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PATH": f"{folder}:/usr/bin:/bin",
        "SUDO_USER": "",
        **variables,
    }
    return CliRunner().invoke(app, arguments, env=environ)


def test_a_dry_run_prints_the_unit_and_writes_nothing(folder: Path) -> None:
    result = run(folder, "install", "--dry-run")
    assert is_as_written(result.stdout)
    assert f"Environment=GAIA_HOME={folder / 'home'}\n" in result.stdout
    assert not (folder / "config").exists()


def test_a_dry_run_of_a_system_unit_needs_no_root(folder: Path) -> None:
    result = run(folder, "install", "--system", "--run-as", "nobody", "--dry-run")
    assert "User=nobody\n" in result.stdout
    assert f"ReadWritePaths=-{folder / 'home'}\n" in result.stdout
    assert (
        "User=nobody" in run(folder, "install", "--system", "--dry-run", SUDO_USER="nobody").stdout
    )


def test_who_it_runs_as_is_for_a_system_unit(folder: Path) -> None:
    result = run(folder, "install", "--run-as", "nobody")
    assert result.exit_code == 2
    assert "'nobody' needs --system" in result.stderr
    assert not (folder / "config").exists()


def test_a_system_unit_needs_a_user(folder: Path) -> None:
    result = run(folder, "install", "--system", "--dry-run")
    assert result.exit_code == 2
    assert "--run-as USER" in result.stderr


def test_installed_shown_and_removed(folder: Path) -> None:
    unit = folder / "config" / "systemd" / "user" / "gaia.service"
    installed = run(folder, "install")
    assert installed.exit_code == 0
    first, second, *_ = installed.stdout.splitlines()
    assert first.startswith("systemd does not answer here")
    assert second == f"{unit} is written."
    assert "  systemctl --user daemon-reload\n" in installed.stdout
    shown = run(folder, "status")
    assert shown.exit_code == 3
    assert "systemd does not run here" in shown.stdout
    state = json.loads(run(folder, "status", "--json").stdout)
    assert (state["scope"], state["installed"], state["manager"]) == ("user", True, False)
    removed = json.loads(run(folder, "uninstall", "--json").stdout)
    assert removed["changed"]
    assert not unit.exists()
    assert run(folder, "uninstall").exit_code == 0


def test_what_is_not_installed_is_said(folder: Path) -> None:
    result = run(folder, "status")
    assert result.exit_code == 3
    assert "'gaia service install'" in result.stdout


def test_no_service_is_made_of_a_wrong_configuration(folder: Path) -> None:
    (folder / "home").mkdir()
    (folder / "home" / "gaia.yaml").write_text("web: {port: -1}\n")
    assert isinstance(run(folder, "install").exception, SettingsError)
    assert not (folder / "config").exists()


def test_an_edited_unit_is_named(folder: Path) -> None:
    run(folder, "install")
    unit = folder / "config" / "systemd" / "user" / "gaia.service"
    unit.write_text(unit.read_text() + "# mine\n")
    assert isinstance(run(folder, "install").exception, ServiceError)
    assert run(folder, "install", "--force").exit_code == 0
    assert "edited by hand" not in run(folder, "status").stdout

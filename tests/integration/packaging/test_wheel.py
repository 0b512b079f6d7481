"""The built wheel, installed where no checkout is near, has all that it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gaia import __version__

ROOT = Path(__file__).parents[3]
MIGRATE = """
import pathlib, sys
from gaia.store.migrate import migrate
folder = pathlib.Path(sys.argv[1])
migrate(folder / "gaia.db", folder / "backups")
"""

Installed = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as an installer builds it."""
    folder = tmp_path_factory.mktemp("dist")
    run_python("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel in it. Its dependencies are those of the
    environment that runs the tests, lent by path so that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("environment with spaces")
    venv.create(folder)
    python = folder / "bin" / "python"
    run_python(
        *("-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"),
        *("--no-cache-dir", "--disable-pip-version-check", str(wheel)),
        cwd=folder,
    )
    lent = sysconfig.get_paths()["purelib"]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (folder / "lib" / version / "site-packages" / "lent.pth").write_text(lent)
    return folder


@pytest.fixture
def installed(environment: Path, tmp_path: Path) -> Installed:
    """Run a program of the environment in a home of its own, away from the checkout."""
    variables = {**os.environ, "GAIA_HOME": str(tmp_path / "home")}

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(environment / "bin" / program), *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=60
        )

    return run


def run_python(*arguments: str, cwd: Path) -> None:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_has_both_packages_the_configuration_and_every_migration(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        *(ROOT / "gaia").rglob("*.py"),
        *(ROOT / "gaia").rglob("*.mako"),
        *(ROOT / "gaia").rglob("*.json"),
        *(ROOT / "gaia").rglob("*.json"),
        *(ROOT / "channels").rglob("*.py"),
    }
    expected = {str(file.relative_to(ROOT)) for file in sources}
    expected |= {f"gaia/{file.relative_to(ROOT)}" for file in (ROOT / "config").rglob("*.yaml")}
    assert expected - names == set()


def test_the_wheel_has_nothing_that_only_the_checkout_needs(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert tops == {"gaia", "channels", f"gaia_assistant-{__version__}.dist-info"}


def test_the_wheel_is_what_runs_and_not_the_checkout(
    installed: Installed, environment: Path
) -> None:
    done = installed(
        "python", "-c", "import gaia, channels; print(gaia.__file__, channels.__file__)"
    )
    assert done.stdout.count(str(environment)) == 2


def test_the_installed_program_tells_its_version(installed: Installed) -> None:
    done = installed("gaia", "version")
    assert (done.returncode, done.stdout) == (0, f"gaia {__version__}\n")


def test_the_installed_program_shows_its_help(installed: Installed) -> None:
    done = installed("gaia", "--help")
    assert done.returncode == 0, done.stderr
    assert "config" in done.stdout


def test_the_installed_program_checks_the_settings_of_a_fresh_home(installed: Installed) -> None:
    done = installed("gaia", "config", "check")
    assert done.returncode == 0, done.stderr
    assert "the defaults apply" in done.stdout


def test_the_installed_program_carries_the_default_file(installed: Installed) -> None:
    done = installed("gaia", "config", "show", "--defaults")
    assert done.stdout == (ROOT / "config/gaia.yaml").read_text(encoding="utf-8")


def test_the_installed_program_makes_its_database(installed: Installed, tmp_path: Path) -> None:
    done = installed("python", "-c", MIGRATE, str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "gaia.db").stat().st_size > 0


def test_the_memory_page_is_in_it_with_the_licence_of_what_it_brings(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    page = ROOT / "gaia/web/page"
    files = {path.relative_to(ROOT).as_posix() for path in page.rglob("*.*")}
    assert {name for name in files if "__pycache__" not in name} <= names
    assert "gaia/web/page/static/htmx.LICENSE.txt" in names

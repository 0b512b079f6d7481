"""`scripts/start` and the environment that it sets up, with a Python that only pretends.

The pretended Python answers the questions that the scripts ask of one, notes
each installation, and makes environments with itself and a `gaia` inside.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOOLS = ("cat", "chmod", "cmp", "cp", "dirname", "grep", "mkdir", "ps", "rm", "sh", "tail", "tee")
PYTHON = """\
#!/bin/sh
case "$*" in
*version_info*) exit {too_old} ;;
*ensurepip*) exit {lacks_venv} ;;
--version) echo "Python 3.11.99" ;;
"-m venv "*)
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    echo "VIRTUAL_ENV=$3" >"$3/bin/activate"
    echo "venv" >>"$CALLS"
    ;;
"-m pip --version") ;;
"-m pip install --progress-bar"*)
    echo "Collecting one"
    if [ -e "$CALLS.refuse" ]; then echo "no index answers"; exit 1; fi
    if [ -e "$CALLS.kill" ]; then kill -9 "$PPID" $(ps -o ppid= -p "$PPID"); fi
    echo "packages" >>"$CALLS"
    ;;
"-m pip install --quiet"*)
    printf '#!/bin/sh\\nfor word; do printf "<%%s>" "$word"; done; echo\\n' \\
        >"$(dirname "$0")/gaia"
    chmod +x "$(dirname "$0")/gaia"
    echo "gaia" >>"$CALLS"
    ;;
"-m compileall"*"/gaia "*"/channels") echo "compiled" >>"$CALLS" ;;
esac
"""


class Checkout:
    """A copy of the scripts and locks, and a PATH with nothing but a pretended Python."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a checkout"
        self.bin = folder / "bin"
        self._calls = folder / "calls"
        (self.root / "scripts").mkdir(parents=True)
        self.bin.mkdir()
        for name in ("start", "environment.sh"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts" / name)
        for name in ("pyproject.toml", "requirements.lock"):
            shutil.copy(ROOT / name, self.root / name)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool) or pytest.skip(f"needs {tool}"))

    def install_python(self, name: str, *, too_old: bool = False, lacks_venv: bool = False) -> None:
        file = self.bin / name
        file.write_text(PYTHON.format(too_old=int(too_old), lacks_venv=int(lacks_venv)))
        file.chmod(0o755)

    def start(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.root / "scripts" / "start"), *arguments],
            cwd=cwd,
            env={"PATH": str(self.bin), "CALLS": str(self._calls), "HOME": os.devnull},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
        )

    def calls(self) -> list[str]:
        """What was set up since the last look."""
        calls = self._calls.read_text().split() if self._calls.exists() else []
        self._calls.unlink(missing_ok=True)
        return calls

    def arrange(self, event: str, *, happens: bool) -> None:
        """Have the installation of packages refused or killed from now on, or not."""
        trigger = self._calls.with_name(f"calls.{event}")
        if happens:
            trigger.touch()
        else:
            trigger.unlink()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def ready(checkout: Checkout) -> Checkout:
    """A checkout that was started once."""
    checkout.install_python("python3")
    assert checkout.start().returncode == 0
    assert checkout.calls() == ["venv", "packages", "gaia", "compiled"]
    return checkout


def test_the_first_start_sets_up_pulls_the_model_and_opens_the_chat(checkout: Checkout) -> None:
    checkout.install_python("python3")
    done = checkout.start()
    assert checkout.calls() == ["venv", "packages", "gaia", "compiled"]
    assert done.stdout == "<model><pull><--if-needed>\n<chat>\n"
    assert "Installing" in done.stderr


def test_the_second_start_sets_nothing_up(ready: Checkout) -> None:
    done = ready.start()
    assert ready.calls() == []
    assert done.stderr == ""


def test_arguments_reach_the_chat_as_they_are(ready: Checkout, tmp_path: Path) -> None:
    done = ready.start("-m", "two words", "", cwd=tmp_path)
    assert done.stdout.endswith("<chat><-m><two words><>\n")


def test_another_lock_is_installed_into_the_same_environment(ready: Checkout) -> None:
    with (ready.root / "requirements.lock").open("a") as lock:
        lock.write("# newer\n")
    assert ready.start().returncode == 0
    assert ready.calls() == ["packages", "gaia", "compiled"]
    assert ready.start().returncode == 0
    assert ready.calls() == []


def test_an_interrupted_set_up_is_started_over(checkout: Checkout) -> None:
    checkout.install_python("python3")
    checkout.arrange("kill", happens=True)
    assert checkout.start().returncode != 0
    checkout.arrange("kill", happens=False)
    checkout.calls()
    done = checkout.start()
    assert "starting over" in done.stderr
    assert checkout.calls() == ["venv", "packages", "gaia", "compiled"]


def test_an_environment_without_its_python_is_made_again(ready: Checkout) -> None:
    (ready.root / ".venv/bin/python").unlink()
    assert ready.start().returncode == 0
    assert ready.calls() == ["venv", "packages", "gaia", "compiled"]


def test_an_environment_of_a_moved_checkout_is_made_again(ready: Checkout) -> None:
    moved = ready.root.with_name("moved")
    ready.root.rename(moved)
    ready.root = moved
    assert ready.start().returncode == 0
    assert ready.calls() == ["venv", "packages", "gaia", "compiled"]


def test_packages_that_cannot_be_had_end_the_start_with_what_pip_said(ready: Checkout) -> None:
    with (ready.root / "requirements.lock").open("a") as lock:
        lock.write("# newer\n")
    ready.arrange("refuse", happens=True)
    done = ready.start()
    assert (done.returncode, done.stdout) == (1, "")
    assert "no index answers" in done.stderr
    assert "package index can be reached" in done.stderr
    ready.arrange("refuse", happens=False)
    ready.calls()
    assert ready.start().returncode == 0
    assert ready.calls() == ["packages", "gaia", "compiled"]


def test_two_set_ups_at_once_are_told_apart(ready: Checkout) -> None:
    (ready.root / ".venv/incomplete").write_text(f"{os.getpid()}\n")
    done = ready.start()
    assert done.returncode == 1
    assert f"process {os.getpid()}" in done.stderr
    assert ready.calls() == []


def test_without_python_the_start_says_what_is_needed(checkout: Checkout) -> None:
    done = checkout.start()
    assert (done.returncode, done.stdout) == (1, "")
    assert "gaia needs Python 3.11 or newer, and none was found" in done.stderr


def test_an_old_python_is_passed_over(checkout: Checkout) -> None:
    checkout.install_python("python3.11", too_old=True)
    assert "none was found" in checkout.start().stderr
    checkout.install_python("python3")
    assert checkout.start().returncode == 0


def test_a_python_without_venv_is_named_with_the_remedy(checkout: Checkout) -> None:
    checkout.install_python("python3", lacks_venv=True)
    done = checkout.start()
    assert done.returncode == 1
    assert f"{checkout.bin / 'python3'} cannot make environments" in done.stderr
    assert "apt install python3-venv" in done.stderr

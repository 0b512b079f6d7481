from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

import pytest
from typer.testing import CliRunner

from gaia import __version__
from gaia.cli.main import app
from gaia.paths import Home

GROUPS = (
    "backup",
    "config",
    "database",
    "grow",
    "memory",
    "model",
    "outbox",
    "service",
    "sessions",
    "users",
)
SCRIPT = """
import atexit, threading
from gaia.cli.main import exit_now

atexit.register(print, "the interpreter ended")
waiting = threading.Event()
if {runs}:
    threading.Thread(target=waiting.wait, daemon=True).start()
print("done")
exit_now(7)
"""

CHECK = """
import os, sys
from gaia.cli.main import open_closed_streams
open_closed_streams()
assert os.open(os.devnull, os.O_RDONLY) > 2
assert sys.stdin.read() == ""
print("nobody reads this", flush=True)
print("nor this", file=sys.stderr, flush=True)
assert [each.fileno() for each in (sys.stdin, sys.stdout, sys.stderr)] == [0, 1, 2]
"""


def test_the_version_can_be_asked_for_both_ways() -> None:
    for argument in ("version", "--version"):
        result = CliRunner().invoke(app, [argument])
        assert (result.exit_code, result.output) == (0, f"gaia {__version__}\n")


@pytest.mark.parametrize("group", [(), *[(name,) for name in GROUPS]])
def test_every_command_tells_what_it_is_for_in_one_line(group: tuple[str, ...]) -> None:
    told = CliRunner().invoke(app, [*group, "--help"], terminal_width=80).output
    assert "Commands:" in told
    assert "..." not in told.replace("COMMAND [ARGS]...", "")
    assert all(len(line) <= 80 for line in told.splitlines())


@pytest.mark.parametrize(
    ("words", "found"), [("gaia mem", ["memory"]), ("gaia memory s", ["search", "stats"])]
)
def test_a_shell_completes_commands(words: str, found: list[str]) -> None:
    at = str(len(words.split()) - 1)
    asked = {"_GAIA_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": at}
    result = CliRunner().invoke(app, [], prog_name="gaia", env=asked)
    assert (result.exit_code, result.output.split()) == (0, found)


def test_an_error_is_told_without_what_looks_like_a_key(tmp_path: Path, fresh_home: Home) -> None:
    home = shutil.copytree(fresh_home.root, tmp_path / "home")
    # In a process of its own, since `main` ends the one that it runs in.
    done = subprocess.run(
        [sys.executable, "-m", "gaia", "users", "role", "sk-canary0123456789abc", "owner"],
        env={**os.environ, "GAIA_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "[redacted]" in done.stderr
    assert "canary" not in done.stderr


@pytest.mark.parametrize(
    ("runs", "ended"), [(True, (7, "done\n")), (False, (0, "done\nthe interpreter ended\n"))]
)
def test_the_interpreter_is_left_where_a_thread_runs(runs: bool, ended: tuple[int, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(runs=runs)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == ended


def test_closed_streams_are_the_null_device() -> None:
    command = ["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, CHECK]
    assert subprocess.run(command, check=False).returncode == 0


def test_what_an_encoding_has_no_sign_for_is_printed_as_a_question_mark() -> None:
    code = "from gaia.cli.main import open_closed_streams as o; o(); print('\\xfc \\U0001f600')"
    environ = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True)
    assert done.stdout == b"\xfc ?\n", done.stderr


@pytest.mark.parametrize("command", [("chat", "-m", "hi", "--user"), ("memory", "list", "--user")])
def test_an_argument_that_is_no_utf_8_is_one_message(
    new_home: Callable[[Path], Home], tmp_path: Path, command
) -> None:
    home = new_home(tmp_path / "home")
    home.settings_file.write_text(
        "web: {port: 0}\nmodel: {provider: openai, base_url: 'http://127.0.0.1:9/v1'}\n"
    )
    done = gaia(*command, os.fsdecode(b"b\xf6b"), environ={"GAIA_HOME": str(home.root)})
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: 'b\\udcf6b' is no text in UTF-8")


def gaia(
    *arguments: str, environ: Mapping[str, str], output: int | IO[str] = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    # In a process of its own, since `main` ends the one that it runs in.
    return subprocess.run(
        [sys.executable, "-m", "gaia", *arguments],
        env={**os.environ, **environ},
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", [("users", "list"), ("jobs",), ("memory", "stats")])
def test_a_file_that_the_system_refuses_is_named_with_the_cause(command: tuple[str, ...]) -> None:
    done = gaia(*command, environ={"GAIA_HOME": "/" + "x" * 300})
    assert done.returncode == 1
    assert re.fullmatch(r"error: '/x+/\S+' refuses \(File name too long\): .+\n", done.stderr)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_to_a_full_disk_is_one_message(unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = gaia("version", environ={"PYTHONUNBUFFERED": unbuffered}, output=full)
    assert done.returncode == 1
    assert done.stderr == (
        "error: the system refuses (No space left on device): "
        "free some space, or send the output elsewhere\n"
    )


def test_a_home_of_somebody_unknown_is_one_message() -> None:
    done = gaia("users", "list", environ={"GAIA_HOME": "~no-such-user/gaia"})
    assert done.returncode == 1
    assert re.fullmatch(r"error: .+'~no-such-user' in '~no-such-user/gaia'.+\n", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["costs", "--days", "0"], "'0' is less than 1"),
        (["grow", "run", "--days", "366"], "'366' is more than 365"),
        (["memory", "why", "x"], "'x' is no whole number"),
        (["audit", "--count", "9" * 20], f"'{'9' * 20}' is more than 1000000000"),
        (["logs", "--lines", "9" * 20], f"'{'9' * 20}' is more than 1000000000"),
        (["outbox", "retry", "9" * 20], f"'{'9' * 20}' is more than 9223372036854775807"),
        (["users", "role", "Ada", "king"], "'king' is not one of 'owner', 'member', 'guest'"),
        (["audit", "--since", "soon"], "'soon' is no time: write 90s,"),
    ],
)
def test_a_value_that_is_refused_is_named(arguments: list[str], refusal: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert re.search(rf"Invalid value for \S+( / '-.')?: {re.escape(refusal)}", result.output)

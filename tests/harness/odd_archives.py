"""Archives that are no backup of gaia's, or no longer: made of one that is."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gaia.ops.backup.archives import MANIFEST
from tests.harness.odd_json import change

Members = list[tuple[tarfile.TarInfo, bytes]]

NAMES = (
    *("../escaped", "/tmp/escaped", "logs/../../escaped", "./gaia.db", "gaia.db/", "GAIA.DB"),
    *("gaia.yaml\0", "memory/chroma/x", "~/.profile", "", ".", "..", "a" * 300, "é\udce9"),
    *("daemon.lock", "control.sock", "gaia.db-wal", "gaia.db-journal", ".env", "manifest.json"),
)
LINKS = ("../outside/canary", "/etc/passwd", "gaia.db", "gaia.yaml", "")
KINDS = (
    *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE),
    *(tarfile.DIRTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, tarfile.AREGTYPE, b"Z"),
)
SIZES = (0, 1, 511, 512, 513, 10**6, 2**33, 2**62)


class Claim(StrEnum):
    """What an archive is, and so what may become of it."""

    SOUND = "sound"
    """It is restored."""

    CHANGED = "changed"
    """It is refused, or restored as it was before the change."""

    FORGED = "forged"
    """Its hashes fit what was changed. It is refused, or restored as it is."""


@dataclass(frozen=True, slots=True)
class OddArchive:
    """An archive, and the number that it comes from."""

    number: int
    claim: Claim
    content: bytes


def odd_archives(sound: bytes, count: int, seed: int) -> Iterator[OddArchive]:
    """So many archives, made of one that is sound."""
    members = _members(sound)
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        chance = random.Random(number)
        if number % 50 == 0:
            yield OddArchive(number, Claim.SOUND, sound)
        elif chance.random() < 0.4:
            yield OddArchive(number, Claim.CHANGED, chance.choice(OF_BYTES)(chance, sound))
        elif chance.random() < 0.6:
            changed = [(_copy(info), content) for info, content in members]
            for _ in range(chance.randint(1, 2)):
                chance.choice(OF_MEMBERS)(chance, changed)
            yield OddArchive(number, Claim.CHANGED, _packed(changed))
        else:
            yield OddArchive(number, Claim.FORGED, _forged(chance, members))


def _members(archive: bytes) -> Members:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        found = [(info, tar.extractfile(info)) for info in tar]
        return [(info, content.read() if content else b"") for info, content in found]


def _copy(info: tarfile.TarInfo) -> tarfile.TarInfo:
    copied = tarfile.TarInfo(info.name)
    copied.size, copied.mtime, copied.mode, copied.type = info.size, info.mtime, 0o600, info.type
    return copied


def _packed(members: Members) -> bytes:
    """The members as an archive, whatever they say of themselves."""
    tar = bytearray()
    for info, content in members:
        try:
            header = info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
        except (ValueError, UnicodeError):
            header = info.tobuf(tarfile.GNU_FORMAT, "utf-8", "replace")
        tar += header + content + bytes(-len(content) % tarfile.BLOCKSIZE)
    return gzip.compress(bytes(tar) + bytes(2 * tarfile.BLOCKSIZE), 1)


def _flipped(chance: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 3, 30))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _flipped_early(chance: random.Random, content: bytes) -> bytes:
    """Where the headers are."""
    return _flipped(chance, content[:1_000]) + content[1_000:]


def _cut(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randrange(len(content))]


def _lost(chance: random.Random, content: bytes) -> bytes:
    at = chance.randrange(len(content))
    return content[:at] + content[at + chance.randint(1, 5_000) :]


def _longer(chance: random.Random, content: bytes) -> bytes:
    return content + chance.choice((b"\0" * 600, chance.randbytes(600), content, b"\x1f\x8b"))


def _of_tar(change: Callable[[random.Random, bytes], bytes]) -> OfBytes:
    return lambda chance, content: gzip.compress(change(chance, gzip.decompress(content)), 1)


OfBytes = Callable[[random.Random, bytes], bytes]
OF_BYTES: Sequence[OfBytes] = (
    *(_flipped, _flipped_early, _cut, _lost, _longer),
    *map(_of_tar, (_flipped, _flipped_early, _cut, _lost, _longer)),
    lambda chance, content: chance.randbytes(chance.randrange(5_000)),
)


def _dropped(chance: random.Random, members: Members) -> None:
    if members:
        del members[chance.randrange(len(members))]


def _shuffled(chance: random.Random, members: Members) -> None:
    chance.shuffle(members)


def _doubled(chance: random.Random, members: Members) -> None:
    if members:
        members.append(chance.choice(members))


def _renamed(chance: random.Random, members: Members) -> None:
    if members:
        chance.choice(members)[0].name = chance.choice(NAMES)


def _retyped(chance: random.Random, members: Members) -> None:
    if members:
        info = chance.choice(members)[0]
        info.type, info.linkname = chance.choice(KINDS), chance.choice(LINKS)


def _resized(chance: random.Random, members: Members) -> None:
    if members:
        chance.choice(members)[0].size = chance.choice(SIZES)


def _added(chance: random.Random, members: Members) -> None:
    info, content = tarfile.TarInfo(chance.choice(NAMES)), chance.randbytes(chance.randrange(2_000))
    info.size = len(content)
    if chance.random() < 0.5:
        info.type, info.linkname = chance.choice(KINDS), chance.choice(LINKS)
    if chance.random() < 0.3:
        info.pax_headers = {"path": chance.choice(NAMES), "size": str(chance.choice(SIZES))}
    members.insert(chance.randrange(len(members) + 1), (info, content))


def _rewritten(chance: random.Random, members: Members) -> None:
    """Another content under the old hash."""
    if members:
        at = chance.randrange(len(members))
        info, content = members[at]
        if content and info.name != MANIFEST:
            members[at] = (info, _flipped(chance, content))


def _told_otherwise(chance: random.Random, members: Members) -> None:
    """Another manifest."""
    for at, (info, content) in enumerate(members):
        if info.name == MANIFEST:
            try:
                manifest = json.loads(content)
            except ValueError:
                return
            change(chance, manifest)
            written = json.dumps(manifest).encode()
            info.size = len(written)
            members[at] = (info, written)


OF_MEMBERS: Sequence[Callable[[random.Random, Members], None]] = (
    *(_dropped, _shuffled, _doubled, _renamed, _retyped, _resized, _added, _rewritten),
    _told_otherwise,
)


def _forged(chance: random.Random, members: Members) -> bytes:
    """Changed contents, with hashes that fit."""
    target = chance.choice([info.name for info, _ in members if info.name != MANIFEST])
    changed = [
        (_copy(info), _damaged(chance, content) if info.name == target else content)
        for info, content in members
    ]
    contents = {info.name: content for info, content in changed}
    manifest = json.loads(contents[MANIFEST])
    for entry in manifest["files"]:
        content = contents[entry["name"]]
        entry.update(size=len(content), sha256=hashlib.sha256(content).hexdigest())
    contents[MANIFEST] = json.dumps(manifest).encode()
    for info, _ in changed:
        info.size = len(contents[info.name])
    return _packed([(info, contents[info.name]) for info, _ in changed])


def _damaged(chance: random.Random, content: bytes) -> bytes:
    how = chance.randrange(6)
    if how == 0:
        return _cut(chance, content)
    if how == 1:
        at = chance.randrange(len(content)) // 4096 * 4096
        return content[:at] + bytes(4096) + content[at + 4096 :]
    if how == 2:
        return _flipped(chance, content[:100]) + content[100:]
    if how == 3:
        return b""
    return _flipped(chance, content)

#!/usr/bin/env python3
"""Whether any file that is offered to `gaia backup restore` is taken for a backup, or does harm.

Restores archives that were made of a sound one by changing bytes, members, the manifest, and
contents with hashes that fit. Fails when anything but a `GaiaError` is raised, when anything
is written outside the home that is restored, when something stays of one that is refused, when
a changed archive is restored as anything but what was backed up, or when what is restored
cannot be opened. Needs the environment of `scripts/setup-dev`.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gaia.errors import GaiaError
from gaia.ops.backup.create import Wanted, make_backup
from gaia.ops.backup.restore import restore_backup
from gaia.ops.backup.verify import verify_backup
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from gaia.testing.clock import FakeClock
from tests.harness.book import Book
from tests.harness.fuzz import run, show
from tests.harness.odd_archives import Claim, OddArchive, odd_archives

SLOW_SECONDS = 20.0
FILES = {"gaia.db", "gaia.yaml", ".env", "daemon.lock"}
MEMORIES = tuple(f"pot {number} has basil in it" for number in range(40))


@dataclass(frozen=True, slots=True)
class Place:
    """Where archives are restored, with a neighbour that is none of their business."""

    root: Path

    @property
    def home(self) -> Home:
        return Home(self.root / "place" / "home")

    @property
    def archive(self) -> Path:
        return self.root / "offered.tar.gz"

    def seen(self) -> Mapping[str, bytes]:
        """All that there is but the home."""
        paths = [self.root, *self.root.rglob("*")]
        return {
            str(path): path.read_bytes() if path.is_file() else b""
            for path in paths
            if not path.is_relative_to(self.home.root)
        }


async def fuzz(count: int, seed: int) -> bool:
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    with TemporaryDirectory(prefix="gaia-fuzz-") as folder:
        place = Place(Path(folder))
        (place.root / "outside").mkdir()
        (place.root / "outside" / "canary").write_text("not to be touched")
        place.home.root.parent.mkdir()
        sound = await _backup(Home(place.root / "outside" / "home"))
        held = _held(Home(place.root / "outside" / "home"))
        for made in odd_archives(sound, count, seed):
            began = time.perf_counter()
            outcome, found = await _examined(place, made, held)
            if (seconds := time.perf_counter() - began) > SLOW_SECONDS:
                found.append(f"it took {seconds:.0f} s")
            outcomes[f"{made.claim} {outcome}"] += 1
            faults += [f"number {made.number}, {made.claim}: {each}" for each in found]
    told = ", ".join(f"{times} {outcome}" for outcome, times in sorted(outcomes.items()))
    print(f"{told}; {len(faults)} faults")
    return show(faults)


async def _backup(home: Home) -> bytes:
    """A backup of a home in which there is something."""
    home.create()
    home.settings_file.write_text("backup:\n  hour: 5\n")
    home.env_file.write_text("OPENAI_API_KEY=sk-canary-0123456789abcdef\n")
    home.env_file.chmod(0o600)
    database = await open_database(home)
    ada = await Users(database, FakeClock()).create("Ada", Role.OWNER)
    for memory in MEMORIES:
        await Book(database).keep(ada, memory)
    await database.close()
    made = await make_backup(home, Wanted(to=home.root.parent, with_secrets=True), FakeClock())
    content = made.path.read_bytes()
    made.path.unlink()
    return content


async def _examined(
    place: Place, made: OddArchive, held: Mapping[str, object]
) -> tuple[str, list[str]]:
    """What became of an archive, and what is wrong with that."""
    place.archive.write_bytes(made.content)
    before = place.seen()
    found: list[str] = []
    try:
        await restore_backup(place.archive, None, place.home, FakeClock())
        outcome = "restored"
    except GaiaError as exc:
        outcome = "refused"
        found += [f"a refusal without a word: {exc!r}"] if len(str(exc)) < 20 else []
    except Exception:
        outcome = "crashed"
        found.append(traceback.format_exc()[-1_500:])
    if place.seen() != before:
        found.append(f"it left something: {sorted(set(place.seen()) ^ set(before))}")
    found += await _unfit(place.home, made, held, is_restored=outcome == "restored")
    if made.number % 5 == 0:
        found += await _verdict(place.archive, is_restored=outcome == "restored")
    shutil.rmtree(place.home.root, ignore_errors=True)
    return outcome, found


async def _unfit(
    home: Home, made: OddArchive, held: Mapping[str, object], *, is_restored: bool
) -> list[str]:
    """What is wrong with the home. The lock is that of the restore."""
    if not is_restored:
        refused = ["a sound one is refused"] if made.claim is Claim.SOUND else []
        return [*refused, *(["a home of one that was refused"] if home.root.exists() else [])]
    others = {path.name for path in home.root.rglob("*")} - FILES
    found = [f"no restored home has {sorted(others)}"] if others else []
    try:
        database = await open_database(home)
        await Users(database, FakeClock()).list()
        await database.close()
        has = _held(home)
    except Exception:
        return [*found, traceback.format_exc()[-1_500:]]
    if made.claim is not Claim.FORGED and has != held:
        changed = sorted(name for name in held if has.get(name) != held[name])
        found.append(f"{changed} is not what was backed up")
    return found


def _held(home: Home) -> Mapping[str, object]:
    """What a home has in it."""
    with closing(sqlite3.connect(home.database)) as database:
        return {
            "memories": database.execute("SELECT memory_id, text FROM memories").fetchall(),
            "users": database.execute("SELECT user_id, name, role FROM users").fetchall(),
            "gaia.yaml": home.settings_file.read_bytes() if home.settings_file.exists() else None,
            ".env": home.env_file.read_bytes() if home.env_file.exists() else None,
        }


async def _verdict(archive: Path, *, is_restored: bool) -> list[str]:
    """Whether `gaia backup verify` says of the archive what became of it."""
    try:
        await verify_backup(archive, None)
    except GaiaError:
        return ["it is restored, and verify refuses it"] if is_restored else []
    except Exception:
        return [traceback.format_exc()[-1_500:]]
    return [] if is_restored else ["it is refused, and verify takes it"]


if __name__ == "__main__":
    run(fuzz, __doc__, count=5_000, what="archives")

"""Verifies a backup: it is restored for trial, into a folder that is removed again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gaia.errors import StoreError
from gaia.ops.backup.examining import Contents, count_contents, find_troubles
from gaia.ops.backup.manifest import Manifest
from gaia.ops.backup.progress import Progress, Silent
from gaia.ops.backup.reading import damaged, unpack
from gaia.paths import Home


@dataclass(frozen=True, slots=True)
class Verified:
    """A backup that can be restored, and what is in it."""

    path: Path
    manifest: Manifest
    contents: Contents


async def verify_backup(
    path: Path, passphrase: str | None, progress: Progress | None = None
) -> Verified:
    """Look whether a backup can be restored.

    Raises:
        BackupDamagedError: It cannot; all that is wrong with it is told.
        PassphraseError: It is encrypted, and the passphrase is missing or wrong.
        BackupError: It cannot be read, or there is no room for the trial.
    """
    with TemporaryDirectory(prefix="gaia-verify-") as folder:
        home = Home(Path(folder))
        manifest = await asyncio.to_thread(
            unpack, path, passphrase, home.root, progress or Silent()
        )
        troubles = await asyncio.to_thread(find_troubles, home, manifest)
        try:
            if not troubles:
                return Verified(path, manifest, await count_contents(home))
        except StoreError as exc:
            troubles = [str(exc)]
    raise damaged(path, list(troubles))

"""Encrypted archives, in the age format: what the `age` command opens with the passphrase."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from gaia.errors import BackupDamagedError, BackupError, PassphraseError, SettingsError
from gaia.ops.backup import age
from gaia.paths import Home
from gaia.settings.secrets import find_secrets

VARIABLE = "GAIA_BACKUP_PASSPHRASE"


def known_passphrase(home: Home) -> str | None:
    """The passphrase that is set at the moment, in the environment or in `.env`.

    Raises:
        SettingsError: It cannot be read: nothing may be left unencrypted for that.
    """
    found = find_secrets(home.env_file, os.environ)
    if found.mistakes:
        raise SettingsError.of(found.mistakes)
    secret = found.secrets.backup_passphrase
    return secret.get_secret_value() if secret else None


@contextmanager
def encrypting(file: IO[bytes], passphrase: str) -> Iterator[IO[bytes]]:
    """What is written to this is in the file, encrypted, once the block has ended. Blocks.

    Raises:
        BackupError: There is not enough memory, or the file cannot be written.
    """
    with _process("encrypt", passphrase, stdout=file) as process:
        # A process that ended before its time has an exit code that tells why.
        with suppress(BrokenPipeError):
            yield _input(process)
            _input(process).close()
        if process.wait():
            raise BackupError(
                f"the backup cannot be encrypted ({_ending(process.returncode)}): make room on "
                "the disk and have a gigabyte of memory free, or make it with --no-encrypt"
            )


@contextmanager
def decrypting(path: Path, passphrase: str) -> Iterator[IO[bytes]]:
    """The content of an encrypted archive, all of which has been found to be whole. Blocks.

    Raises:
        PassphraseError: The passphrase is wrong.
        BackupDamagedError: The file was changed or cut.
        BackupError: It cannot be decrypted for another cause.
    """
    with _process("decrypt", passphrase, stdout=subprocess.PIPE) as process:
        with suppress(BrokenPipeError), path.open("rb") as file:
            shutil.copyfileobj(file, _input(process))
            _input(process).close()
        output = cast("io.BufferedReader", process.stdout)
        if not output.peek(1) and process.wait():
            raise _failure(path, process.returncode)
        yield output


@contextmanager
def _process(
    direction: str, passphrase: str, *, stdout: IO[bytes] | int
) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-P", "-m", age.__name__, direction],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            with suppress(BrokenPipeError):
                _input(process).write(f"{passphrase}\n".encode())
            yield process
        finally:
            process.kill()
            with suppress(BrokenPipeError):
                _input(process).close()


def _input(process: subprocess.Popen[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", process.stdin)


def _failure(path: Path, returncode: int) -> BackupError:
    match returncode:
        case age.WRONG_PASSPHRASE:
            return PassphraseError(
                f"{path.name} cannot be opened with this passphrase: set {VARIABLE} to the one "
                "that it was made with"
            )
        case age.DAMAGED:
            trouble = "it was changed or cut after it was encrypted"
            return BackupDamagedError(f"{path.name}: {trouble}", [trouble])
        case age.TOO_MUCH_WORK:
            return BackupError(
                f"{path.name} was encrypted on a much faster machine: decrypt it there with "
                "'age -d', and use what comes out"
            )
    return BackupError(
        f"{path.name} cannot be decrypted ({_ending(returncode)}): have a gigabyte of memory "
        "free, or decrypt it elsewhere with 'age -d', and use what comes out"
    )


def _ending(returncode: int) -> str:
    return f"signal {-returncode}" if returncode < 0 else f"exit code {returncode}"

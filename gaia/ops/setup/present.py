"""What is set up already, as far as `gaia setup` asks for it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_IMODE

from gaia.errors import HomeError, SettingsError
from gaia.files import read_bounded
from gaia.ops.setup.files import variables_in
from gaia.ops.setup.owner import Owners, find_owners
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.providers import ResolvedModel, resolve_provider
from gaia.settings.schema import LARGEST_BYTES
from gaia.settings.secrets import VARIABLES
from gaia.text import counted
from gaia.weights.catalogue import find_model
from gaia.weights.folder import Weights

CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""Holds how much memory a container may have, or `max`."""

PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class Machine:
    """Its memory, and the processors that a process may use."""

    memory_bytes: int
    cores: int

    def describe(self) -> str:
        """In a few words."""
        cores = counted(self.cores, "core", "cores")
        return f"{round(self.memory_bytes / 10**9)} GB of memory and {cores}"


def look_at_machine(container_limit: Path = CONTAINER_LIMIT) -> Machine:
    """This machine, or the container in which gaia runs."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        memory = min(memory, int(container_limit.read_text(encoding="ascii")))
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has none.
        cores = os.cpu_count() or 1
    return Machine(memory, cores)


@dataclass(frozen=True, slots=True)
class Present:
    """What there is before anything is asked."""

    home: Home
    loaded: LoadedSettings
    model: ResolvedModel | None
    """The one that would answer now; None if the one that is set cannot."""
    owners: Owners
    in_file: Mapping[str, str] = field(repr=False)
    """The variables that `.env` has."""
    in_environment: Mapping[str, str] = field(repr=False)
    """The variables for secrets that the environment has."""

    machine: Machine = field(default_factory=look_at_machine)

    @property
    def is_first(self) -> bool:
        """Whether nothing was set up yet."""
        return not self.loaded.file.exists()

    @property
    def is_model_set(self) -> bool:
        """Whether gaia.yaml says which model is to answer, and it can."""
        named = {"model.provider", "model.base_url"} & self.loaded.lines.keys()
        return self.model is not None and bool(named)

    @property
    def known(self) -> Set[str]:
        """The variables that count as set: what is empty in the environment is not."""
        return self.loaded.secret_sources.keys()

    @property
    def unkept(self) -> Mapping[str, str]:
        """What the environment has and `.env` has not: no service would find it."""
        return {
            name: value for name, value in self.in_environment.items() if name not in self.in_file
        }

    @property
    def contested(self) -> Set[str]:
        """What both have, and not the same."""
        return {
            name
            for name, value in self.in_environment.items()
            if self.in_file.get(name, value) != value
        }


async def look_around(home: Home, environ: Mapping[str, str], clock: Clock) -> Present:
    """What there is. Nothing is made or changed.

    Raises:
        SettingsError: gaia.yaml or `.env` has mistakes: nobody can say what it means.
        StoreError: The database cannot be read.
    """
    loaded = load_settings(home, environ)
    try:
        model = resolve_provider(loaded.settings.model, loaded.secrets)
    except SettingsError:
        model = None
    names = [name for variables in VARIABLES.values() for name in variables]
    return Present(
        home=home,
        loaded=loaded,
        model=model,
        owners=await find_owners(home, clock),
        in_file=_variables(home),
        in_environment={name: environ[name].strip() for name in names if environ.get(name)},
    )


def lacks_weights(home: Home, model: ResolvedModel) -> bool:
    """Whether that is the embedded model, and it has to be pulled before it can answer."""
    if model.provider != "embedded":
        return False
    return not Weights(home.models).is_installed(find_model(model.name))


def _variables(home: Home) -> Mapping[str, str]:
    try:
        return variables_in(read_bounded(home.env_file, LARGEST_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}


def check_place(home: Home) -> None:
    """Return if the home is usable, or can be made. Nothing is made.

    Raises:
        HomeError: It cannot.
    """
    nearest = next(path for path in (home.root, *home.root.parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise HomeError(f"{str(nearest)!r} is not a folder: choose another for gaia's home")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise HomeError(f"{str(nearest)!r} cannot be written to: choose another for gaia's home")


def make_private_home(home: Home) -> None:
    """Make the home, or take from others what they may do in the one that there is.

    Raises:
        HomeError: It cannot be made, or belongs to somebody else.
    """
    home.create()
    mode = S_IMODE(home.root.stat().st_mode)
    if mode & ~PRIVATE:
        try:
            home.root.chmod(PRIVATE)
        except OSError as exc:
            raise HomeError(
                f"{str(home.root)!r} is open to others and cannot be closed ({exc.strerror}): "
                "run this as its owner, or choose another folder"
            ) from exc

"""What is set up already, as far as `gaia setup` asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from gaia.errors import SettingsError
from gaia.ops.setup.env_editing import variables_in
from gaia.ops.setup.machine import Machine, look_at_machine
from gaia.ops.setup.owner import Owners, find_owners
from gaia.paths import Home
from gaia.ports import Clock
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.providers import ResolvedModel, resolve_provider
from gaia.settings.secrets import VARIABLES
from gaia.weights.catalogue import find_model
from gaia.weights.folder import Weights


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
        return variables_in(home.env_file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}

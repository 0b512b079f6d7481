"""`gaia model`: the embedded models on this machine. Works whether or not gaia runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, columns, echo_json, say
from gaia.errors import ModelFileError

if TYPE_CHECKING:
    from gaia.paths import Home
    from gaia.weights.catalogue import CatalogueModel
    from gaia.weights.folder import Pulled

UNCUT = 1000
"""A width in which each row is a line."""

app = typer.Typer(no_args_is_help=True, help="The embedded models on this machine.")


@app.command("list")
def list_models(
    as_json: AsJson = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that only serve gaia's tests.")
    ] = False,
) -> None:
    """List the models that can be pulled, and which of them are here."""
    from gaia.paths import find_home
    from gaia.weights.catalogue import CATALOGUE
    from gaia.weights.folder import Weights

    weights = Weights(find_home().models)
    models = [
        model for model in CATALOGUE if model.offered or everything or weights.is_installed(model)
    ]
    pulled = {model.name: weights.pulled(model) for model in models}
    if as_json:
        echo_json([_as_json(model, pulled[model.name]) for model in models])
        return
    rows = [
        (model.name, _since(pulled[model.name]), _megabytes(model.size), model.licence)
        for model in models
    ]
    table = columns(("NAME", "INSTALLED", "SIZE", "LICENCE"), rows, width=UNCUT)
    heading, *lines = table.split("\n")
    typer.echo(heading)
    for line, model in zip(lines, models, strict=True):
        known_to = "gaia" if model.sha256 else "its publisher"
        typer.echo(f"{line}\n    {model.about}; hash known to {known_to}")


@app.command("verify")
def verify_models() -> None:
    """Check that the models here are what was pulled."""
    from gaia.paths import find_home
    from gaia.weights.catalogue import CATALOGUE
    from gaia.weights.folder import Weights
    from gaia.weights.pull import verify

    weights = Weights(find_home().models)
    here = [model for model in CATALOGUE if weights.has_files(model)]
    if not here:
        say(f"No model is in {weights.folder}: 'gaia model pull' fetches one.")
    broken = [model for model in here if not verify(model, weights)]
    for model in here:
        if model not in broken and (pulled := weights.pulled(model)):
            source = f", from {pulled.source}" if pulled.source else ""
            say(f"{model.name} is what was pulled{source}: SHA-256 {pulled.sha256}")
    if broken:
        names = " and ".join(model.name for model in broken)
        raise ModelFileError(
            f"the file of {names} is not what was pulled, or not whole: "
            "run 'gaia model remove' and 'gaia model pull' with that name"
        )


@app.command("pull")
def pull_model(
    name: Annotated[str, typer.Argument(help="The model's name; by default the one in use.")] = "",
    if_needed: Annotated[
        bool,
        typer.Option("--if-needed", help="Only if the settings ask for an embedded model."),
    ] = False,
) -> None:
    """Fetch a model, check it, and make it ready for use. An interrupted pull goes on."""
    from gaia.paths import find_home
    from gaia.settings.providers import require_engine
    from gaia.weights.folder import Weights

    home = find_home()
    wanted = _wanted(name, home, only_if_in_use=if_needed)
    if wanted is None:
        return
    require_engine()
    if Weights(home.models).is_installed(wanted):
        if not if_needed:
            say(f"{wanted.name} is here already: {Weights(home.models).path(wanted)}")
        return

    from gaia.cli.progress import pull_progress
    from gaia.weights.pull import pull

    home.create()
    with pull_progress(wanted.name) as progress:
        file = pull(wanted, home.models, progress)
    say(f"{wanted.name} is ready: {file}", err=if_needed)


@app.command("remove")
def remove_model(
    name: Annotated[str, typer.Argument(help="The model's name.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a model's file, and what was begun of it."""
    from gaia.paths import find_home
    from gaia.weights.folder import Weights

    model = _named(name)
    weights = Weights(find_home().models)
    if not weights.has_files(model):
        raise ModelFileError(f"{name} is not on this machine: there is nothing to remove")
    if not yes:
        typer.confirm(f"Delete {weights.path(model)} ({_megabytes(model.size)})?", abort=True)
    weights.remove(model)
    say(f"{name} is removed")


def _wanted(name: str, home: Home, *, only_if_in_use: bool) -> CatalogueModel | None:
    """The model to pull, or None when the settings ask for no embedded one."""
    from gaia.settings.load import load_settings
    from gaia.settings.providers import DEFAULT_NAMES, resolve_loaded
    from gaia.weights.catalogue import find_model

    if name and not only_if_in_use:
        return _named(name)
    loaded = load_settings(home)
    resolved = resolve_loaded(loaded)
    if resolved.provider == "embedded":
        return _named(name) if name else find_model(resolved.name)
    return None if only_if_in_use else find_model(DEFAULT_NAMES["embedded"])


def _named(name: str) -> CatalogueModel:
    """The model that an argument names; an unknown one is a mistake of usage."""
    from gaia.weights.catalogue import CATALOGUE

    for model in CATALOGUE:
        if model.name == name:
            return model
    raise typer.BadParameter(f"no model is called {name!r}: 'gaia model list' has their names")


def _since(pulled: Pulled | None) -> str:
    if pulled is None:
        return "no"
    return f"since {pulled.day}" if pulled.day else "yes"


def _as_json(model: CatalogueModel, pulled: Pulled | None) -> dict[str, str | int | bool | None]:
    return {
        "name": model.name,
        "installed": pulled is not None,
        "bytes": model.size,
        "sha256": model.sha256 or (pulled.sha256 if pulled else None),
        "hash_known_to": "gaia" if model.sha256 else "publisher",
        "pulled_from": pulled.source if pulled else None,
        "pulled_on": pulled.day if pulled else None,
        "licence": model.licence,
        "about": model.about,
    }


def _megabytes(size: int) -> str:
    return f"{size / 10**6:,.0f} MB"

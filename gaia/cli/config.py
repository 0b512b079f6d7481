"""`gaia config`: where the settings are, what holds, and what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.config_changes import diff_command, reload_command
from gaia.text import cut

if TYPE_CHECKING:
    from gaia.errors import SettingsError
    from gaia.settings.load import LoadedSettings

SHOWN_CHARACTERS = 60

app = typer.Typer(
    no_args_is_help=True, help="Where the settings are, what holds, and what is wrong with them."
)

app.command("diff")(diff_command)
app.command("reload")(reload_command)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]


@app.command()
def path() -> None:
    """Print the path of gaia.yaml, whether or not it exists."""
    from gaia.paths import find_home

    typer.echo(find_home().settings_file)


@app.command()
def show(
    as_json: AsJson = False,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Print the default gaia.yaml with its comments.")
    ] = False,
) -> None:
    """Print every setting that holds and where it comes from."""
    if defaults:
        from gaia.settings.defaults import default_settings_file

        typer.echo(default_settings_file().read_text(encoding="utf-8"), nl=False)
        return
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    loaded = load_settings(find_home())
    typer.echo(_as_json(loaded) if as_json else _as_table(loaded))
    for warning in loaded.warnings:
        typer.echo(f"warning: {warning}", err=True)


@app.command()
def check(as_json: AsJson = False) -> None:
    """Find every mistake in the settings; exit with 78 when there is one."""
    from gaia.errors import SettingsError
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    home = find_home()
    try:
        loaded = load_settings(home)
        _check_what_they_ask_for(loaded)
    except SettingsError as exc:
        typer.echo(_mistakes_as_json(exc) if as_json else str(exc), err=not as_json)
        raise typer.Exit(exc.exit_code) from exc
    if as_json:
        typer.echo(json.dumps({"ok": True, "mistakes": [], "warnings": loaded.warnings}, indent=2))
        return
    for warning in loaded.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if home.settings_file.exists():
        typer.echo(f"{home.settings_file} is fine.")
    else:
        typer.echo(f"There is no {home.settings_file}, which is fine: the defaults hold.")


def _check_what_they_ask_for(loaded: LoadedSettings) -> None:
    """Look for the model, and for the secrets of the channels.

    Raises:
        SettingsError: Something is missing.
    """
    from channels.credentials import missing
    from gaia.errors import SettingsError
    from gaia.settings.providers import resolve_loaded

    mistakes = [loaded.placed(each) for each in missing(loaded.settings.channels, loaded.secrets)]
    try:
        resolve_loaded(loaded)
    except SettingsError as exc:
        mistakes = [*exc.mistakes, *mistakes]
    if mistakes:
        raise SettingsError.of(mistakes)


def _mistakes_as_json(error: SettingsError) -> str:
    from dataclasses import asdict

    mistakes = [asdict(mistake) for mistake in error.mistakes]
    found = {"ok": False, "message": str(error), "mistakes": mistakes}
    return json.dumps(found, indent=2)


def _as_json(loaded: LoadedSettings) -> str:
    from gaia.settings.effective import list_secrets, list_settings

    settings = {
        setting.key: {"value": setting.value, "source": setting.source}
        for setting in list_settings(loaded)
    }
    secrets = {
        secret.variable: {"set": secret.source is not None, "source": secret.source}
        for secret in list_secrets(loaded)
    }
    shown = {"settings": settings, "secrets": secrets, "warnings": loaded.warnings}
    return json.dumps(shown, indent=2)


def _as_table(loaded: LoadedSettings) -> str:
    from gaia.settings.effective import list_secrets, list_settings

    rows = [(item.key, _shorten(item.value), item.source) for item in list_settings(loaded)]
    rows += [
        (item.variable, "set" if item.source else "not set", item.source or "")
        for item in list_secrets(loaded)
    ]
    key_width, value_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    return "\n".join(
        f"{key:<{key_width}}  {value:<{value_width}}  {source}".rstrip()
        for key, value, source in rows
    )


def _shorten(value: object) -> str:
    return cut(json.dumps(value, ensure_ascii=False), SHOWN_CHARACTERS)

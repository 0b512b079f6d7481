"""`gaia config`: the settings, what changed ones change, and taking them up."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, echo_json, say, terminal_width, wrapped
from gaia.text import cut

if TYPE_CHECKING:
    from gaia.errors import SettingsError
    from gaia.mistakes import Mistake
    from gaia.ops.wire import ChangeReport, ReloadReport
    from gaia.paths import Home
    from gaia.settings.load import LoadedSettings
    from gaia.settings.schema import Settings

SHOWN_CHARACTERS = 60
app = typer.Typer(
    no_args_is_help=True, help="Where the settings are, what holds, and what is wrong with them."
)

RELOAD_SECONDS = 60.0
"""A channel that is replaced may end what it sends first."""


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
        from gaia.settings.load import default_settings_file

        typer.echo(default_settings_file().read_text(encoding="utf-8"), nl=False)
        return
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    loaded = load_settings(find_home())
    if as_json:
        echo_json(_as_json(loaded))
    else:
        typer.echo(_as_table(loaded))
    _warn(loaded.warnings)


@app.command()
def check(as_json: AsJson = False) -> None:
    """Find every mistake in the settings; exit with 78 if there is one."""
    from gaia.errors import SettingsError
    from gaia.paths import find_home
    from gaia.settings.load import load_settings, sound_part
    from gaia.settings.secrets import find_secrets

    home = find_home()
    try:
        try:
            loaded = load_settings(home)
        except SettingsError as exc:
            settings, lines = sound_part(home.settings_file)
            found = (*exc.mistakes, *_unworkable(settings, home, lines))
            raise SettingsError.of(found) from exc
        _check_what_they_ask_for(loaded, home)
    except SettingsError as exc:
        warnings = find_secrets(home.env_file, os.environ).warnings
        if as_json:
            echo_json(_mistakes_as_json(exc, warnings))
        else:
            say(str(exc), err=True)
            _warn(warnings)
        raise typer.Exit(exc.exit_code) from exc
    if as_json:
        echo_json({"ok": True, "mistakes": [], "warnings": loaded.warnings})
        return
    _warn(loaded.warnings)
    if home.settings_file.exists():
        say(f"{home.settings_file} is fine.")
    else:
        say(
            f"There is no {home.settings_file}, which is fine: the defaults apply. "
            "'gaia setup' writes one."
        )


def _unworkable(settings: Settings, home: Home, lines: Mapping[str, int]) -> Sequence[Mistake]:
    from dataclasses import replace

    from gaia.ops.workable import unworkable

    file = str(home.settings_file)
    found = unworkable(settings, home.root)
    return [replace(each, file=file, line=lines.get(each.key)) for each in found]


def _check_what_they_ask_for(loaded: LoadedSettings, home: Home) -> None:
    """Look for the model, for what settings need to have installed, for the secrets of the
    channels, and for providers and folders.

    Raises:
        SettingsError: Something is missing.
    """
    from channels.credentials import missing
    from gaia.errors import SettingsError
    from gaia.memory.search.rerank import require_extra
    from gaia.settings.providers import resolve_loaded

    require_extra(loaded.settings.memory)
    mistakes = [loaded.placed(each) for each in missing(loaded.settings.channels, loaded.secrets)]
    mistakes += _unworkable(loaded.settings, home, loaded.lines)
    try:
        resolve_loaded(loaded)
    except SettingsError as exc:
        mistakes = [*exc.mistakes, *mistakes]
    if mistakes:
        raise SettingsError.of(mistakes)


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        say(f"warning: {warning}", err=True)


def _mistakes_as_json(error: SettingsError, warnings: Sequence[str]) -> dict[str, object]:
    from dataclasses import asdict

    mistakes = [asdict(mistake) for mistake in error.mistakes]
    return {"ok": False, "message": str(error), "mistakes": mistakes, "warnings": warnings}


def _as_json(loaded: LoadedSettings) -> dict[str, object]:
    from gaia.settings.changes import list_secrets, list_settings

    settings = {
        setting.key: {"value": setting.value, "source": setting.source}
        for setting in list_settings(loaded)
    }
    secrets = {
        secret.variable: {"set": secret.source is not None, "source": secret.source}
        for secret in list_secrets(loaded)
    }
    return {"settings": settings, "secrets": secrets, "warnings": loaded.warnings}


def _as_table(loaded: LoadedSettings) -> str:
    from gaia.settings.changes import list_secrets, list_settings

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


@app.command("diff")
def diff_command(
    as_json: AsJson = False,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Compare with the defaults.")
    ] = False,
) -> None:
    """Print what a reload would change in the gaia that runs.

    Without one that runs: what has changed since its last start. Exits with 78 when there
    is a mistake in the settings.
    """
    from gaia.paths import find_home

    home = find_home()
    report, compared = _compare(home, defaults=defaults)
    _tell(
        report,
        as_json=as_json,
        none=f"No setting differs from {compared}: 'gaia config show' lists them.",
    )


@app.command("reload")
def reload_command(as_json: AsJson = False) -> None:
    """Have the gaia that runs take up its changed settings now.

    It does so by itself, too, soon after the files have changed. Exits with 78 when there
    is a mistake in them: then those before hold.
    """
    from gaia.ops.wire import RELOAD_PATH
    from gaia.paths import find_home

    report = ask_settings(find_home(), RELOAD_PATH)
    _tell(report, as_json=as_json, none="No setting has changed: there is nothing to take up.")


def _compare(home: Home, *, defaults: bool) -> tuple[ReloadReport, str]:
    """What differs, and from what."""
    from gaia.cli.control import is_served
    from gaia.errors import SettingsError
    from gaia.ops.wire import DIFF_PATH, ReloadReport, reported
    from gaia.settings.changes import differences
    from gaia.settings.load import load_settings

    if not defaults and is_served(home):
        return ask_settings(home, DIFF_PATH), "those that gaia runs with"
    file = home.last_good_settings_file
    compared = "those of the last start" if file.exists() and not defaults else "the defaults"
    if defaults or not file.exists():
        file = home.root / "no such file"
    try:
        # Both with the secrets of now: those of before are not known.
        changes = differences(load_settings(home, file=file), load_settings(home))
    except SettingsError as exc:
        return ReloadReport(problem=str(exc)), compared
    return ReloadReport(changes=reported(changes)), compared


def ask_settings(home: Home, path: str) -> ReloadReport:
    """What the gaia that runs answers at `path`, of its settings.

    Raises:
        NotRunningError: None runs, or it does not answer.
    """
    from gaia.cli.control import ask
    from gaia.ops.wire import ReloadReport

    return ask(home, path, "", RELOAD_SECONDS, ReloadReport)


def _tell(report: ReloadReport, *, as_json: bool, none: str) -> None:
    from gaia.errors import SettingsError

    if as_json:
        typer.echo(report.model_dump_json(indent=2))
    elif not report.problem:
        say("\n".join(_lines(report.changes)) or none)
    else:
        say(report.problem, err=True)
    if report.problem:
        raise typer.Exit(SettingsError.exit_code)


def _lines(changes: Sequence[ChangeReport]) -> Sequence[str]:
    lines = []
    for each in changes:
        if not each.effect:
            lines.append(f"{each.key} is {each.after}")
            continue
        lines.append(f"{each.key}: {_shorten(each.before)} -> {_shorten(each.after)}")
        lines += wrapped(f"  counts from: {each.effect}", terminal_width(), indent="  ")
    return lines

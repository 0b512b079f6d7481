"""`gaia config diff` and `gaia config reload`: what changed settings change, and taking them up."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gaia.ops.settings_report import ChangeReport, ReloadReport
    from gaia.paths import Home

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]

SHOWN_CHARACTERS = 60
RELOAD_SECONDS = 60.0
"""A channel that is replaced may end what it sends first."""


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
    _tell(report, as_json=as_json, none=f"No setting differs from {compared}.")


def reload_command(as_json: AsJson = False) -> None:
    """Have the gaia that runs take up its changed settings now.

    It does so by itself, too, soon after the files have changed. Exits with 78 when there
    is a mistake in them: then those before hold.
    """
    from gaia.ops.settings_report import RELOAD_PATH
    from gaia.paths import find_home

    report = _ask(find_home(), RELOAD_PATH)
    _tell(report, as_json=as_json, none="No setting has changed.")


def _compare(home: Home, *, defaults: bool) -> tuple[ReloadReport, str]:
    """What differs, and from what."""
    from gaia.cli.control import is_served
    from gaia.errors import SettingsError
    from gaia.ops.settings_report import DIFF_PATH, ReloadReport, reported
    from gaia.settings.changes import differences
    from gaia.settings.load import load_settings

    if not defaults and is_served(home):
        return _ask(home, DIFF_PATH), "those that gaia runs with"
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


def _ask(home: Home, path: str) -> ReloadReport:
    from gaia.cli.control import asking
    from gaia.ops.settings_report import ReloadReport

    with asking(home, path, "", RELOAD_SECONDS) as answer:
        return ReloadReport.model_validate_json(answer.read())


def _tell(report: ReloadReport, *, as_json: bool, none: str) -> None:
    from gaia.errors import SettingsError

    if as_json:
        typer.echo(report.model_dump_json(indent=2))
    elif not report.problem:
        typer.echo("\n".join(_lines(report.changes)) or none)
    else:
        typer.echo(report.problem, err=True)
    if report.problem:
        raise typer.Exit(SettingsError.exit_code)


def _lines(changes: Sequence[ChangeReport]) -> Sequence[str]:
    from gaia.cli.table import terminal_width

    lines = []
    for each in changes:
        if not each.effect:
            lines.append(f"{each.key} is {each.after}")
            continue
        lines.append(f"{each.key}: {_short(each.before)} -> {_short(each.after)}")
        lines.append(
            textwrap.fill(
                f"counts from: {each.effect}",
                terminal_width(),
                initial_indent="  ",
                subsequent_indent="  ",
            )
        )
    return lines


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 3]}..."

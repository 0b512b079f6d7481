"""`gaia doctor`: what is wrong with this installation, and what to do about it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gaia.findings import Check
    from gaia.ops.doctor.configuration import Configuration
    from gaia.ops.doctor.daemon import Daemon
    from gaia.ops.doctor.running import Examined
    from gaia.ops.settings_report import ReloadReport
    from gaia.paths import Home
    from gaia.ports import Clock
    from gaia.settings.load import LoadedSettings

CHECK_FAILED = 4
SETTINGS_SECONDS = 30.0
"""A reload waits for what it replaces."""


def doctor_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for a script to read.")
    ] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended without a question or a loss.")
    ] = False,
) -> None:
    """Look for what is wrong and say what to do. Exits with 4 when a check failed."""
    import asyncio

    from gaia.cli import findings_text
    from gaia.cli.table import terminal_width
    from gaia.findings import Outcome
    from gaia.ops.doctor.configuration import Configuration
    from gaia.paths import find_home

    home = find_home()
    configuration = Configuration(home)
    secrets = configuration.loaded.secrets.values() if configuration.loaded else ()
    _keep_out_of_tracebacks(secrets)
    checks = gather(home, configuration)
    columns = findings_text.Columns(
        checks,
        width=terminal_width(),
        is_coloured=findings_text.wants_colour(sys.stdout, os.environ),
    )

    def show(examined: Examined) -> None:
        if not as_json:
            typer.echo(columns.told(examined))

    examined = asyncio.run(_examine(checks, secrets, show, fix=fix))
    typer.echo(findings_text.as_json(examined) if as_json else findings_text.summary(examined))
    if any(each.has(Outcome.FAILED) for each in examined):
        raise typer.Exit(CHECK_FAILED)


def gather(home: Home, configuration: Configuration) -> Sequence[Check]:
    """All checks, in the order in which they are shown."""
    from functools import partial

    from gaia.cli.control import is_served
    from gaia.cli.status import ask_status
    from gaia.clock import SystemClock
    from gaia.ops.doctor.daemon import Daemon
    from gaia.ops.doctor.databases import database_checks
    from gaia.ops.doctor.disk import disk_check
    from gaia.ops.doctor.home import home_check
    from gaia.ops.doctor.journals import journals_check
    from gaia.ops.doctor.leftovers import leftovers_check
    from gaia.ops.doctor.packages import packages_check
    from gaia.ops.doctor.permissions import permissions_check
    from gaia.ops.doctor.runtime import runtime_checks
    from gaia.ops.doctor.service import service_check, services_here

    loaded = configuration.loaded
    clock = SystemClock()
    daemon = Daemon(partial(ask_status, home), partial(is_served, home))
    checks = [
        home_check(home),
        permissions_check(home),
        disk_check(home),
        *runtime_checks(clock),
        packages_check(),
        configuration.check(),
        *database_checks(home),
        journals_check(home, daemon),
        daemon.check(),
        leftovers_check(home, daemon, clock),
        service_check(home, loaded.settings if loaded else None, services_here(os.environ)),
    ]
    if loaded is None:
        return [*checks, *configuration.unknown("memory index", "web port", "model", "channels")]
    return [*checks, *_by_settings(home, loaded, daemon, clock)]


def _by_settings(
    home: Home, loaded: LoadedSettings, daemon: Daemon, clock: Clock
) -> Sequence[Check]:
    """The checks of what the settings ask for. Those that ask hosts hear the time there."""
    import asyncio
    from functools import partial

    from gaia.ops.doctor import packages
    from gaia.ops.doctor.backups import backup_check
    from gaia.ops.doctor.clock import Times
    from gaia.ops.doctor.index import index_check
    from gaia.ops.doctor.model import model_checks
    from gaia.ops.doctor.ports import port_checks
    from gaia.ops.doctor.settings import settings_check
    from gaia.ops.settings_report import DIFF_PATH, RELOAD_PATH

    async def reindex() -> str:
        return await asyncio.to_thread(_reindex, home)

    differences, reload = (partial(_ask_settings, home, each) for each in (DIFF_PATH, RELOAD_PATH))
    settings, times = loaded.settings, Times(clock)
    checks = [
        settings_check(daemon, differences, reload),
        backup_check(home, settings.backup, clock),
        index_check(home, settings.memory, daemon, clock, reindex),
        *port_checks(settings, daemon),
        *model_checks(home, loaded, clock, times.heard),
    ]
    if packages.channels_are_ours():
        from channels.doctor import channel_checks

        checks += channel_checks(
            settings, loaded.secrets, loaded.placed, heard=times.heard, running=daemon.channel
        )
    return [*checks, times.check()]


def _ask_settings(home: Home, path: str) -> ReloadReport:
    from gaia.cli.control import asking
    from gaia.ops.settings_report import ReloadReport

    with asking(home, path, "", SETTINGS_SECONDS) as answer:
        return ReloadReport.model_validate_json(answer.read())


def _reindex(home: Home) -> str:
    from gaia.cli.memory.daemon import reindex

    reindex(home, lambda done, total: None)
    return "all memories are indexed anew"


async def _examine(
    checks: Sequence[Check],
    secrets: Sequence[str],
    show: Callable[[Examined], None],
    *,
    fix: bool,
) -> Sequence[Examined]:
    from gaia.cli.waiting_line import WaitingLine
    from gaia.logs import Redaction
    from gaia.ops.doctor.running import examine

    line, done = WaitingLine(sys.stderr, os.environ), []
    try:
        async for examined in examine(
            checks, lambda check: line.say(check.name), Redaction(secrets), fix=fix
        ):
            line.clear()
            show(examined)
            done.append(examined)
    finally:
        line.clear()
    return done


def _keep_out_of_tracebacks(secrets: Sequence[str]) -> None:
    import logging

    from gaia.logs import RedactingFormatter

    handler = logging.StreamHandler()
    handler.setFormatter(RedactingFormatter(secrets))
    logging.basicConfig(handlers=[handler], level=logging.ERROR)

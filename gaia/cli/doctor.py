"""`gaia doctor`: what is wrong with this installation, and what to do about it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import (
    NARROWEST,
    AsJson,
    WaitingLine,
    strip_controls,
    terminal_width,
    wants_colour,
    wrapped,
)
from gaia.findings import Check, Finding, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from gaia.ops.doctor.checks import Examined
    from gaia.ops.doctor.daemon import Daemon
    from gaia.ops.doctor.machine import Times
    from gaia.ops.doctor.settings import Configuration
    from gaia.paths import Home
    from gaia.ports import Clock
    from gaia.settings.load import LoadedSettings

CHECK_FAILED = 4

COLOURS = {
    Outcome.OK: "green",
    Outcome.FIXED: "blue",
    Outcome.WARNING: "yellow",
    Outcome.FAILED: "red",
    Outcome.SKIPPED: "cyan",
}
OUTCOME_WIDTH = max(map(len, Outcome)) + 2


def doctor_command(
    as_json: AsJson = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Fix what can be fixed without questions or data loss.")
    ] = False,
) -> None:
    """Look for what is wrong and say what to do. Exits with 4 when a check failed."""
    import asyncio

    from gaia.ops.doctor.settings import Configuration
    from gaia.paths import find_home

    home = find_home()
    configuration = Configuration(home)
    secrets = configuration.loaded.secrets.values() if configuration.loaded else ()
    _keep_out_of_tracebacks(secrets)
    checks = gather(home, configuration)
    columns = Columns(
        checks,
        width=terminal_width(),
        is_coloured=wants_colour(sys.stdout, os.environ),
    )

    def show(examined: Examined) -> None:
        if not as_json:
            typer.echo(columns.told(examined))

    examined = asyncio.run(_examine(checks, secrets, show, fix=fix))
    typer.echo(findings_as_json(examined) if as_json else summary(examined))
    if any(each.has(Outcome.FAILED) for each in examined):
        raise typer.Exit(CHECK_FAILED)


def gather(home: Home, configuration: Configuration) -> Sequence[Check]:
    """All checks, in the order in which they are shown."""
    from functools import partial

    from gaia.cli.control import is_served
    from gaia.cli.status import ask_status
    from gaia.clock import SystemClock
    from gaia.ops.doctor.daemon import Daemon
    from gaia.ops.doctor.databases import database_check, journals_check, user_zones_check
    from gaia.ops.doctor.home import home_check, permissions_check
    from gaia.ops.doctor.leftovers import leftovers_check
    from gaia.ops.doctor.machine import (
        Times,
        disk_check,
        file_system_checks,
        packages_check,
        runtime_checks,
    )
    from gaia.ops.doctor.service import may_rest, service_check, services_here

    loaded, services = configuration.loaded, services_here(os.environ)
    clock = SystemClock()
    times = Times(clock)
    daemon = Daemon(partial(ask_status, home), partial(is_served, home))
    checks = [
        home_check(home),
        permissions_check(home),
        disk_check(home),
        *file_system_checks(home),
        *runtime_checks(clock),
        packages_check(),
        configuration.check(),
        database_check(home, times.heard),
        user_zones_check(home),
        journals_check(home, daemon),
        daemon.check(may_rest=loaded is not None and may_rest(loaded.settings, services)),
        leftovers_check(home, daemon, clock),
        service_check(home, loaded.settings if loaded else None, services),
    ]
    if loaded is None:
        return [*checks, *configuration.unknown("memory index", "web port", "model", "channels")]
    return [*checks, *_by_settings(home, loaded, daemon, clock, times)]


def _by_settings(
    home: Home, loaded: LoadedSettings, daemon: Daemon, clock: Clock, times: Times
) -> Sequence[Check]:
    """The checks of what the settings ask for. Those that ask hosts hear the time there."""
    import asyncio
    from functools import partial

    from gaia.cli.config import ask_settings
    from gaia.ops.doctor import machine
    from gaia.ops.doctor.backups import backup_check
    from gaia.ops.doctor.daemon import port_checks
    from gaia.ops.doctor.index import index_check
    from gaia.ops.doctor.model import model_checks
    from gaia.ops.doctor.settings import settings_check
    from gaia.ops.wire import DIFF_PATH, RELOAD_PATH

    async def reindex() -> str:
        return await asyncio.to_thread(_reindex, home)

    differences, reload = (partial(ask_settings, home, each) for each in (DIFF_PATH, RELOAD_PATH))
    settings = loaded.settings
    checks = [
        settings_check(daemon, differences, reload),
        backup_check(home, settings.backup, clock),
        index_check(home, settings.memory, daemon, clock, reindex),
        *port_checks(settings, daemon),
        *model_checks(home, loaded, clock, times.heard),
    ]
    if machine.channels_are_ours():
        from channels.doctor import channel_checks

        checks += channel_checks(
            settings, loaded.secrets, loaded.placed, heard=times.heard, running=daemon.channel
        )
    return [*checks, times.check()]


def _reindex(home: Home) -> str:
    from gaia.cli.memory.search import reindex_by_daemon

    reindex_by_daemon(home, lambda done, total: None)
    return "all memories are indexed again"


async def _examine(
    checks: Sequence[Check],
    secrets: Sequence[str],
    show: Callable[[Examined], None],
    *,
    fix: bool,
) -> Sequence[Examined]:
    from gaia.logs import Redaction
    from gaia.ops.doctor.checks import examine

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


class Columns:
    """Findings as lines: each in columns, with its remedy below it.

    No line is wider than `width`, unless a word is, such as an address to be copied.
    """

    def __init__(self, checks: Sequence[Check], *, width: int, is_coloured: bool) -> None:
        self._name_width = max(len(check.name) for check in checks) + 2
        self._width = width
        self._is_coloured = is_coloured

    def told(self, examined: Examined) -> str:
        """All that a check found."""
        lines = [
            line for finding in examined.findings for line in self._lines(examined.check, finding)
        ]
        return "\n".join(lines)

    def _lines(self, name: str, finding: Finding) -> Sequence[str]:
        indent = OUTCOME_WIDTH + self._name_width
        detail = _wrapped(finding.detail, self._width - indent)
        remedy = _wrapped(finding.remedy, self._width - OUTCOME_WIDTH) if finding.remedy else []
        first = f"{'':{OUTCOME_WIDTH - len(finding.outcome)}}{name:<{self._name_width}}{detail[0]}"
        return [
            self._outcome(finding.outcome) + first,
            *(" " * indent + line for line in detail[1:]),
            *(" " * OUTCOME_WIDTH + line for line in remedy),
        ]

    def _outcome(self, outcome: Outcome) -> str:
        if not self._is_coloured:
            return outcome.value
        return typer.style(outcome.value, fg=COLOURS[outcome])


def summary(examined: Sequence[Examined]) -> str:
    """The last line: what there is to do."""
    outcomes = [finding.outcome for each in examined for finding in each.findings]
    counted = ", ".join(_counts(outcomes))
    return f"\n{counted}." if counted else "\nEverything is ok."


def findings_as_json(examined: Sequence[Examined]) -> str:
    """One document: whether a check failed, and each finding apart."""
    findings = [
        {
            "check": each.check,
            "outcome": finding.outcome,
            "detail": finding.detail,
            "remedy": finding.remedy,
        }
        for each in examined
        for finding in each.findings
    ]
    is_ok = not any(each.has(Outcome.FAILED) for each in examined)
    return json.dumps({"ok": is_ok, "findings": findings}, indent=2)


def _wrapped(text: str, width: int) -> list[str]:
    return wrapped(" ".join(strip_controls(text).split()), max(width, NARROWEST))


def _counts(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome, one, many in (
        (Outcome.FAILED, "1 failure", "failures"),
        (Outcome.WARNING, "1 warning", "warnings"),
        (Outcome.FIXED, "1 fix made", "fixes made"),
    ):
        if number := outcomes.count(outcome):
            yield one if number == 1 else f"{number} {many}"

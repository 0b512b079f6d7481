"""Whether the settings can be used, and whether the running gaia goes by them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from gaia.errors import SettingsError
from gaia.findings import Check, Finding, Mend, failures, ok, skipped, warning
from gaia.ops.doctor.daemon import Daemon
from gaia.ops.wire import ReloadReport
from gaia.paths import Home
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.secrets import exposure
from gaia.text import counted, duration

NAME = "settings in use"
MOST_NAMED = 5

Ask = Callable[[], ReloadReport]
"""Asks the daemon, and blocks meanwhile. Raises a `GaiaError` that says why it cannot be."""

CONFIGURATION = "configuration"


def settings_check(daemon: Daemon, differences: Ask, reload: Ask) -> Check:
    """The check. `differences` is what a reload would change, `reload` does it."""

    async def look() -> Sequence[Finding]:
        report = await daemon.report()
        if report is None:
            return [skipped("gaia does not run, or is too busy to answer")]
        if not report.settings.ok:
            return [skipped("the settings files cannot be used: see what the daemon says")]
        found = await asyncio.to_thread(differences)
        if found.problem:
            return [skipped("the settings files cannot be used: see what the configuration says")]
        if not found.changes:
            since = duration((report.at - report.settings.loaded_at).total_seconds())
            return [ok(f"those of the files, read {since} ago")]
        return [_told(found, mend)]

    async def mend() -> str:
        done = await asyncio.to_thread(reload)
        if done.problem:
            raise SettingsError(done.problem)
        return f"gaia has taken up {counted(len(done.changes), 'setting', 'settings')}"

    return Check(NAME, look)


def _told(found: ReloadReport, mend: Mend) -> Finding:
    names = [change.key for change in found.changes]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return warning(
        f"gaia runs with another value of {', '.join(names[:MOST_NAMED])}{more} than the files say",
        "gaia config reload",
        mend,
    )


class Configuration:
    """The settings of a home, read once, for the checks that need them."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._error: SettingsError | None = None
        self.loaded: LoadedSettings | None = None
        """None if there is a mistake in them."""
        try:
            self.loaded = load_settings(home)
        except SettingsError as exc:
            self._error = exc

    def check(self) -> Check:
        """The check that tells how reading them went."""
        return Check(CONFIGURATION, self._look)

    def unknown(self, *names: str) -> Sequence[Check]:
        """Checks of what only the settings tell, where these cannot be read: they are skipped."""
        return [Check(name, self._look, needs=(CONFIGURATION,)) for name in names]

    async def _look(self) -> Sequence[Finding]:
        if self._error is not None:
            return failures(self._error)
        if self.loaded is not None and self.loaded.warnings:
            return [self._told(each) for each in self.loaded.warnings]
        if self._home.settings_file.exists():
            return [ok(f"{self._home.settings_file} is fine")]
        return [ok(f"there is no {self._home.settings_file}: the defaults apply")]

    def _told(self, advice: str) -> Finding:
        if advice != exposure(self._home.env_file):
            return warning(advice)
        return warning(advice, mend=self._close_env_file)

    async def _close_env_file(self) -> str:
        self._home.env_file.chmod(0o600)
        return f"{self._home.env_file} is private now"

"""Whether gaia.yaml, `.env` and the environment can be read, and all that is wrong there."""

from __future__ import annotations

from collections.abc import Sequence

from gaia.errors import SettingsError
from gaia.findings import Check, Finding, failures, ok, warning
from gaia.paths import Home
from gaia.settings.load import LoadedSettings, load_settings
from gaia.settings.secrets import exposure

NAME = "configuration"


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
        return Check(NAME, self._look)

    def unknown(self, *names: str) -> Sequence[Check]:
        """Checks of what only the settings tell, where these cannot be read: they are skipped."""
        return [Check(name, self._look, needs=(NAME,)) for name in names]

    async def _look(self) -> Sequence[Finding]:
        if self._error is not None:
            return failures(self._error)
        if self.loaded is not None and self.loaded.warnings:
            return [self._told(each) for each in self.loaded.warnings]
        if self._home.settings_file.exists():
            return [ok(f"{self._home.settings_file} is fine")]
        return [ok(f"there is no {self._home.settings_file}: the defaults hold")]

    def _told(self, advice: str) -> Finding:
        if advice != exposure(self._home.env_file):
            return warning(advice)
        return warning(advice, mend=self._close_env_file)

    async def _close_env_file(self) -> str:
        self._home.env_file.chmod(0o600)
        return f"{self._home.env_file} is private now"
